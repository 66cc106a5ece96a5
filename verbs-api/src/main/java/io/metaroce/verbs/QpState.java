package io.metaroce.verbs;

/** {@code enum ibv_qp_state}: the states of a queue pair (IBTA volume 1, 10.3.1). */
public enum QpState {
    /** Nothing can be posted. */
    RESET(0),
    /** Receives can be posted; nothing is sent or received. */
    INIT(1),
    /** Ready to receive: the peer is known. */
    RTR(2),
    /** Ready to send. */
    RTS(3),
    /** Send queue drained: what was begun is finished, what is posted waits. */
    SQD(4),
    /** Send queue error; never seen on an RC queue pair. */
    SQE(5),
    /** Everything posted is flushed. */
    ERR(6);

    private static final QpState[] ALL = values();

    private final int value;

    QpState(int value) {
        this.value = value;
    }

    /** The number in verbs.h. */
    public int value() {
        return value;
    }

    /** @throws IllegalArgumentException for a number that is none */
    public static QpState of(int value) {
        if (value < 0 || value >= ALL.length) {
            throw new IllegalArgumentException("no queue pair state has the number " + value);
        }
        return ALL[value];
    }
}
