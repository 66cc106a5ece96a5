package io.metaroce.verbs;

/** {@code enum ibv_event_type}. */
public enum AsyncEventType {
    /** A completion queue overflowed; its queue pairs are in ERR. */
    CQ_ERR(0),
    QP_FATAL(1),
    QP_REQ_ERR(2),
    QP_ACCESS_ERR(3),
    /** A message came before the program moved the queue pair to RTS. */
    COMM_EST(4),
    SQ_DRAINED(5),
    PATH_MIG(6),
    PATH_MIG_ERR(7),
    /** The device can go on no longer. */
    DEVICE_FATAL(8),
    PORT_ACTIVE(9),
    PORT_ERR(10),
    LID_CHANGE(11),
    PKEY_CHANGE(12),
    SM_CHANGE(13),
    SRQ_ERR(14),
    SRQ_LIMIT_REACHED(15),
    QP_LAST_WQE_REACHED(16),
    CLIENT_REREGISTER(17),
    GID_CHANGE(18);

    private static final AsyncEventType[] ALL = values();

    private final int value;

    AsyncEventType(int value) {
        this.value = value;
    }

    /** The number in verbs.h. */
    public int value() {
        return value;
    }

    /** @throws IllegalArgumentException for a number that is none */
    public static AsyncEventType of(int value) {
        if (value < 0 || value >= ALL.length) {
            throw new IllegalArgumentException("no event has the number " + value);
        }
        return ALL[value];
    }
}
