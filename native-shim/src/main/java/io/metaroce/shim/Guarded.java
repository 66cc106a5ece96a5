package io.metaroce.shim;

import java.util.function.Consumer;

/**
 * The last line before C: an exception that left an upcall would end the program. Here it becomes {@code -EIO}, with its trace in the log; the library then declares
 * the device failed and tells every context.
 */
final class Guarded implements Backend {
    static final int EIO = 5;

    private final Backend backend;
    private final Consumer<Throwable> log;

    Guarded(Backend backend, Consumer<Throwable> log) {
        this.backend = backend;
        this.log = log;
    }

    @Override
    public int drive() {
        try {
            return backend.drive();
        } catch (Throwable e) {
            return failed(e);
        }
    }

    @Override
    public int command(int op, long record) {
        try {
            return backend.command(op, record);
        } catch (Throwable e) {
            return failed(e);
        }
    }

    private int failed(Throwable e) {
        try {
            log.accept(e);
        } catch (Throwable worse) {
            return -EIO; // no memory for the trace: the library says that the device failed
        }
        return -EIO;
    }
}
