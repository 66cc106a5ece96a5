package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_qp_attr}: {@code struct ibv_qp_attr}, flat.
 */
public final class QpAttr {
    public static final int QP_STATE = 0;
    public static final int CUR_QP_STATE = 4;
    public static final int PATH_MTU = 8;
    public static final int PATH_MIG_STATE = 12;
    public static final int QKEY = 16;
    public static final int RQ_PSN = 20;
    public static final int SQ_PSN = 24;
    public static final int DEST_QP_NUM = 28;
    public static final int QP_ACCESS_FLAGS = 32;
    public static final int PKEY_INDEX = 36;
    public static final int ALT_PKEY_INDEX = 40;
    public static final int EN_SQD_ASYNC_NOTIFY = 44;
    public static final int SQ_DRAINING = 48;
    public static final int MAX_RD_ATOMIC = 52;
    public static final int MAX_DEST_RD_ATOMIC = 56;
    public static final int MIN_RNR_TIMER = 60;
    public static final int PORT_NUM = 64;
    public static final int TIMEOUT = 68;
    public static final int RETRY_CNT = 72;
    public static final int RNR_RETRY = 76;
    public static final int ALT_PORT_NUM = 80;
    public static final int ALT_TIMEOUT = 84;
    public static final int RATE_LIMIT = 88;
    public static final int CAP_SEND_WR = 92;
    public static final int CAP_RECV_WR = 96;
    public static final int CAP_SEND_SGE = 100;
    public static final int CAP_RECV_SGE = 104;
    public static final int CAP_INLINE = 108;
    public static final int AH_FLOW_LABEL = 112;
    public static final int AH_SGID_INDEX = 116;
    public static final int AH_HOP_LIMIT = 120;
    public static final int AH_TRAFFIC_CLASS = 124;
    public static final int AH_DLID = 128;
    public static final int AH_SL = 132;
    public static final int AH_SRC_PATH_BITS = 136;
    public static final int AH_STATIC_RATE = 140;
    public static final int AH_IS_GLOBAL = 144;
    public static final int AH_PORT_NUM = 148;
    public static final int AH_DGID = 152;
    public static final int SIZE = 168;

    private QpAttr() {}

    public static int qpState(long attr) {
        return Mem.getInt(attr + QP_STATE);
    }

    public static void qpState(long attr, int value) {
        Mem.putInt(attr + QP_STATE, value);
    }

    public static int curQpState(long attr) {
        return Mem.getInt(attr + CUR_QP_STATE);
    }

    public static void curQpState(long attr, int value) {
        Mem.putInt(attr + CUR_QP_STATE, value);
    }

    public static int pathMtu(long attr) {
        return Mem.getInt(attr + PATH_MTU);
    }

    public static void pathMtu(long attr, int value) {
        Mem.putInt(attr + PATH_MTU, value);
    }

    public static int pathMigState(long attr) {
        return Mem.getInt(attr + PATH_MIG_STATE);
    }

    public static void pathMigState(long attr, int value) {
        Mem.putInt(attr + PATH_MIG_STATE, value);
    }

    public static int qkey(long attr) {
        return Mem.getInt(attr + QKEY);
    }

    public static void qkey(long attr, int value) {
        Mem.putInt(attr + QKEY, value);
    }

    public static int rqPsn(long attr) {
        return Mem.getInt(attr + RQ_PSN);
    }

    public static void rqPsn(long attr, int value) {
        Mem.putInt(attr + RQ_PSN, value);
    }

    public static int sqPsn(long attr) {
        return Mem.getInt(attr + SQ_PSN);
    }

    public static void sqPsn(long attr, int value) {
        Mem.putInt(attr + SQ_PSN, value);
    }

    public static int destQpNum(long attr) {
        return Mem.getInt(attr + DEST_QP_NUM);
    }

    public static void destQpNum(long attr, int value) {
        Mem.putInt(attr + DEST_QP_NUM, value);
    }

    public static int qpAccessFlags(long attr) {
        return Mem.getInt(attr + QP_ACCESS_FLAGS);
    }

    public static void qpAccessFlags(long attr, int value) {
        Mem.putInt(attr + QP_ACCESS_FLAGS, value);
    }

    public static int pkeyIndex(long attr) {
        return Mem.getInt(attr + PKEY_INDEX);
    }

    public static void pkeyIndex(long attr, int value) {
        Mem.putInt(attr + PKEY_INDEX, value);
    }

    public static int altPkeyIndex(long attr) {
        return Mem.getInt(attr + ALT_PKEY_INDEX);
    }

    public static void altPkeyIndex(long attr, int value) {
        Mem.putInt(attr + ALT_PKEY_INDEX, value);
    }

    public static int enSqdAsyncNotify(long attr) {
        return Mem.getInt(attr + EN_SQD_ASYNC_NOTIFY);
    }

    public static void enSqdAsyncNotify(long attr, int value) {
        Mem.putInt(attr + EN_SQD_ASYNC_NOTIFY, value);
    }

    public static int sqDraining(long attr) {
        return Mem.getInt(attr + SQ_DRAINING);
    }

    public static void sqDraining(long attr, int value) {
        Mem.putInt(attr + SQ_DRAINING, value);
    }

    public static int maxRdAtomic(long attr) {
        return Mem.getInt(attr + MAX_RD_ATOMIC);
    }

    public static void maxRdAtomic(long attr, int value) {
        Mem.putInt(attr + MAX_RD_ATOMIC, value);
    }

    public static int maxDestRdAtomic(long attr) {
        return Mem.getInt(attr + MAX_DEST_RD_ATOMIC);
    }

    public static void maxDestRdAtomic(long attr, int value) {
        Mem.putInt(attr + MAX_DEST_RD_ATOMIC, value);
    }

    public static int minRnrTimer(long attr) {
        return Mem.getInt(attr + MIN_RNR_TIMER);
    }

    public static void minRnrTimer(long attr, int value) {
        Mem.putInt(attr + MIN_RNR_TIMER, value);
    }

    public static int portNum(long attr) {
        return Mem.getInt(attr + PORT_NUM);
    }

    public static void portNum(long attr, int value) {
        Mem.putInt(attr + PORT_NUM, value);
    }

    public static int timeout(long attr) {
        return Mem.getInt(attr + TIMEOUT);
    }

    public static void timeout(long attr, int value) {
        Mem.putInt(attr + TIMEOUT, value);
    }

    public static int retryCnt(long attr) {
        return Mem.getInt(attr + RETRY_CNT);
    }

    public static void retryCnt(long attr, int value) {
        Mem.putInt(attr + RETRY_CNT, value);
    }

    public static int rnrRetry(long attr) {
        return Mem.getInt(attr + RNR_RETRY);
    }

    public static void rnrRetry(long attr, int value) {
        Mem.putInt(attr + RNR_RETRY, value);
    }

    public static int altPortNum(long attr) {
        return Mem.getInt(attr + ALT_PORT_NUM);
    }

    public static void altPortNum(long attr, int value) {
        Mem.putInt(attr + ALT_PORT_NUM, value);
    }

    public static int altTimeout(long attr) {
        return Mem.getInt(attr + ALT_TIMEOUT);
    }

    public static void altTimeout(long attr, int value) {
        Mem.putInt(attr + ALT_TIMEOUT, value);
    }

    public static int rateLimit(long attr) {
        return Mem.getInt(attr + RATE_LIMIT);
    }

    public static void rateLimit(long attr, int value) {
        Mem.putInt(attr + RATE_LIMIT, value);
    }

    public static int capSendWr(long attr) {
        return Mem.getInt(attr + CAP_SEND_WR);
    }

    public static void capSendWr(long attr, int value) {
        Mem.putInt(attr + CAP_SEND_WR, value);
    }

    public static int capRecvWr(long attr) {
        return Mem.getInt(attr + CAP_RECV_WR);
    }

    public static void capRecvWr(long attr, int value) {
        Mem.putInt(attr + CAP_RECV_WR, value);
    }

    public static int capSendSge(long attr) {
        return Mem.getInt(attr + CAP_SEND_SGE);
    }

    public static void capSendSge(long attr, int value) {
        Mem.putInt(attr + CAP_SEND_SGE, value);
    }

    public static int capRecvSge(long attr) {
        return Mem.getInt(attr + CAP_RECV_SGE);
    }

    public static void capRecvSge(long attr, int value) {
        Mem.putInt(attr + CAP_RECV_SGE, value);
    }

    public static int capInline(long attr) {
        return Mem.getInt(attr + CAP_INLINE);
    }

    public static void capInline(long attr, int value) {
        Mem.putInt(attr + CAP_INLINE, value);
    }

    public static int ahFlowLabel(long attr) {
        return Mem.getInt(attr + AH_FLOW_LABEL);
    }

    public static void ahFlowLabel(long attr, int value) {
        Mem.putInt(attr + AH_FLOW_LABEL, value);
    }

    public static int ahSgidIndex(long attr) {
        return Mem.getInt(attr + AH_SGID_INDEX);
    }

    public static void ahSgidIndex(long attr, int value) {
        Mem.putInt(attr + AH_SGID_INDEX, value);
    }

    public static int ahHopLimit(long attr) {
        return Mem.getInt(attr + AH_HOP_LIMIT);
    }

    public static void ahHopLimit(long attr, int value) {
        Mem.putInt(attr + AH_HOP_LIMIT, value);
    }

    public static int ahTrafficClass(long attr) {
        return Mem.getInt(attr + AH_TRAFFIC_CLASS);
    }

    public static void ahTrafficClass(long attr, int value) {
        Mem.putInt(attr + AH_TRAFFIC_CLASS, value);
    }

    public static int ahDlid(long attr) {
        return Mem.getInt(attr + AH_DLID);
    }

    public static void ahDlid(long attr, int value) {
        Mem.putInt(attr + AH_DLID, value);
    }

    public static int ahSl(long attr) {
        return Mem.getInt(attr + AH_SL);
    }

    public static void ahSl(long attr, int value) {
        Mem.putInt(attr + AH_SL, value);
    }

    public static int ahSrcPathBits(long attr) {
        return Mem.getInt(attr + AH_SRC_PATH_BITS);
    }

    public static void ahSrcPathBits(long attr, int value) {
        Mem.putInt(attr + AH_SRC_PATH_BITS, value);
    }

    public static int ahStaticRate(long attr) {
        return Mem.getInt(attr + AH_STATIC_RATE);
    }

    public static void ahStaticRate(long attr, int value) {
        Mem.putInt(attr + AH_STATIC_RATE, value);
    }

    public static int ahIsGlobal(long attr) {
        return Mem.getInt(attr + AH_IS_GLOBAL);
    }

    public static void ahIsGlobal(long attr, int value) {
        Mem.putInt(attr + AH_IS_GLOBAL, value);
    }

    public static int ahPortNum(long attr) {
        return Mem.getInt(attr + AH_PORT_NUM);
    }

    public static void ahPortNum(long attr, int value) {
        Mem.putInt(attr + AH_PORT_NUM, value);
    }

    /** The first half of the remote GID, in network order in memory. */
    public static long ahDgidHi(long attr) {
        return Mem.getLongBe(attr + AH_DGID);
    }

    public static long ahDgidLo(long attr) {
        return Mem.getLongBe(attr + AH_DGID + 8);
    }

    public static void ahDgid(long attr, long hi, long lo) {
        Mem.putLongBe(attr + AH_DGID, hi);
        Mem.putLongBe(attr + AH_DGID + 8, lo);
    }
}
