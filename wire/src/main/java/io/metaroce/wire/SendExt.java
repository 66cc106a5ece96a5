package io.metaroce.wire;

/**
 * The receive that a SEND consumes, in every packet of it.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class SendExt {
    /** Bytes. */
    public static final int LENGTH = 8;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 36;

    private SendExt() {}

    /** Index of the receive among all that this stream consumes. */
    public static int rqIndex(long addr) {
        return Mem.getIntBe(addr);
    }

    /** Sets: index of the receive among all that this stream consumes. */
    public static void rqIndex(long addr, int value) {
        Mem.putIntBe(addr, value);
    }

    /** Message length in bytes. */
    public static long messageLength(long addr) {
        return Mem.getUnsignedIntBe(addr + 4);
    }

    /** Sets: message length in bytes. */
    public static void messageLength(long addr, long value) {
        Mem.putIntBe(addr + 4, (int) value);
    }

    /** Writes all fields. */
    public static void put(long addr, int rqIndex, long messageLength) {
        rqIndex(addr, rqIndex);
        messageLength(addr, messageLength);
    }
}
