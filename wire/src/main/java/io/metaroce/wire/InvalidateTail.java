package io.metaroce.wire;

/**
 * Ends the headers of the last packet of a SEND with invalidate.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class InvalidateTail {
    /** Bytes. */
    public static final int LENGTH = 4;

    private InvalidateTail() {}

    /** Remote key to invalidate when the message completes. */
    public static int rkey(long addr) {
        return Mem.getIntBe(addr);
    }

    /** Sets: remote key to invalidate when the message completes. */
    public static void rkey(long addr, int value) {
        Mem.putIntBe(addr, value);
    }
}
