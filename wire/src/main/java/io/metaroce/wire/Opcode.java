package io.metaroce.wire;

/** Operations of a DATA packet. */
public final class Opcode {
    /** RDMA Write, with or without immediate. */
    public static final int WRITE = 0;

    /** Send. */
    public static final int SEND = 1;

    /** RDMA Read request. */
    public static final int READ_REQ = 2;

    /** Data of an RDMA Read. */
    public static final int READ_RSP = 3;

    /** Atomic request. */
    public static final int ATOMIC_REQ = 4;

    /** Result of an atomic. */
    public static final int ATOMIC_RSP = 5;

    /** Reserved; version 1 drops it. */
    public static final int FLUSH = 6;

    private Opcode() {}

    /** The name of a value, for traces; {@code UNKNOWN} for any other. */
    public static String name(int value) {
        return switch (value) {
            case WRITE -> "WRITE";
            case SEND -> "SEND";
            case READ_REQ -> "READ_REQ";
            case READ_RSP -> "READ_RSP";
            case ATOMIC_REQ -> "ATOMIC_REQ";
            case ATOMIC_RSP -> "ATOMIC_RSP";
            case FLUSH -> "FLUSH";
            default -> "UNKNOWN";
        };
    }
}
