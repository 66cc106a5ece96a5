package io.metaroce.verbs;

/**
 * The receive queue of a queue pair; used as {@link SendQueue} is.
 *
 * <pre>{@code
 * qp.receives().begin(7).sge(region, 0, 4096).commit();
 * }</pre>
 */
public interface ReceiveQueue {
    /**
     * Begins a receive.
     *
     * @throws VerbsException ENOMEM when the queue is full; EINVAL in RESET
     */
    ReceiveQueue begin(long wrId);

    /** Adds room for bytes; see {@link SendQueue#sge(MemoryRegion, long, int)}. */
    default ReceiveQueue sge(MemoryRegion region, long offset, int bytes) {
        return sge(region.address() + offset, bytes, region.lkey());
    }

    /**
     * Adds room for bytes by address and key.
     *
     * @throws VerbsException EINVAL when there are too many
     */
    ReceiveQueue sge(long address, int bytes, int lkey);

    /** Ends this receive without posting it yet. */
    ReceiveQueue more();

    /** Ends this receive and posts it with all that {@link #more} ended (ibv_post_recv). */
    void commit();

    /** Receives that can be begun now. */
    int room();
}
