package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_cmd_mr}: REG_MR; DEREG_MR takes {@code lkey}.
 */
public final class MrCommand {
    public static final int PD = 0;
    public static final int ACCESS = 4;
    public static final int ADDR = 8;
    public static final int LENGTH = 16;
    public static final int IOVA = 24;
    public static final int LKEY = 32;
    public static final int RKEY = 36;
    public static final int SIZE = 40;

    private MrCommand() {}

    public static int pd(long record) {
        return Mem.getInt(record + PD);
    }

    public static void pd(long record, int value) {
        Mem.putInt(record + PD, value);
    }

    /** {@code enum ibv_access_flags}. */
    public static int access(long record) {
        return Mem.getInt(record + ACCESS);
    }

    public static void access(long record, int value) {
        Mem.putInt(record + ACCESS, value);
    }

    public static long addr(long record) {
        return Mem.getLong(record + ADDR);
    }

    public static void addr(long record, long value) {
        Mem.putLong(record + ADDR, value);
    }

    public static long length(long record) {
        return Mem.getLong(record + LENGTH);
    }

    public static void length(long record, long value) {
        Mem.putLong(record + LENGTH, value);
    }

    /** The address that the remote side uses for the first byte. */
    public static long iova(long record) {
        return Mem.getLong(record + IOVA);
    }

    public static void iova(long record, long value) {
        Mem.putLong(record + IOVA, value);
    }

    /** Out of REG_MR. */
    public static int lkey(long record) {
        return Mem.getInt(record + LKEY);
    }

    public static void lkey(long record, int value) {
        Mem.putInt(record + LKEY, value);
    }

    /** Out of REG_MR. */
    public static int rkey(long record) {
        return Mem.getInt(record + RKEY);
    }

    public static void rkey(long record, int value) {
        Mem.putInt(record + RKEY, value);
    }
}
