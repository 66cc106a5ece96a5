package io.metaroce.verbs;

/** {@code enum ibv_wc_opcode}: what a work request was; valid only if it succeeded. */
public enum WorkOpcode {
    SEND(0),
    RDMA_WRITE(1),
    RDMA_READ(2),
    COMP_SWAP(3),
    FETCH_ADD(4),
    /** A receive took a SEND. */
    RECV(128),
    /** A receive was consumed by an RDMA WRITE with immediate. */
    RECV_RDMA_WITH_IMM(129);

    private final int value;

    WorkOpcode(int value) {
        this.value = value;
    }

    /** The number in verbs.h. */
    public int value() {
        return value;
    }

    /** @throws IllegalArgumentException for a number that is none of these */
    public static WorkOpcode of(int value) {
        return switch (value) {
            case 0 -> SEND;
            case 1 -> RDMA_WRITE;
            case 2 -> RDMA_READ;
            case 3 -> COMP_SWAP;
            case 4 -> FETCH_ADD;
            case 128 -> RECV;
            case 129 -> RECV_RDMA_WITH_IMM;
            default -> throw new IllegalArgumentException("no opcode has the number " + value);
        };
    }
}
