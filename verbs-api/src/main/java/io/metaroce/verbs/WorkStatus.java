package io.metaroce.verbs;

/** {@code enum ibv_wc_status}: how a work request ended. */
public enum WorkStatus {
    SUCCESS(0),
    /** The message was longer than the receive. */
    LOC_LEN_ERR(1),
    LOC_QP_OP_ERR(2),
    LOC_EEC_OP_ERR(3),
    /** A local key, range or access was wrong. */
    LOC_PROT_ERR(4),
    /** The queue pair went to ERR before this one was done. */
    WR_FLUSH_ERR(5),
    MW_BIND_ERR(6),
    BAD_RESP_ERR(7),
    LOC_ACCESS_ERR(8),
    /** The peer could not make sense of the request. */
    REM_INV_REQ_ERR(9),
    /** A remote key, range or access was wrong. */
    REM_ACCESS_ERR(10),
    /** The peer failed while it carried out the request. */
    REM_OP_ERR(11),
    /** The peer was silent for too long. */
    RETRY_EXC_ERR(12),
    /** The peer had no receive for too long. */
    RNR_RETRY_EXC_ERR(13),
    LOC_RDD_VIOL_ERR(14),
    REM_INV_RD_REQ_ERR(15),
    REM_ABORT_ERR(16),
    INV_EECN_ERR(17),
    INV_EEC_STATE_ERR(18),
    FATAL_ERR(19),
    RESP_TIMEOUT_ERR(20),
    GENERAL_ERR(21);

    private static final WorkStatus[] ALL = values();

    private final int value;

    WorkStatus(int value) {
        this.value = value;
    }

    /** The number in verbs.h. */
    public int value() {
        return value;
    }

    /** {@link #GENERAL_ERR} for a number that is none. */
    public static WorkStatus of(int value) {
        return value >= 0 && value < ALL.length ? ALL[value] : GENERAL_ERR;
    }
}
