package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_recv_slot}: one posted receive; SGEs follow at {@link #PAYLOAD}. Receive k of a queue stands in slot {@code k & (entries - 1)}.
 */
public final class RecvSlot {
    public static final int WR_ID = 0;
    public static final int NUM_SGE = 8;
    public static final int LENGTH = 12;
    public static final int SIZE = 16;

    private RecvSlot() {}

    public static long wrId(long slot) {
        return Mem.getLong(slot + WR_ID);
    }

    public static void wrId(long slot, long value) {
        Mem.putLong(slot + WR_ID, value);
    }

    public static int numSge(long slot) {
        return Mem.getInt(slot + NUM_SGE);
    }

    public static void numSge(long slot, int value) {
        Mem.putInt(slot + NUM_SGE, value);
    }

    /** Sum of the SGE lengths, unsigned. */
    public static int length(long slot) {
        return Mem.getInt(slot + LENGTH);
    }

    public static void length(long slot, int value) {
        Mem.putInt(slot + LENGTH, value);
    }

    /** Where the SGEs begin. */
    public static final int PAYLOAD = 16;

    /** Bytes a slot in a ring whose receives have up to {@code maxSge} SGEs. */
    public static int stride(int maxSge) {
        return PAYLOAD + Sge.SIZE * maxSge + 63 & -64;
    }

    /** Address of SGE {@code i}. */
    public static long sge(long slot, int i) {
        return slot + PAYLOAD + (long) i * Sge.SIZE;
    }
}
