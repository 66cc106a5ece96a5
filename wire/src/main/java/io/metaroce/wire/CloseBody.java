package io.metaroce.wire;

/**
 * Ends a connection.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class CloseBody {
    /** Bytes. */
    public static final int LENGTH = 12;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 20;

    private CloseBody() {}

    /** One of {@link CloseReason}. */
    public static int reason(long addr) {
        return Mem.getUnsignedByte(addr);
    }

    /** Sets: one of {@link CloseReason}. */
    public static void reason(long addr, int value) {
        Mem.putByte(addr, value);
    }

    /** Boot nonce of the side that closes. */
    public static long bootNonce(long addr) {
        return Mem.getLongBe(addr + 4);
    }

    /** Sets: boot nonce of the side that closes. */
    public static void bootNonce(long addr, long value) {
        Mem.putLongBe(addr + 4, value);
    }
}
