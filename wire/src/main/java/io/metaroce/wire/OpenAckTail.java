package io.metaroce.wire;

/**
 * Follows the handshake body of an OPEN_ACK.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class OpenAckTail {
    /** Bytes. */
    public static final int LENGTH = 40;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 244;

    /** Where the field starts: proof of the pre-shared key; zero without one. */
    public static final int PROOF_OFFSET = 24;

    /** Bytes of that field. */
    public static final int PROOF_LENGTH = 16;

    private OpenAckTail() {}

    /** Boot nonce of the OPEN. */
    public static long echoNonce(long addr) {
        return Mem.getLongBe(addr);
    }

    /** Sets: boot nonce of the OPEN. */
    public static void echoNonce(long addr, long value) {
        Mem.putLongBe(addr, value);
    }

    /** Bytes 0..7 of the key of the packet tags, as a number in network order. */
    public static long keyHigh(long addr) {
        return Mem.getLongBe(addr + 8);
    }

    /** Sets: bytes 0..7 of the key of the packet tags, as a number in network order. */
    public static void keyHigh(long addr, long value) {
        Mem.putLongBe(addr + 8, value);
    }

    /** Bytes 8..15 of the key. */
    public static long keyLow(long addr) {
        return Mem.getLongBe(addr + 16);
    }

    /** Sets: bytes 8..15 of the key. */
    public static void keyLow(long addr, long value) {
        Mem.putLongBe(addr + 16, value);
    }
}
