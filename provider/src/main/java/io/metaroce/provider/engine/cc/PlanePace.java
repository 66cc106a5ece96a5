package io.metaroce.provider.engine.cc;

import io.metaroce.wire.RateHint;

/**
 * What a sender knows of one of the peer's planes: the share that the peer has told it, the windows of the paths that lead there, and when the next packet may go. A
 * share that is not renewed lapses: it halves with every period until it is worth no more than an initial window.
 */
final class PlanePace {
    /** Pace relative to the hint. */
    static final double PACE = 1.05;

    /** Sum of the paths' rates (window over RTT) relative to the hint: what growth aims at, and the most. */
    static final double TARGET = 1.1;

    static final double CAP = 1.25;

    /** Ethernet, IPv4, UDP, FCS, preamble and gap around a UDP payload: a hint counts what the wire carries. */
    static final int WIRE_OVERHEAD_BYTES = 66;

    /** A hint holds for so many RTTs, and so many packets at its rate. */
    private static final int LIFE_RTTS = 4;

    private static final int LIFE_PACKETS = 4;

    /** After so many halvings nothing is left of any hint. */
    private static final int MOST_HALVINGS = 40;

    /** The plane's RTT goes this part of the way to that of the path heard. */
    private static final int RTT_PARTS = 4;

    /** Longest wait for company: packets that pacing holds back go in bursts of this many nanoseconds. */
    private static final long BURST_NS = 2_000;

    /** Time for which a sender may catch up when it came late. */
    private static final long CATCH_UP_NS = 8_000;

    final double leastWindowBytes;
    private final int mssBytes;

    /** Bits of the paths that lead to the plane, and how many of them are not suspect. */
    long mask;

    int live;
    /** Windows of the paths that are not suspect, and their rates in bytes a nanosecond. */
    double sumBytes;

    double sumRate;

    /** Of the plane: follows the RTTs of the paths heard. */
    long rttNs;

    private boolean hinted;
    private double bytesPerNs;
    private int code;
    private int seq;
    private long heardNs;
    private long lifeNs;
    private double pacePerNs;
    private long nextNs = Long.MIN_VALUE;

    PlanePace(int mssBytes, double leastWindowBytes) {
        this.mssBytes = mssBytes;
        this.leastWindowBytes = leastWindowBytes;
    }

    /** A hint arrives; one that was overtaken by a later one has no effect. Code 0: the peer does not limit us. */
    void onHint(int newCode, int ackSeq, long srttNs, long nowNs) {
        rttNs += (srttNs - rttNs) / RTT_PARTS;
        if (hinted ? ackSeq - seq < 0 : newCode == 0) {
            return;
        }
        seq = ackSeq;
        heardNs = nowNs;
        if (newCode != code) {
            code = newCode;
            hinted = newCode != 0;
            bytesPerNs = RateHint.decode(newCode) / 8e9;
        }
        if (hinted) {
            lifeNs = Math.max(LIFE_RTTS * srttNs, (long) (LIFE_PACKETS * mssBytes / bytesPerNs));
            pacePerNs = PACE * bytesPerNs;
        } else {
            pacePerNs = 0;
        }
    }

    boolean hinted() {
        return hinted;
    }

    /** The share in bytes a nanosecond, lapsed or not; only while {@link #hinted}. */
    double share(long nowNs) {
        long silentNs = nowNs - heardNs;
        if (silentNs <= lifeNs) {
            return bytesPerNs;
        }
        long periods = Math.min(silentNs / lifeNs, MOST_HALVINGS);
        double left = Math.max(bytesPerNs / (1L << periods), leastWindowBytes / rttNs);
        double lapsed = Math.min(bytesPerNs, left);
        pacePerNs = PACE * lapsed;
        return lapsed;
    }

    /**
     * Bytes that may be in flight on the plane: what the rates of its paths, or the share if that is less, bring in an RTT of the plane. Not the sum of the windows: a path
     * that is used once in ten RTTs has a window for an RTT of long ago. Where pacing holds the rate down, windows of one and a half packets must not mean one: a
     * packet more may fly.
     */
    double windowBytes(long nowNs) {
        if (!hinted) {
            return sumBytes;
        }
        return Math.min(sumRate, CAP * share(nowNs)) * rttNs + mssBytes;
    }

    /** How fast packets go without a hint: only a window below a few packets needs pacing. */
    void paceUnhinted(double windowBytes) {
        pacePerNs = windowBytes < 2 * mssBytes ? windowBytes / rttNs : 0;
    }

    boolean waits(long nowNs) {
        return pacePerNs > 0 && nextNs > nowNs;
    }

    /** When a burst may go. */
    long dueNs() {
        return nextNs + BURST_NS;
    }

    void onSent(int bytes, long nowNs) {
        if (pacePerNs > 0) {
            long fromNs = Math.max(nextNs, nowNs - CATCH_UP_NS);
            nextNs = fromNs + (long) ((bytes + WIRE_OVERHEAD_BYTES) / pacePerNs);
        }
    }

    /** Bytes a nanosecond at which packets go; 0: not paced. */
    double pacePerNs() {
        return pacePerNs;
    }
}
