package io.metaroce.provider.port;

/**
 * The attributes of a QP that the engine needs, as plain numbers of verbs.h (struct ibv_qp_attr). Filled by the device after every rule of ibv_modify_qp was
 * checked; read by the engine at each transition.
 */
public final class QpAttributes {
    /** Remote GID. */
    public long remoteHi;

    public long remoteLo;
    /** Index into the GID table: even MetaRoCE, odd RoCEv2. */
    public int sgidIndex;

    public int destQpn;
    /** {@code enum ibv_mtu} number; MetaRoCE segments do not depend on it, it is only reported. */
    public int pathMtu;

    public int rqPsn;
    public int sqPsn;
    /** {@code enum ibv_access_flags} that the remote side may use on this QP. */
    public int accessFlags;

    public int maxRdAtomic;
    public int maxDestRdAtomic;
    /** RNR NAK timer code 0..31 (IBTA table 45). */
    public int minRnrTimer;
    /** Local ACK timeout code 0..31; 0 never. */
    public int timeout;

    public int retryCnt;
    /** 7 is for ever. */
    public int rnrRetry;
    /** With IBV_QP_EN_SQD_ASYNC_NOTIFY and the move to SQD: whether SQ_DRAINED is raised. */
    public boolean enSqdAsyncNotify;
}
