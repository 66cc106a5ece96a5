package io.metaroce.wire;

/**
 * Follows the stream header of a READ_RSP.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class ReadRspExt {
    /** Bytes. */
    public static final int LENGTH = 4;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 36;

    private ReadRspExt() {}

    /** Bytes that the request asked for. */
    public static long messageLength(long addr) {
        return Mem.getUnsignedIntBe(addr);
    }

    /** Sets: bytes that the request asked for. */
    public static void messageLength(long addr, long value) {
        Mem.putIntBe(addr, (int) value);
    }
}
