package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_abi_entry}: one line of the table that the library exports.
 */
public final class AbiEntry {
    public static final int NAME = 0;
    public static final int SIZE = 8;
    public static final int OFFSET = 12;
    /** Bytes of the struct. */
    public static final int BYTES = 16;

    private AbiEntry() {}

    /** Address of a NUL-terminated name. */
    public static long name(long entry) {
        return Mem.getLong(entry + NAME);
    }

    public static void name(long entry, long value) {
        Mem.putLong(entry + NAME, value);
    }

    public static int size(long entry) {
        return Mem.getInt(entry + SIZE);
    }

    public static void size(long entry, int value) {
        Mem.putInt(entry + SIZE, value);
    }

    public static int offset(long entry) {
        return Mem.getInt(entry + OFFSET);
    }

    public static void offset(long entry, int value) {
        Mem.putInt(entry + OFFSET, value);
    }
}
