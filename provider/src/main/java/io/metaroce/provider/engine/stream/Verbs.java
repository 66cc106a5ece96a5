package io.metaroce.provider.engine.stream;

/** The numbers of verbs.h that the stream layer speaks. */
final class Verbs {
    // enum ibv_qp_state
    static final int RESET = 0;
    static final int INIT = 1;
    static final int RTR = 2;
    static final int RTS = 3;
    static final int SQD = 4;
    static final int ERR = 6;

    // enum ibv_qp_attr_mask
    static final int MASK_STATE = 1;
    static final int MASK_SQD_NOTIFY = 1 << 2;
    static final int MASK_ACCESS = 1 << 3;
    static final int MASK_AV = 1 << 7;
    static final int MASK_PATH_MTU = 1 << 8;
    static final int MASK_TIMEOUT = 1 << 9;
    static final int MASK_RETRY_CNT = 1 << 10;
    static final int MASK_RNR_RETRY = 1 << 11;
    static final int MASK_RQ_PSN = 1 << 12;
    static final int MASK_MAX_RD_ATOMIC = 1 << 13;
    static final int MASK_MIN_RNR_TIMER = 1 << 15;
    static final int MASK_SQ_PSN = 1 << 16;
    static final int MASK_MAX_DEST_RD_ATOMIC = 1 << 17;
    static final int MASK_DEST_QPN = 1 << 20;

    // enum ibv_wr_opcode
    static final int WR_WRITE = 0;
    static final int WR_WRITE_IMM = 1;
    static final int WR_SEND = 2;
    static final int WR_SEND_IMM = 3;
    static final int WR_READ = 4;
    static final int WR_CMP_SWP = 5;
    static final int WR_FETCH_ADD = 6;

    // enum ibv_wc_status
    static final int SUCCESS = 0;
    static final int LOC_LEN_ERR = 1;
    static final int LOC_QP_OP_ERR = 2;
    static final int LOC_PROT_ERR = 4;
    static final int FLUSH_ERR = 5;
    static final int REM_INV_REQ_ERR = 9;
    static final int REM_ACCESS_ERR = 10;
    static final int REM_OP_ERR = 11;
    static final int RETRY_EXC_ERR = 12;
    static final int RNR_RETRY_EXC_ERR = 13;

    // enum ibv_wc_opcode
    static final int WC_SEND = 0;
    static final int WC_RDMA_WRITE = 1;
    static final int WC_RDMA_READ = 2;
    static final int WC_COMP_SWAP = 3;
    static final int WC_FETCH_ADD = 4;
    static final int WC_RECV = 128;
    static final int WC_RECV_WITH_IMM = 129;

    // enum ibv_wc_flags
    static final int WC_WITH_IMM = 2;

    // enum ibv_access_flags
    static final int LOCAL_WRITE = 1;
    static final int REMOTE_WRITE = 2;
    static final int REMOTE_READ = 4;
    static final int REMOTE_ATOMIC = 8;

    // enum ibv_event_type
    static final int EVENT_QP_FATAL = 1;
    static final int EVENT_QP_REQ_ERR = 2;
    static final int EVENT_QP_ACCESS_ERR = 3;
    static final int EVENT_COMM_EST = 4;
    static final int EVENT_SQ_DRAINED = 5;

    private Verbs() {}

    /** {@code enum ibv_wc_opcode} of an {@code enum ibv_wr_opcode}. */
    static int completionOf(int wrOpcode) {
        return switch (wrOpcode) {
            case WR_WRITE, WR_WRITE_IMM -> WC_RDMA_WRITE;
            case WR_READ -> WC_RDMA_READ;
            case WR_CMP_SWP -> WC_COMP_SWAP;
            case WR_FETCH_ADD -> WC_FETCH_ADD;
            default -> WC_SEND;
        };
    }

    /** READ and the atomics: what is answered by data. */
    static boolean answered(int wrOpcode) {
        return wrOpcode >= WR_READ && wrOpcode <= WR_FETCH_ADD;
    }

    /** What takes a receive at the responder. */
    static boolean consumes(int wrOpcode) {
        return wrOpcode >= WR_WRITE_IMM && wrOpcode <= WR_SEND_IMM;
    }
}
