package io.metaroce.conformance.scenario;

/** What a program does with a pair of QPs, one at each of two hosts. */
interface Work {
    /** Index of its QP at one of the two hosts. */
    int qp(FlowHost side);

    /** A CQE of its QP at {@code side}; {@code status} as ibv_wc_status. No control call may be made here. */
    void completed(FlowHost side, long wrId, int status, long nowNs);

    /** After completions, outside of the engine. */
    void refill(long nowNs);
}
