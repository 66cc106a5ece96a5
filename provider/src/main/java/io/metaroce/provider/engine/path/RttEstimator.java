package io.metaroce.provider.engine.path;

/**
 * Smoothed RTT, its variation and its minimum (RFC 6298 gains; the acknowledgement delay is taken off as in RFC 9002 section 5.3). One measurement counts as
 * four times the RTT known so far at most: a peer that was not scheduled for a second must not make every time-out a second long. A route that really is
 * longer is learned in some 20 measurements for a factor of 500.
 */
public final class RttEstimator {
    /** Taken for the RTT before anything is known. */
    public static final long INITIAL_RTT_NS = 1_000_000;

    private static final int MOST_TIMES_LONGER = 4;
    private static final long ALWAYS_BELIEVED_NS = 200_000;

    private long srttNs = INITIAL_RTT_NS;
    private long rttvarNs = INITIAL_RTT_NS / 2;
    private long minNs = Long.MAX_VALUE;
    private boolean sampled;

    /** A guess from elsewhere (handshake, another path); ignored once there is a sample. */
    public void guess(long rttNs) {
        if (!sampled && rttNs > 0) {
            srttNs = rttNs;
            rttvarNs = rttNs / 2;
        }
    }

    /**
     * One measurement.
     *
     * @param rttNs from transmission to acknowledgement
     * @param ackDelayNs time that the peer held the acknowledgement back
     */
    public void sample(long rttNs, long ackDelayNs) {
        long raw = Math.max(rttNs, 1);
        if (raw < minNs) {
            minNs = raw;
        }
        long believedNs = Math.max(MOST_TIMES_LONGER * srttNs, ALWAYS_BELIEVED_NS);
        long net = Math.min(raw - ackDelayNs >= minNs ? raw - ackDelayNs : raw, believedNs);
        if (!sampled) {
            sampled = true;
            srttNs = net;
            rttvarNs = net / 2;
            return;
        }
        rttvarNs += (Math.abs(srttNs - net) - rttvarNs) / 4;
        srttNs += (net - srttNs) / 8;
    }

    public boolean sampled() {
        return sampled;
    }

    public long srttNs() {
        return srttNs;
    }

    public long rttvarNs() {
        return rttvarNs;
    }

    /** Least RTT seen, Long.MAX_VALUE before the first sample. */
    public long minNs() {
        return minNs;
    }

    /** Probe time-out: 1.5 srtt + 4 rttvar + the peer's longest acknowledgement delay, at least {@code floorNs}. */
    public long ptoNs(long maxAckDelayNs, long floorNs) {
        return Math.max(floorNs, srttNs + (srttNs >> 1) + 4 * rttvarNs + maxAckDelayNs);
    }
}
