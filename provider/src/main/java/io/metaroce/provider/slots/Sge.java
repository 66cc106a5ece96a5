package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_sge}, the same bytes as {@code struct ibv_sge}.
 */
public final class Sge {
    public static final int ADDR = 0;
    public static final int LENGTH = 8;
    public static final int LKEY = 12;
    public static final int SIZE = 16;

    private Sge() {}

    public static long addr(long sge) {
        return Mem.getLong(sge + ADDR);
    }

    public static void addr(long sge, long value) {
        Mem.putLong(sge + ADDR, value);
    }

    /** Unsigned. */
    public static int length(long sge) {
        return Mem.getInt(sge + LENGTH);
    }

    public static void length(long sge, int value) {
        Mem.putInt(sge + LENGTH, value);
    }

    public static int lkey(long sge) {
        return Mem.getInt(sge + LKEY);
    }

    public static void lkey(long sge, int value) {
        Mem.putInt(sge + LKEY, value);
    }

    public static void set(long sge, long addr, int length, int lkey) {
        addr(sge, addr);
        length(sge, length);
        lkey(sge, lkey);
    }
}
