package io.metaroce.wire;

/**
 * Ends the headers of a response that cannot be given.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class ErrorTail {
    /** Bytes. */
    public static final int LENGTH = 4;

    private ErrorTail() {}

    /** Why, one of {@link Syndrome}. */
    public static int syndrome(long addr) {
        return Mem.getUnsignedByte(addr);
    }

    /** Sets: why, one of {@link Syndrome}. */
    public static void syndrome(long addr, int value) {
        Mem.putByte(addr, value);
    }
}
