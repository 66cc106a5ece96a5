package io.metaroce.wire;

/**
 * Says that a packet could not be used. Never trusted: the receiver opens anew to find out.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class ResetBody {
    /** Bytes. */
    public static final int LENGTH = 32;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 20;

    /** Where the field starts: common header of the refused packet, unchanged. */
    public static final int QUOTED_OFFSET = 12;

    /** Bytes of that field. */
    public static final int QUOTED_LENGTH = 20;

    private ResetBody() {}

    /** One of {@link ResetReason}. */
    public static int reason(long addr) {
        return Mem.getUnsignedByte(addr);
    }

    /** Sets: one of {@link ResetReason}. */
    public static void reason(long addr, int value) {
        Mem.putByte(addr, value);
    }

    /** Versions spoken: bit v (value 1 &lt;&lt; v) for version v. */
    public static int versions(long addr) {
        return Mem.getShortBe(addr + 2);
    }

    /** Sets: versions spoken: bit v (value 1 &lt;&lt; v) for version v. */
    public static void versions(long addr, int value) {
        Mem.putShortBe(addr + 2, value);
    }

    /** Boot nonce of the side that sends this. */
    public static long bootNonce(long addr) {
        return Mem.getLongBe(addr + 4);
    }

    /** Sets: boot nonce of the side that sends this. */
    public static void bootNonce(long addr, long value) {
        Mem.putLongBe(addr + 4, value);
    }
}
