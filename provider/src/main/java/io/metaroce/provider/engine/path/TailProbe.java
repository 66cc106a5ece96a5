package io.metaroce.provider.engine.path;

/**
 * When to send something after the last packet of a path (protocol section 11, rules 4 and 5). The marker proves the tail within an RTT: after a burst on a path that
 * loses packets it follows almost at once; after a single packet (where it would double the traffic) and on a path that has not lost one for a while, when the tail's ACK
 * is late. The probe time-out needs no RTT to be right: it repeats with backoff, and two without progress make the path suspect.
 */
public final class TailProbe {
    /** Longest time between probes of a silent path. */
    public static final long MAX_INTERVAL_NS = 1_000_000_000L;

    private static final int FRUITLESS_ROUNDS = 16;
    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long MIN_MARKER_DELAY_NS = 1_000;

    /** Markers sent for one tail before it is left to the probe time-out. */
    private static final int MARKERS = 3;

    /** Packets after a loss for which markers follow almost at once. */
    private static final int EAGER_PACKETS = 128;

    private boolean markerWanted;
    private int markers;
    private long lastMarkerNs;
    private int burst;
    private int eager = EAGER_PACKETS;
    private int silent;
    private int unproductive;
    private int fruitless;
    private int resends = UNLIMITED;
    private long lastSentNs;
    private long progressNs;
    private boolean idle = true;
    private long lastHeardNs;
    private long lastProbeNs;

    /** A packet with a PSN was sent. */
    public void onSent(long nowNs) {
        if (idle) {
            idle = false;
            progressNs = nowNs;
        }
        markerWanted = true;
        markers = 0;
        burst++;
        if (eager > 0) {
            eager--;
        }
        lastSentNs = nowNs;
    }

    /** A packet of the path is lost, or its tail may be. */
    public void onLoss() {
        eager = EAGER_PACKETS;
    }

    /** A PROBE other than a marker was sent: it proves what was sent before it. */
    public void onProbeSent(long nowNs) {
        markerWanted = false;
        markers = MARKERS;
        lastProbeNs = nowNs;
    }

    /** A marker was sent. */
    public void onMarkerSent(long nowNs) {
        if (markers == 0) {
            lastProbeNs = nowNs;
        }
        markerWanted = false;
        markers++;
        lastMarkerNs = nowNs;
    }

    /**
     * An ACK of this path came that echoes a later transmission than any before.
     *
     * @param progress whether it acknowledged a packet with a PSN for the first time
     * @param nothingLeft whether nothing is outstanding now
     */
    public void onHeard(boolean progress, boolean nothingLeft, long nowNs) {
        lastHeardNs = nowNs;
        silent = 0;
        if (progress) {
            unproductive = 0;
            progressNs = nowNs;
        }
        idle = nothingLeft;
        if (nothingLeft) {
            burst = 0;
            markerWanted = false;
        }
    }

    /**
     * What an ACK means for resends. A path on which round after round everything is lost, while header-only frames pass, has another trouble than loss (its MTU; a
     * receiver that is out of memory): it gets one packet a round, until one of them arrives.
     *
     * @param cleared packets acknowledged for the first time
     * @param lost packets declared lost
     * @param inFlight packets still in flight
     */
    public void onRound(int cleared, int lost, int inFlight) {
        if (cleared > 0) {
            fruitless = 0;
            resends = UNLIMITED;
        } else if (lost > 0) {
            fruitless++;
        }
        if (lost > 0) {
            onLoss();
        }
        if (fruitless >= FRUITLESS_ROUNDS) {
            resends = inFlight == 0 ? 1 : 0;
        }
    }

    /** Whether header-only frames have passed for a while, and nothing else has. */
    public boolean passesProbesOnly(long ptoNs, long nowNs) {
        return fruitless >= FRUITLESS_ROUNDS && nowNs - progressNs >= 2 * ptoNs;
    }

    /** What the path holds goes elsewhere because of that: it has time again. */
    public void onGivenUp(long nowNs) {
        progressNs = nowNs;
    }

    /** Since when nothing was acknowledged for the first time while something was outstanding. */
    public long progressNs() {
        return progressNs;
    }

    /** Whether a lost packet may be sent again now. */
    public boolean mayResend() {
        return resends > 0;
    }

    public void onResent() {
        if (resends != UNLIMITED) {
            resends--;
        }
    }

    /** The probe time-out has expired. */
    public void onExpired(long nowNs) {
        onLoss();
        silent++;
        unproductive++;
        markers = MARKERS;
        lastProbeNs = nowNs;
    }

    /** The path is under suspicion and is probed at once, or goes another way from now on: the next time-out counts from here. */
    public void onProbedAnew(int rounds, long nowNs) {
        silent = rounds;
        markers = MARKERS;
        lastProbeNs = nowNs;
    }

    /** The peer lives again: the backoff starts anew. */
    public void onWoken(long nowNs) {
        silent = 1;
        lastProbeNs = nowNs;
    }

    /**
     * When a marker is due; Long.MAX_VALUE when none is wanted. One that is not answered is repeated: it is a small frame, and the loss of one would leave the
     * tail to the probe time-out.
     *
     * @param answered whether the last one was
     */
    public long markerDueNs(RttEstimator rtt, boolean answered) {
        if (!markerWanted) {
            return markers == 0 || markers >= MARKERS || answered
                    ? Long.MAX_VALUE
                    : lastMarkerNs + ((rtt.srttNs() + 4 * rtt.rttvarNs()) << (markers - 1));
        }
        long delayNs = burst > 1 && eager > 0 ? rtt.srttNs() >> 2 : rtt.srttNs() + 2 * rtt.rttvarNs();
        return lastSentNs + Math.max(delayNs, MIN_MARKER_DELAY_NS);
    }

    /**
     * When the probe time-out expires, given that something is outstanding.
     *
     * @param oldestNs when the oldest packet in flight was sent; any earlier time if none is in flight
     */
    public long expiryNs(long oldestNs, long ptoNs) {
        long sinceNs = Math.max(oldestNs, Math.max(lastHeardNs, lastProbeNs));
        int doublings = Math.min(Math.max(silent - 1, 0), 20);
        return sinceNs + Math.min(ptoNs << doublings, Math.max(MAX_INTERVAL_NS, ptoNs));
    }

    /** Expiries since the path was heard. */
    public int silent() {
        return silent;
    }

    /** Expiries since the path made progress. */
    public int unproductive() {
        return unproductive;
    }

    public long lastHeardNs() {
        return lastHeardNs;
    }

    public long lastProbeNs() {
        return lastProbeNs;
    }

    public long lastSentNs() {
        return lastSentNs;
    }

    /** The time from which silence counts for a path that has not been heard yet. */
    public void start(long nowNs) {
        lastHeardNs = nowNs;
        lastProbeNs = nowNs;
        lastSentNs = nowNs;
    }
}
