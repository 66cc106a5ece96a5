package io.metaroce.shim;

/** Makes C function pointers of a {@link Backend}; reached by name, for its one implementation needs a newer release than the rest. */
interface Upcalls {
    /** Writes {@code fn_drive} and {@code fn_command} into the boot record. */
    void publish(long boot, Backend backend);
}
