package io.metaroce.wire;

/**
 * Follows the handshake body of an OPEN.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class OpenTail {
    /** Bytes. */
    public static final int LENGTH = 48;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 244;

    /** Where the field starts: cookie of the INIT_ACK. */
    public static final int COOKIE_OFFSET = 0;

    /** Bytes of that field. */
    public static final int COOKIE_LENGTH = 32;

    /** Where the field starts: proof of the pre-shared key; zero without one. */
    public static final int PROOF_OFFSET = 32;

    /** Bytes of that field. */
    public static final int PROOF_LENGTH = 16;

    private OpenTail() {}
}
