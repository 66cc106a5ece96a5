package io.metaroce.wire;

/** Numbers of the protocol that belong to no single header. */
public final class MetaRoce {
    /** The version of the protocol in this package. */
    public static final int VERSION = 1;

    /** UDP port of slot 0. */
    public static final int PORT_BASE = 47810;

    /** Slots, and so UDP ports and processes, per IP address. */
    public static final int SLOTS = 1024;

    /** Segment size in bytes where packets of {@link #LARGE_PACKET_BYTES} pass on every plane. */
    public static final int LARGE_SEGMENT_BYTES = 1344;

    /** Segment size in bytes that fits an IP MTU of 1280. */
    public static final int SMALL_SEGMENT_BYTES = 1152;

    /** UDP payload in bytes of the longest headers, one large segment and the longest trailer; OPEN is padded to it. */
    public static final int LARGE_PACKET_BYTES = 1420;

    /** UDP payload in bytes that INIT is padded to, and the least that OPEN may have. */
    public static final int INIT_BYTES = 1200;

    /** Longest headers of a DATA packet in bytes, the common header included: an ATOMIC_REQ. */
    public static final int MAX_DATA_HEADER_BYTES = CommonHeader.LENGTH + StreamHeader.LENGTH + AtomicExt.LENGTH;

    /** Longest message in bytes (IBTA 9.7.1: 2^31). */
    public static final long MAX_MESSAGE_BYTES = 1L << 31;

    /** Segments a receiver accepts beyond the first missing one unless the bind says more. */
    public static final int DEFAULT_WINDOW_SEGMENTS = 4096;

    /** Most segments of a stream's window. */
    public static final int MAX_WINDOW_SEGMENTS = 32768;

    private MetaRoce() {}

    /** The UDP port of a slot. */
    public static int port(int slot) {
        return PORT_BASE + slot;
    }

    /** The slot of a UDP port, or -1 if the port is none of ours. */
    public static int slot(int port) {
        int slot = port - PORT_BASE;
        return slot >= 0 && slot < SLOTS ? slot : -1;
    }
}
