package io.metaroce.wire;

/** Kinds of STREAM_CTL. */
public final class CtlKind {
    /** Offers a stream. */
    public static final int BIND = 1;

    /** Accepts an offer. */
    public static final int BIND_ACK = 2;

    /** Asks for a stream block. */
    public static final int QUERY = 3;

    /** The last blocks of streams that go away. */
    public static final int FINAL = 4;

    private CtlKind() {}

    /** The name of a value, for traces; {@code UNKNOWN} for any other. */
    public static String name(int value) {
        return switch (value) {
            case BIND -> "BIND";
            case BIND_ACK -> "BIND_ACK";
            case QUERY -> "QUERY";
            case FINAL -> "FINAL";
            default -> "UNKNOWN";
        };
    }
}
