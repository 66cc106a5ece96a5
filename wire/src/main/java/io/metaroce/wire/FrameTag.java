package io.metaroce.wire;

/**
 * The 32-bit tag that ends a packet of {@link TrailerLevel#TAG}: the first four bytes of the SipHash-2-4 of all its
 * headers (common header and everything up to the payload). It stops a forger who cannot see the traffic.
 *
 * <p>The key is given as in {@link OpenAckTail}: two numbers in network order.
 */
public final class FrameTag {
    /** Bytes. */
    public static final int LENGTH = 4;

    private FrameTag() {}

    /** The tag of a packet's headers. */
    public static int compute(long frame, int headerLength, long keyHigh, long keyLow) {
        return (int) SipHash.hash(Long.reverseBytes(keyHigh), Long.reverseBytes(keyLow), frame, headerLength);
    }

    /** Writes a tag. */
    public static void put(long addr, int tag) {
        Mem.putIntBe(addr, Integer.reverseBytes(tag));
    }

    /** Reads a tag. */
    public static int get(long addr) {
        return Integer.reverseBytes(Mem.getIntBe(addr));
    }

    /** Tags a packet whose headers and payload are in one piece. */
    public static void seal(long frame, int headerLength, int payloadLength, long keyHigh, long keyLow) {
        put(frame + headerLength + payloadLength, compute(frame, headerLength, keyHigh, keyLow));
    }

    /** True if the packet that {@link FrameReader} accepted as {@code read} carries the right tag. */
    public static boolean matches(long frame, long read, long keyHigh, long keyLow) {
        int headerLength = FrameReader.headerLength(read);
        return FrameReader.level(read) == TrailerLevel.TAG
                && get(frame + headerLength + FrameReader.payloadLength(read))
                        == compute(frame, headerLength, keyHigh, keyLow);
    }
}
