package io.metaroce.wire;

/** Why a request failed at the responder (IBTA 9.7.5.2.4 names the first three). */
public final class Syndrome {
    /** Remote invalid request error. */
    public static final int REM_INV_REQ = 1;

    /** Remote access error. */
    public static final int REM_ACCESS = 2;

    /** Remote operational error. */
    public static final int REM_OP = 3;

    /** The message is longer than the receive it consumes. */
    public static final int LENGTH = 4;

    private Syndrome() {}

    /** The name of a value, for traces; {@code UNKNOWN} for any other. */
    public static String name(int value) {
        return switch (value) {
            case REM_INV_REQ -> "REM_INV_REQ";
            case REM_ACCESS -> "REM_ACCESS";
            case REM_OP -> "REM_OP";
            case LENGTH -> "LENGTH";
            default -> "UNKNOWN";
        };
    }
}
