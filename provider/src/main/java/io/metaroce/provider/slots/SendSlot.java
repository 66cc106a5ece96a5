package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_send_slot}: one work request of a send queue. SGEs or inline bytes follow at {@link #PAYLOAD}. The stride of a ring is fixed by
 * {@link #stride}.
 */
public final class SendSlot {
    public static final int WR_ID = 0;
    public static final int OPCODE = 8;
    public static final int FLAGS = 9;
    public static final int NUM_SGE = 10;
    public static final int IMM = 12;
    public static final int LENGTH = 16;
    public static final int RKEY = 20;
    public static final int REMOTE_ADDR = 24;
    public static final int COMPARE_ADD = 32;
    public static final int SWAP = 40;
    public static final int SIZE = 48;

    private SendSlot() {}

    public static long wrId(long slot) {
        return Mem.getLong(slot + WR_ID);
    }

    public static void wrId(long slot, long value) {
        Mem.putLong(slot + WR_ID, value);
    }

    /** {@code enum ibv_wr_opcode}: RDMA_WRITE 0, WRITE_WITH_IMM 1, SEND 2, SEND_WITH_IMM 3, RDMA_READ 4, CMP_AND_SWP 5, FETCH_AND_ADD 6. */
    public static int opcode(long slot) {
        return Mem.getUnsignedByte(slot + OPCODE);
    }

    public static void opcode(long slot, int value) {
        Mem.putByte(slot + OPCODE, value);
    }

    /** {@code enum ibv_send_flags}: FENCE 1, SIGNALED 2, SOLICITED 4, INLINE 8. */
    public static int flags(long slot) {
        return Mem.getUnsignedByte(slot + FLAGS);
    }

    public static void flags(long slot, int value) {
        Mem.putByte(slot + FLAGS, value);
    }

    /** 0 when the bytes are inline. */
    public static int numSge(long slot) {
        return Mem.getUnsignedShort(slot + NUM_SGE);
    }

    public static void numSge(long slot, int value) {
        Mem.putShort(slot + NUM_SGE, value);
    }

    /** Immediate as the program gave it (network order), or the rkey to invalidate. */
    public static int imm(long slot) {
        return Mem.getInt(slot + IMM);
    }

    public static void imm(long slot, int value) {
        Mem.putInt(slot + IMM, value);
    }

    /** Bytes of the message, unsigned. */
    public static int length(long slot) {
        return Mem.getInt(slot + LENGTH);
    }

    public static void length(long slot, int value) {
        Mem.putInt(slot + LENGTH, value);
    }

    public static int rkey(long slot) {
        return Mem.getInt(slot + RKEY);
    }

    public static void rkey(long slot, int value) {
        Mem.putInt(slot + RKEY, value);
    }

    public static long remoteAddr(long slot) {
        return Mem.getLong(slot + REMOTE_ADDR);
    }

    public static void remoteAddr(long slot, long value) {
        Mem.putLong(slot + REMOTE_ADDR, value);
    }

    public static long compareAdd(long slot) {
        return Mem.getLong(slot + COMPARE_ADD);
    }

    public static void compareAdd(long slot, long value) {
        Mem.putLong(slot + COMPARE_ADD, value);
    }

    public static long swap(long slot) {
        return Mem.getLong(slot + SWAP);
    }

    public static void swap(long slot, long value) {
        Mem.putLong(slot + SWAP, value);
    }

    /** Where SGEs or inline bytes begin. */
    public static final int PAYLOAD = 48;

    /** {@code enum ibv_send_flags}. */
    public static final int FENCE = 1;

    public static final int SIGNALED = 2;
    public static final int SOLICITED = 4;
    public static final int INLINE = 8;

    /** Bytes a slot in a ring whose work requests have up to {@code maxSge} SGEs or {@code maxInline} inline bytes. */
    public static int stride(int maxSge, int maxInline) {
        return PAYLOAD + Math.max(Sge.SIZE * maxSge, maxInline) + 63 & -64;
    }

    /** Address of SGE {@code i}. */
    public static long sge(long slot, int i) {
        return slot + PAYLOAD + (long) i * Sge.SIZE;
    }

    /** Address of the inline bytes. */
    public static long inline(long slot) {
        return slot + PAYLOAD;
    }
}
