package io.metaroce.provider.engine;

import io.metaroce.provider.port.QpAttributes;

/**
 * What the device asks of the engine for one QP; implemented by the stream layer. Every rule of ibv_modify_qp has been checked by the device before; the engine
 * keeps the state, because errors move it too. States are {@code enum ibv_qp_state}: RESET 0, INIT 1, RTR 2, RTS 3, SQD 4, SQE 5, ERR 6.
 */
public interface QpControl {
    /**
     * A new QP in RESET.
     *
     * @param qp index, 2..16383; its QPN is slot &lt;&lt; 14 | index
     * @param sqRing address of the send ring (mroce_abi.h), its entries and stride are in its header
     * @param rqRing address of the receive ring
     */
    void create(int qp, int qpType, int pd, int sendCq, int recvCq, long sqRing, long rqRing);

    /** Moves to {@code newState} (or stays, when equal) with the attributes named in {@code mask} ({@code enum ibv_qp_attr_mask}). */
    void modify(int qp, int newState, int mask, QpAttributes attributes, long nowNs);

    int state(int qp);

    /** SQD only: 1 while work posted before is still unfinished. */
    boolean draining(int qp);

    /** The attributes in force. */
    void query(int qp, QpAttributes out);

    /** The QP ceases: no CQE of it is written after this call; the last stream blocks go out as FINAL, a tombstone answers for at most 20 ms. */
    void destroy(int qp, long nowNs);

    /** The doorbell bit of this QP was set: new work in the SQ, or a receive posted that a peer waits for. */
    void doorbell(int qp, long nowNs);

    /** A CQ overflowed: QPs that use it go to ERR. */
    void cqFailed(int cq, long nowNs);
}
