package io.metaroce.wire;

/** Why a packet was refused. */
public final class ResetReason {
    /** The connection id names no connection. */
    public static final int UNKNOWN_CONNECTION = 0;

    /** The version is not spoken; the reset lists those that are. */
    public static final int VERSION = 1;

    /** The cookie or the pre-shared key is wrong. */
    public static final int REFUSED = 2;

    private ResetReason() {}

    /** The name of a value, for traces; {@code UNKNOWN} for any other. */
    public static String name(int value) {
        return switch (value) {
            case UNKNOWN_CONNECTION -> "UNKNOWN_CONNECTION";
            case VERSION -> "VERSION";
            case REFUSED -> "REFUSED";
            default -> "UNKNOWN";
        };
    }
}
