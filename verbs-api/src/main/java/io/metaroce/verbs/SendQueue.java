package io.metaroce.verbs;

import java.nio.ByteBuffer;

/**
 * The send queue of a queue pair: fills work requests in place, without an object.
 *
 * <pre>{@code
 * qp.sends().begin(7, SendFlags.SIGNALED).write(rkey, remoteAddress).sge(region, 0, 4096).commit();
 * }</pre>
 *
 * {@link #begin}, one operation, its data, then {@link #commit}, or {@link #more} to post several with one call at the end. One thread at a time. What is refused throws
 * at once, and the work request begun is forgotten; those finished by {@link #more} stay.
 */
public interface SendQueue {
    /**
     * Begins a work request; without an operation it is a SEND.
     *
     * @param wrId comes back in its completion
     * @param flags see {@link SendFlags}
     * @throws VerbsException ENOMEM when the queue is full; EINVAL before RTR is over, or for a flag that is none
     */
    SendQueue begin(long wrId, int flags);

    /** SEND with immediate. */
    SendQueue immediate(int immediate);

    /** RDMA WRITE to the peer's memory. */
    SendQueue write(int rkey, long remoteAddress);

    /** RDMA WRITE that also consumes a receive of the peer and gives it the immediate. */
    SendQueue writeWithImmediate(int rkey, long remoteAddress, int immediate);

    /** RDMA READ from the peer's memory into the scatter/gather entries. */
    SendQueue read(int rkey, long remoteAddress);

    /**
     * Compares 8 bytes at the peer with {@code compare} and exchanges them for {@code swap} if equal; the old value goes to the one entry of 8 bytes.
     *
     * @throws VerbsException EINVAL unless the address is a multiple of 8
     */
    SendQueue compareAndSwap(int rkey, long remoteAddress, long compare, long swap);

    /** Adds to 8 bytes at the peer; otherwise as {@link #compareAndSwap}. */
    SendQueue fetchAndAdd(int rkey, long remoteAddress, long add);

    /**
     * Adds bytes of a region.
     *
     * @param offset from the region's first byte; a range outside the region fails at completion, as in C
     * @throws VerbsException EINVAL when there are too many
     */
    default SendQueue sge(MemoryRegion region, long offset, int bytes) {
        return sge(region.address() + offset, bytes, region.lkey());
    }

    /** Adds bytes by address and key; {@code bytes} is unsigned. */
    SendQueue sge(long address, int bytes, int lkey);

    /**
     * Takes the bytes between position and limit now, so that the buffer is free at once; any kind of buffer, no region. May not be mixed with {@link #sge}.
     *
     * @throws VerbsException EINVAL when they are more than the queue pair's inline bytes, or for an operation that sends none
     */
    SendQueue inline(ByteBuffer data);

    /**
     * Ends this work request without posting it yet; {@link #begin} comes next.
     *
     * @throws VerbsException EINVAL for an atomic without exactly 8 bytes
     */
    SendQueue more();

    /** Ends this work request and posts it with all that {@link #more} ended (ibv_post_send). */
    void commit();

    /** Work requests that can be begun now. */
    int room();
}
