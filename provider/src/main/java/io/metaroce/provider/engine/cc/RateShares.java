package io.metaroce.provider.engine.cc;

import io.metaroce.wire.RateHint;

/**
 * The receiver's side (protocol section 13): divides what each local plane takes in among the peers that send to it, and says in every ACK what a peer's share is. One
 * object per engine. A sender is a small number (its connection's); rates are bits per second as the wire carries them.
 *
 * <p>A sender is active from its first byte until it says that nothing follows, or is silent for a hint's life. It may have what its demand is, at most the level; the
 * level is such that all shares add up to the plane's capacity (max-min fairness), and what no one demands is divided evenly. A sender that comes
 * new lowers the level at once.
 */
public final class RateShares {
    /** Part of the link, or of what the host takes in, that is given away. */
    static final double GIVEN_AWAY = 0.95;

    /** The same while most packets come marked over a full link: the queue before it drains. Much less would make a thousand senders swing. */
    static final double DRAINING = 0.93;

    /** Least time between two divisions. */
    static final long PERIOD_NS = 50_000;

    private final SharedPlane[] planes;
    private int fullBatches;

    /** @param planes local planes; none of them has a known speed yet */
    public RateShares(int planes) {
        this.planes = new SharedPlane[planes];
        for (int i = 0; i < planes; i++) {
            this.planes[i] = new SharedPlane();
        }
    }

    /** Speed of a plane's link; 0 unknown: then nobody is limited before the host is seen to fall behind. */
    public void link(int plane, long bitsPerSecond) {
        planes[plane].link(bitsPerSecond);
    }

    /** A batch of frames begins; a host that finds the batch full again and again is behind. */
    public void onBatch(boolean full) {
        fullBatches = full ? fullBatches + 1 : 0;
    }

    /**
     * A packet of a sender.
     *
     * @param bytes UDP payload
     * @param newest nothing follows it
     * @param marked it has a CE mark
     * @param rttNs to the sender, as far as known
     * @param mssBytes UDP payload of its full packets
     */
    public void onPacket(
            int plane, int sender, int bytes, boolean newest, boolean marked, long rttNs, int mssBytes, long nowNs) {
        SharedPlane p = planes[plane];
        p.onPacket(sender, bytes + PlanePace.WIRE_OVERHEAD_BYTES, newest, marked, rttNs, mssBytes, nowNs);
        if (nowNs >= p.divideNs) {
            p.divide(fullBatches, nowNs);
        }
    }

    /** What the next ACK to a sender says: a code of {@link RateHint}, 0 for none. One that is not active is told what it could have if it were. */
    public int hint(int plane, int sender) {
        return planes[plane].hint(sender);
    }

    /**
     * Whether two senders or more fill a plane's link now. Marks are then those of the queue before that link, common to all paths, which the hints empty: a sender
     * is not told of them, for its windows could only fall below its share.
     */
    public boolean full(int plane) {
        return planes[plane].full();
    }

    /** A sender that should be told its share in an ACK at once, whether it has sent anything or not; -1 when there is none. Asked after each batch, until it says so. */
    public int nextToTell(int plane) {
        return planes[plane].nextToTell();
    }

    /** A connection is gone. */
    public void remove(int sender) {
        for (SharedPlane p : planes) {
            p.remove(sender);
        }
    }

    // ---- for checkers (I9) ----

    /** What a plane gives away now, bits per second; 0: nobody is limited. */
    public long capacityBps(int plane) {
        return planes[plane].capacityBps();
    }

    /** Sum of the shares of a plane's active senders, bits per second. */
    public long sumOfHintsBps(int plane) {
        return planes[plane].sumOfHintsBps();
    }

    /** Active senders of a plane. */
    public int senders(int plane) {
        return planes[plane].count();
    }
}
