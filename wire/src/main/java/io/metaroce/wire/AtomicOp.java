package io.metaroce.wire;

/** Atomic operations. */
public final class AtomicOp {
    /** Compare and swap. */
    public static final int CMP_AND_SWP = 0;

    /** Fetch and add. */
    public static final int FETCH_AND_ADD = 1;

    private AtomicOp() {}

    /** The name of a value, for traces; {@code UNKNOWN} for any other. */
    public static String name(int value) {
        return switch (value) {
            case CMP_AND_SWP -> "CMP_AND_SWP";
            case FETCH_AND_ADD -> "FETCH_AND_ADD";
            default -> "UNKNOWN";
        };
    }
}
