package io.metaroce.wire;

/** Kinds of PATH_CTL. */
public final class PathCtlKind {
    /** A plane is dead. */
    public static final int PLANE_DOWN = 1;

    /** A plane works again. */
    public static final int PLANE_UP = 2;

    /** Announces a path, or a new epoch of one. */
    public static final int PATH_NEW = 3;

    private PathCtlKind() {}

    /** The name of a value, for traces; {@code UNKNOWN} for any other. */
    public static String name(int value) {
        return switch (value) {
            case PLANE_DOWN -> "PLANE_DOWN";
            case PLANE_UP -> "PLANE_UP";
            case PATH_NEW -> "PATH_NEW";
            default -> "UNKNOWN";
        };
    }
}
