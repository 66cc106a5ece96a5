package io.metaroce.verbs;

/** A reliably connected (RC) queue pair. Its two queues are used by one thread each at a time; the rest is safe for use by many. */
public interface QueuePair extends AutoCloseable {
    ProtectionDomain protectionDomain();

    /** The 24-bit number by which the peer names it. */
    int qpNumber();

    /** What it holds, which may be more than was asked for. */
    QpCapacity capacity();

    /** Its state now; errors move it too. */
    QpState state();

    /** Its attributes now (ibv_query_qp). */
    QpAttributes query();

    /**
     * Changes state and attributes (ibv_modify_qp). The attributes that were set are those of the call.
     *
     * @throws VerbsException EINVAL for a transition that does not exist, a missing or superfluous attribute, a value out of range; ENODATA for a GID index past the end;
     *     EOPNOTSUPP for a GID that speaks RoCEv2
     */
    void modify(QpAttributes attributes);

    /**
     * Takes it from RESET to RTS with usual values: all remote access, 18 as time-out (1 s), 7 retries, RNR retries for ever, 16 READs and atomics outstanding, GID
     * index 0. Its receives can be posted as soon as it returned; both sides must call it.
     *
     * @param remote the peer's GID
     * @param remoteQpNumber the peer's {@link #qpNumber}
     */
    default void connect(Gid remote, int remoteQpNumber) {
        modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).access(AccessFlags.ALL));
        modify(new QpAttributes()
                .state(QpState.RTR)
                .address(remote, 0)
                .pathMtu(protectionDomain().context().port().activeMtu())
                .remoteQpNumber(remoteQpNumber)
                .receivePsn(0)
                .maxDestinationReadAtomic(16)
                .minRnrTimer(12));
        modify(new QpAttributes()
                .state(QpState.RTS)
                .timeout(18)
                .retryCount(7)
                .rnrRetry(7)
                .sendPsn(0)
                .maxReadAtomic(16));
    }

    /** Its send queue. */
    SendQueue sends();

    /** Its receive queue. */
    ReceiveQueue receives();

    /** Closes it (ibv_destroy_qp); work that is not complete gives no completion any more. */
    @Override
    void close();
}
