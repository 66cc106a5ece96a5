package io.metaroce.wire;

/** Packet types: the low four bits of the first byte. */
public final class FrameType {
    /** Segments of a message. */
    public static final int DATA = 0;

    /** Acknowledgement of a path, with stream blocks. */
    public static final int ACK = 1;

    /** Asks for an ACK; padded, it probes the MTU. */
    public static final int PROBE = 2;

    /** Fills a PSN whose data is gone or went elsewhere. */
    public static final int VOID = 3;

    /** Binds, queries and final blocks of streams. */
    public static final int STREAM_CTL = 4;

    /** News of planes and paths. */
    public static final int PATH_CTL = 5;

    /** Unreliable datagram (UD). */
    public static final int DATAGRAM = 6;

    /** First packet of a handshake. */
    public static final int INIT = 8;

    /** Stateless answer with a cookie. */
    public static final int INIT_ACK = 9;

    /** Opens a connection with the cookie. */
    public static final int OPEN = 10;

    /** The connection is open. */
    public static final int OPEN_ACK = 11;

    /** The connection ends. */
    public static final int CLOSE = 12;

    /** A packet named a connection that is unknown. */
    public static final int RESET = 13;

    private FrameType() {}

    /** The name of a value, for traces; {@code UNKNOWN} for any other. */
    public static String name(int value) {
        return switch (value) {
            case DATA -> "DATA";
            case ACK -> "ACK";
            case PROBE -> "PROBE";
            case VOID -> "VOID";
            case STREAM_CTL -> "STREAM_CTL";
            case PATH_CTL -> "PATH_CTL";
            case DATAGRAM -> "DATAGRAM";
            case INIT -> "INIT";
            case INIT_ACK -> "INIT_ACK";
            case OPEN -> "OPEN";
            case OPEN_ACK -> "OPEN_ACK";
            case CLOSE -> "CLOSE";
            case RESET -> "RESET";
            default -> "UNKNOWN";
        };
    }
}
