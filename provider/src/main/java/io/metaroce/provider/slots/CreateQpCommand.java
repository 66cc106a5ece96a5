package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_cmd_create_qp}: CREATE_QP.
 */
public final class CreateQpCommand {
    public static final int PD = 0;
    public static final int QP_TYPE = 4;
    public static final int SEND_CQ = 8;
    public static final int RECV_CQ = 12;
    public static final int SRQ = 16;
    public static final int SQ_SIG_ALL = 20;
    public static final int MAX_SEND_SGE = 24;
    public static final int MAX_RECV_SGE = 28;
    public static final int MAX_INLINE = 32;
    public static final int SQ_RING = 40;
    public static final int RQ_RING = 48;
    public static final int COOKIE = 56;
    public static final int SQ_COOKIE = 64;
    public static final int QP = 72;
    public static final int QPN = 76;
    public static final int SIZE = 80;

    private CreateQpCommand() {}

    public static int pd(long record) {
        return Mem.getInt(record + PD);
    }

    public static void pd(long record, int value) {
        Mem.putInt(record + PD, value);
    }

    /** {@code enum ibv_qp_type}. */
    public static int qpType(long record) {
        return Mem.getInt(record + QP_TYPE);
    }

    public static void qpType(long record, int value) {
        Mem.putInt(record + QP_TYPE, value);
    }

    public static int sendCq(long record) {
        return Mem.getInt(record + SEND_CQ);
    }

    public static void sendCq(long record, int value) {
        Mem.putInt(record + SEND_CQ, value);
    }

    public static int recvCq(long record) {
        return Mem.getInt(record + RECV_CQ);
    }

    public static void recvCq(long record, int value) {
        Mem.putInt(record + RECV_CQ, value);
    }

    public static int srq(long record) {
        return Mem.getInt(record + SRQ);
    }

    public static void srq(long record, int value) {
        Mem.putInt(record + SRQ, value);
    }

    public static int sqSigAll(long record) {
        return Mem.getInt(record + SQ_SIG_ALL);
    }

    public static void sqSigAll(long record, int value) {
        Mem.putInt(record + SQ_SIG_ALL, value);
    }

    public static int maxSendSge(long record) {
        return Mem.getInt(record + MAX_SEND_SGE);
    }

    public static void maxSendSge(long record, int value) {
        Mem.putInt(record + MAX_SEND_SGE, value);
    }

    public static int maxRecvSge(long record) {
        return Mem.getInt(record + MAX_RECV_SGE);
    }

    public static void maxRecvSge(long record, int value) {
        Mem.putInt(record + MAX_RECV_SGE, value);
    }

    public static int maxInline(long record) {
        return Mem.getInt(record + MAX_INLINE);
    }

    public static void maxInline(long record, int value) {
        Mem.putInt(record + MAX_INLINE, value);
    }

    public static long sqRing(long record) {
        return Mem.getLong(record + SQ_RING);
    }

    public static void sqRing(long record, long value) {
        Mem.putLong(record + SQ_RING, value);
    }

    public static long rqRing(long record) {
        return Mem.getLong(record + RQ_RING);
    }

    public static void rqRing(long record, long value) {
        Mem.putLong(record + RQ_RING, value);
    }

    public static long cookie(long record) {
        return Mem.getLong(record + COOKIE);
    }

    public static void cookie(long record, long value) {
        Mem.putLong(record + COOKIE, value);
    }

    public static long sqCookie(long record) {
        return Mem.getLong(record + SQ_COOKIE);
    }

    public static void sqCookie(long record, long value) {
        Mem.putLong(record + SQ_COOKIE, value);
    }

    /** Out. */
    public static int qp(long record) {
        return Mem.getInt(record + QP);
    }

    public static void qp(long record, int value) {
        Mem.putInt(record + QP, value);
    }

    /** Out. */
    public static int qpn(long record) {
        return Mem.getInt(record + QPN);
    }

    public static void qpn(long record, int value) {
        Mem.putInt(record + QPN, value);
    }
}
