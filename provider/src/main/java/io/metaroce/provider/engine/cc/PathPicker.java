package io.metaroce.provider.engine.cc;

import io.metaroce.provider.engine.SplitMix;
import io.metaroce.provider.engine.path.Path;

/**
 * Which path takes the next burst (protocol section 13): the cheaper of two random ones, of four for the first burst, with a little exploration so that a path that was
 * slow once is seen to be fast again. Cost is the time a packet would take: half an RTT, the queue of our own bytes, and a penalty for marks and losses.
 */
public final class PathPicker {
    /** Packets of one burst. */
    public static final int BURST = 8;

    private static final int EXPLORE_OF_1024 = 31;

    private final SplitMix random;

    public PathPicker(SplitMix random) {
        this.random = random;
    }

    /**
     * Picks from the paths whose bit is set in {@code eligible}.
     *
     * @param choices random candidates to compare
     * @return index of the path, -1 when none is eligible
     */
    public int pick(Path[] paths, long eligible, int choices, CongestionControl control) {
        int n = Long.bitCount(eligible);
        if (n <= 1) {
            return n == 0 ? -1 : Long.numberOfTrailingZeros(eligible);
        }
        long bits = random.nextLong();
        if ((bits & 1023) < EXPLORE_OF_1024) {
            return nth(eligible, (int) (((bits >>> 32) * n) >>> 32));
        }
        if (choices >= n) {
            return cheapest(paths, eligible, (int) (bits >>> 32), control);
        }
        int best = -1;
        long bestCost = Long.MAX_VALUE;
        for (int i = 0; i < choices; i++) {
            int candidate = nth(eligible, random.nextInt(n));
            long cost = cost(paths[candidate], control);
            if (cost < bestCost) {
                bestCost = cost;
                best = candidate;
            }
        }
        return best;
    }

    /** Of equal ones the first from a random start, so that idle paths are used alike. */
    private static int cheapest(Path[] paths, long eligible, int start, CongestionControl control) {
        int from = start & 63;
        long rotated = Long.rotateRight(eligible, from);
        int best = -1;
        long bestCost = Long.MAX_VALUE;
        while (rotated != 0) {
            int candidate = Long.numberOfTrailingZeros(rotated) + from & 63;
            rotated &= rotated - 1;
            long cost = cost(paths[candidate], control);
            if (cost < bestCost) {
                bestCost = cost;
                best = candidate;
            }
        }
        return best;
    }

    /** Nanoseconds. */
    static long cost(Path path, CongestionControl control) {
        long srttNs = path.rtt().srttNs();
        long queueNs = path.sender().inFlightBytes() * srttNs / control.pathWindowBytes(path);
        return (srttNs >> 1) + queueNs + control.penaltyNs(path);
    }

    private static int nth(long mask, int index) {
        long rest = mask;
        for (int i = 0; i < index; i++) {
            rest &= rest - 1;
        }
        return Long.numberOfTrailingZeros(rest);
    }
}
