package io.metaroce.wire;

/** Why a connection was closed. */
public final class CloseReason {
    /** The process ends or has no use for it. */
    public static final int DONE = 0;

    /** Nothing was sent for long. */
    public static final int IDLE = 1;

    /** The peer broke a rule of the protocol. */
    public static final int PROTOCOL_ERROR = 2;

    private CloseReason() {}

    /** The name of a value, for traces; {@code UNKNOWN} for any other. */
    public static String name(int value) {
        return switch (value) {
            case DONE -> "DONE";
            case IDLE -> "IDLE";
            case PROTOCOL_ERROR -> "PROTOCOL_ERROR";
            default -> "UNKNOWN";
        };
    }
}
