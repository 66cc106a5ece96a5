package io.metaroce.wire;

/**
 * Stateless answer to an INIT.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class InitAckBody {
    /** Bytes. */
    public static final int LENGTH = 48;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 20;

    /** Where the field starts: opaque to the initiator, which repeats it in its OPEN. */
    public static final int COOKIE_OFFSET = 16;

    /** Bytes of that field. */
    public static final int COOKIE_LENGTH = 32;

    private InitAckBody() {}

    /** Versions spoken: bit v (value 1 &lt;&lt; v) for version v. */
    public static int versions(long addr) {
        return Mem.getShortBe(addr);
    }

    /** Sets: versions spoken: bit v (value 1 &lt;&lt; v) for version v. */
    public static void versions(long addr, int value) {
        Mem.putShortBe(addr, value);
    }

    /** A set of {@link Feature} bits. */
    public static int features(long addr) {
        return Mem.getIntBe(addr + 4);
    }

    /** Sets: a set of {@link Feature} bits. */
    public static void features(long addr, int value) {
        Mem.putIntBe(addr + 4, value);
    }

    /** Boot nonce of the INIT. */
    public static long echoNonce(long addr) {
        return Mem.getLongBe(addr + 8);
    }

    /** Sets: boot nonce of the INIT. */
    public static void echoNonce(long addr, long value) {
        Mem.putLongBe(addr + 8, value);
    }
}
