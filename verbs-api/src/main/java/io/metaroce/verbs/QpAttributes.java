package io.metaroce.verbs;

/**
 * Attributes of a queue pair ({@code struct ibv_qp_attr}). Each one set is also named in {@link #mask}, as {@link QueuePair#modify} needs it:
 * {@code new QpAttributes().state(QpState.RTS).timeout(14)...}.
 */
public final class QpAttributes {
    private int mask;
    private QpState state = QpState.RESET;
    private QpState currentState = QpState.RESET;
    private boolean drainedNotice;
    private int access;
    private int pkeyIndex;
    private int port;
    private Mtu pathMtu = Mtu.MTU_1024;
    private int timeout;
    private int retryCount;
    private int rnrRetry;
    private int receivePsn;
    private int maxReadAtomic;
    private int minRnrTimer;
    private int sendPsn;
    private int maxDestinationReadAtomic;
    private int remoteQpNumber;
    private Gid remoteGid = new Gid(0, 0);
    private int gidIndex;
    private int hopLimit = 64;
    private int trafficClass;
    private boolean sendQueueDraining;

    /** {@code enum ibv_qp_attr_mask} of what was set. */
    public int mask() {
        return mask;
    }

    /** The state to move to. */
    public QpAttributes state(QpState value) {
        state = value;
        mask |= 1 << 0;
        return this;
    }

    public QpState state() {
        return state;
    }

    /** The state it is believed to be in. */
    public QpAttributes currentState(QpState value) {
        currentState = value;
        mask |= 1 << 1;
        return this;
    }

    public QpState currentState() {
        return currentState;
    }

    /** Whether SQ_DRAINED is wanted when it moves to SQD. */
    public QpAttributes drainedNotice(boolean value) {
        drainedNotice = value;
        mask |= 1 << 2;
        return this;
    }

    public boolean drainedNotice() {
        return drainedNotice;
    }

    /** What the peer may do; see {@link AccessFlags}. */
    public QpAttributes access(int value) {
        access = value;
        mask |= 1 << 3;
        return this;
    }

    public int access() {
        return access;
    }

    /** Index of the partition key: 0. */
    public QpAttributes pkeyIndex(int value) {
        pkeyIndex = value;
        mask |= 1 << 4;
        return this;
    }

    public int pkeyIndex() {
        return pkeyIndex;
    }

    /** Number of the port: 1. */
    public QpAttributes port(int value) {
        port = value;
        mask |= 1 << 5;
        return this;
    }

    public int port() {
        return port;
    }

    /** At most the active MTU of the port. MetaRoCE cuts messages in its own way; the value is only kept. */
    public QpAttributes pathMtu(Mtu value) {
        pathMtu = value;
        mask |= 1 << 8;
        return this;
    }

    public Mtu pathMtu() {
        return pathMtu;
    }

    /** Local ACK time-out, 0 to 31: 4.096 us times two to this power; 0 waits for ever. */
    public QpAttributes timeout(int value) {
        timeout = value;
        mask |= 1 << 9;
        return this;
    }

    public int timeout() {
        return timeout;
    }

    /** 0 to 7: time-outs until RETRY_EXC_ERR. */
    public QpAttributes retryCount(int value) {
        retryCount = value;
        mask |= 1 << 10;
        return this;
    }

    public int retryCount() {
        return retryCount;
    }

    /** 0 to 7: how often a peer without a receive is asked again; 7 for ever. */
    public QpAttributes rnrRetry(int value) {
        rnrRetry = value;
        mask |= 1 << 11;
        return this;
    }

    public int rnrRetry() {
        return rnrRetry;
    }

    /** First PSN of the peer, 24 bits. Kept only. */
    public QpAttributes receivePsn(int value) {
        receivePsn = value;
        mask |= 1 << 12;
        return this;
    }

    public int receivePsn() {
        return receivePsn;
    }

    /** READs and atomics that may be outstanding here, 0 to 128. */
    public QpAttributes maxReadAtomic(int value) {
        maxReadAtomic = value;
        mask |= 1 << 13;
        return this;
    }

    public int maxReadAtomic() {
        return maxReadAtomic;
    }

    /** What a peer waits that found no receive, 0 to 31 (IBTA volume 1, table 45). */
    public QpAttributes minRnrTimer(int value) {
        minRnrTimer = value;
        mask |= 1 << 15;
        return this;
    }

    public int minRnrTimer() {
        return minRnrTimer;
    }

    /** First PSN of this side, 24 bits. Kept only. */
    public QpAttributes sendPsn(int value) {
        sendPsn = value;
        mask |= 1 << 16;
        return this;
    }

    public int sendPsn() {
        return sendPsn;
    }

    /** READs and atomics that the peer may have outstanding, 0 to 128. */
    public QpAttributes maxDestinationReadAtomic(int value) {
        maxDestinationReadAtomic = value;
        mask |= 1 << 17;
        return this;
    }

    public int maxDestinationReadAtomic() {
        return maxDestinationReadAtomic;
    }

    /** The peer's number, 24 bits. */
    public QpAttributes remoteQpNumber(int value) {
        remoteQpNumber = value;
        mask |= 1 << 20;
        return this;
    }

    public int remoteQpNumber() {
        return remoteQpNumber;
    }

    /**
     * The way to the peer: its GID, and the index of the own one, which must be even (MetaRoCE).
     */
    public QpAttributes address(Gid remote, int ownGidIndex) {
        remoteGid = remote;
        gidIndex = ownGidIndex;
        mask |= 1 << 7;
        return this;
    }

    public Gid remoteGid() {
        return remoteGid;
    }

    public int gidIndex() {
        return gidIndex;
    }

    /** Hop limit and traffic class of the address. */
    public QpAttributes hops(int limit, int trafficClassByte) {
        hopLimit = limit;
        trafficClass = trafficClassByte;
        return this;
    }

    public int hopLimit() {
        return hopLimit;
    }

    public int trafficClass() {
        return trafficClass;
    }

    /** Answered by a query in SQD: work begun earlier is still under way. */
    public boolean sendQueueDraining() {
        return sendQueueDraining;
    }

    /** Called by an implementation that answers a query. */
    public QpAttributes sendQueueDraining(boolean draining) {
        sendQueueDraining = draining;
        return this;
    }
}
