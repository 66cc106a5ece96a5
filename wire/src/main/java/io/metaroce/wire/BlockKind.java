package io.metaroce.wire;

/** What a stream block says. */
public final class BlockKind {
    /** Progress. */
    public static final int ACK = 0;

    /** A message found no receive. */
    public static final int RNR = 1;

    /** The message cumMsn failed. */
    public static final int ERROR = 2;

    /** The QP is unknown, of another generation, or not receiving. */
    public static final int GONE = 3;

    private BlockKind() {}

    /** The name of a value, for traces; {@code UNKNOWN} for any other. */
    public static String name(int value) {
        return switch (value) {
            case ACK -> "ACK";
            case RNR -> "RNR";
            case ERROR -> "ERROR";
            case GONE -> "GONE";
            default -> "UNKNOWN";
        };
    }
}
