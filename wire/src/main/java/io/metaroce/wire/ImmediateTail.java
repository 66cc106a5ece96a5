package io.metaroce.wire;

/**
 * Ends the headers of the last packet of a message with immediate data. Bytes are kept in the order the
 * application gave them.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class ImmediateTail {
    /** Bytes. */
    public static final int LENGTH = 8;

    /** Bytes present in a SEND: the immediate only. */
    public static final int SEND_LENGTH = 4;

    private ImmediateTail() {}

    /** Immediate data as a number in network order. */
    public static int immediate(long addr) {
        return Mem.getIntBe(addr);
    }

    /** Sets: immediate data as a number in network order. */
    public static void immediate(long addr, int value) {
        Mem.putIntBe(addr, value);
    }

    /** Index of the receive consumed; present after a WRITE only. */
    public static int rqIndex(long addr) {
        return Mem.getIntBe(addr + 4);
    }

    /** Sets: index of the receive consumed; present after a WRITE only. */
    public static void rqIndex(long addr, int value) {
        Mem.putIntBe(addr + 4, value);
    }
}
