package io.metaroce.provider.engine.cc;

/** The congestion state of one path: its window, and what happened since its round (about one RTT) began. */
final class PathWindow {
    final PlanePace plane;
    double bytes;

    /** Window over RTT as it stands in the plane's sum, bytes a nanosecond. */
    double rate;

    /** Smoothed share of packets that were marked, and that were lost. */
    double alpha;

    double loss;

    /** Grows by what is acknowledged until the first sign of congestion. */
    boolean slowStart = true;

    boolean suspect;
    long roundNs = Long.MIN_VALUE;
    int acked;
    int marked;
    int lost;
    int lossEvents;
    /** Times of the last mark, and of the last reduction for a mark and for a loss; far in the past before the first. */
    long markNs = Long.MIN_VALUE / 2;

    long markCutNs = Long.MIN_VALUE / 2;
    long lossCutNs = Long.MIN_VALUE / 2;
    long penaltyNs;

    PathWindow(PlanePace plane, double bytes) {
        this.plane = plane;
        this.bytes = bytes;
    }
}
