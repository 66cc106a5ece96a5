package io.metaroce.provider.engine.cc;

import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.PathSender;

/**
 * The sender's congestion control (protocol section 13): windows per path that shrink by the share of marked packets (the gain and the reduction of RFC 8257), a
 * connection window that follows the peer's hint, and pacing at that hint. Loss alone is no sign of congestion: it counts only together with marks, or when much is
 * lost in several places.
 */
public final class AdaptiveWindow implements CongestionControl {
    /** Window of a new connection. */
    public static final int INITIAL_BYTES = 16 * 1024;

    /** Most that a connection grows to when the peer gives no hint: about what a socket's ring takes in without loss. */
    public static final long UNHINTED_BYTES = 1 << 20;

    private static final double ALPHA_GAIN = 1.0 / 8;
    private static final double LOSS_GAIN = 1.0 / 8;
    private static final double LOSS_CUT = 0.7;
    private static final double MUCH_LOST = 0.2;
    private static final int LOSS_EVENTS = 3;
    private static final double WAY_TO_TARGET = 1.4;
    private static final double MOST_PART = 4;
    private static final double RICH_PART = 0.25;

    /** Least sum of a plane's windows is the packet size divided by this. */
    private static final int LEAST_PART = 16;

    /** A resend may be as much ahead of the pace, or an RTT. */
    private static final long RESEND_AHEAD_NS = 50_000;

    private static final int PLANES = 8;

    private final long mostBytes;
    private final int mssBytes;
    private final double leastBytes;
    private final double mostOfPath;
    private final PathWindow[] windows;
    private final PlanePace[] planes;
    private long windowBytes;
    private long recomputeNs = Long.MAX_VALUE;

    /**
     * Control of a new connection.
     *
     * @param paths numbered by their ids
     * @param mssBytes UDP payload of a full packet
     * @param mostBytes the connection's window never exceeds it
     */
    public AdaptiveWindow(Path[] paths, int mssBytes, long mostBytes) {
        this.mostBytes = mostBytes;
        this.mssBytes = mssBytes;
        PlanePace[] byPeerPlane = new PlanePace[PLANES];
        windows = new PathWindow[paths.length];
        double first = (double) Math.max(INITIAL_BYTES, 2 * mssBytes);
        leastBytes = (double) mssBytes / LEAST_PART / paths.length;
        mostOfPath = (double) PathSender.WINDOW / 2 * mssBytes;
        int count = 0;
        for (Path path : paths) {
            PlanePace plane = byPeerPlane[path.peerPlane];
            if (plane == null) {
                plane = new PlanePace(mssBytes, first);
                plane.rttNs = path.rtt().srttNs();
                byPeerPlane[path.peerPlane] = plane;
                count++;
            }
            PathWindow window = new PathWindow(plane, first / paths.length);
            windows[path.id] = window;
            plane.mask |= 1L << path.id;
            plane.live++;
            window.rate = window.bytes / path.rtt().srttNs();
            plane.sumBytes += window.bytes;
            plane.sumRate += window.rate;
        }
        planes = new PlanePace[count];
        int at = 0;
        for (PlanePace plane : byPeerPlane) {
            if (plane != null) {
                planes[at++] = plane;
            }
        }
        windowBytes = Math.min(mostBytes, (long) first);
    }

    @Override
    public long connectionWindowBytes(long nowNs) {
        if (nowNs >= recomputeNs) {
            recompute(nowNs);
        }
        return windowBytes;
    }

    private void recompute(long nowNs) {
        double sum = 0;
        boolean hinted = false;
        for (PlanePace plane : planes) {
            hinted |= plane.hinted();
            sum += plane.windowBytes(nowNs);
        }
        windowBytes = Math.min((long) sum, mostBytes);
        recomputeNs = hinted ? nowNs + planes[0].rttNs : Long.MAX_VALUE;
    }

    @Override
    public long pathWindowBytes(Path path) {
        return Math.max(1, (long) windows[path.id].bytes);
    }

    @Override
    public long penaltyNs(Path path) {
        return windows[path.id].penaltyNs;
    }

    @Override
    public long waitingMask(long nowNs) {
        long mask = 0;
        for (PlanePace plane : planes) {
            if (plane.waits(nowNs)) {
                mask |= plane.mask;
            }
        }
        return mask;
    }

    @Override
    public boolean waits(Path path, long nowNs) {
        return windows[path.id].plane.waits(nowNs);
    }

    @Override
    public boolean resendWaits(Path path, long nowNs) {
        return windows[path.id].plane.waits(nowNs + Math.max(path.rtt().srttNs(), RESEND_AHEAD_NS));
    }

    @Override
    public long paceDueNs(long nowNs) {
        long due = Long.MAX_VALUE;
        for (PlanePace plane : planes) {
            if (plane.waits(nowNs)) {
                due = Math.min(due, plane.dueNs());
            }
        }
        return due;
    }

    @Override
    public void onSent(Path path, int bytes, long nowNs) {
        windows[path.id].plane.onSent(bytes, nowNs);
    }

    @Override
    public void onAck(
            Path path,
            int packets,
            int bytes,
            int lostPackets,
            int lossEvents,
            int ceMarks,
            int rateHint,
            int ackSeq,
            long nowNs) {
        PathWindow w = windows[path.id];
        PlanePace plane = w.plane;
        long srttNs = path.rtt().srttNs();
        plane.onHint(rateHint, ackSeq, srttNs, nowNs);
        double before = w.bytes;
        w.acked += packets;
        w.marked += ceMarks;
        w.lost += lostPackets;
        w.lossEvents += lossEvents;
        if (ceMarks > 0) {
            w.markNs = nowNs;
            if (w.slowStart) {
                w.slowStart = false;
                w.alpha = plane.hinted() ? w.alpha : 1;
            }
            if (nowNs - w.markCutNs >= srttNs) {
                w.markCutNs = nowNs;
                w.bytes -= w.bytes * w.alpha / 2;
            }
        }
        boolean markedLately = nowNs - w.markNs < srttNs;
        if (lostPackets > 0) {
            boolean much = w.lossEvents >= LOSS_EVENTS && w.lost > MUCH_LOST * (w.lost + w.acked);
            if ((markedLately || much) && nowNs - w.lossCutNs >= srttNs) {
                w.lossCutNs = nowNs;
                w.slowStart = false;
                w.bytes *= LOSS_CUT;
            }
        }
        boolean calm = !markedLately && nowNs - w.lossCutNs >= srttNs;
        if (nowNs - w.roundNs >= srttNs || w.roundNs == Long.MIN_VALUE) {
            endRound(w, path, srttNs, nowNs);
        }
        if (calm && bytes > 0) {
            grow(w, plane, bytes, srttNs, nowNs);
        }
        settle(w, plane, before, srttNs, nowNs);
    }

    /** One packet an RTT for the connection, less while it has less than four in flight; before the first mark, all that is acknowledged. */
    private void grow(PathWindow w, PlanePace plane, int ackedBytes, long srttNs, long nowNs) {
        if (plane.hinted()) {
            double missing = PlanePace.TARGET * plane.share(nowNs) - plane.sumRate;
            if (missing > 0) {
                double part = Math.min(ackedBytes / w.bytes, MOST_PART) / plane.live;
                part *= w.rate * plane.live > PlanePace.TARGET * plane.share(nowNs) ? RICH_PART : 1;
                w.bytes += Math.min(WAY_TO_TARGET * part, 1) * missing * srttNs;
            }
        }
        double sum = plane.sumBytes;
        if (w.slowStart && !plane.hinted()) {
            w.bytes += ackedBytes;
        } else {
            double part = Math.min(1, ackedBytes / sum) * Math.min(1, sum / (4 * mssBytes));
            w.bytes += mssBytes * part / planes.length;
        }
    }

    private static void endRound(PathWindow w, Path path, long srttNs, long nowNs) {
        int seen = w.acked + w.lost;
        if (seen > 0) {
            double marked = Math.min(1, (double) w.marked / Math.max(1, w.acked));
            w.alpha += (marked - w.alpha) * ALPHA_GAIN;
            w.loss += ((double) w.lost / seen - w.loss) * LOSS_GAIN;
        }
        long baseNs = Math.min(path.rtt().minNs(), srttNs);
        w.penaltyNs = (long) (2 * w.alpha * baseNs + w.loss * srttNs);
        w.roundNs = nowNs;
        w.acked = 0;
        w.marked = 0;
        w.lost = 0;
        w.lossEvents = 0;
    }

    /** Keeps a changed window within the limits, and the sums true. Half the PSN window at most: the other half is for what flies while a hole before it is filled. */
    private void settle(PathWindow w, PlanePace plane, double before, long srttNs, long nowNs) {
        double rate = w.bytes / srttNs;
        if (plane.hinted()) {
            double sum = plane.sumRate + rate - w.rate;
            double most = PlanePace.CAP * plane.share(nowNs);
            if (sum > most) {
                w.bytes = plane.sumRate <= most ? w.bytes - (sum - most) * srttNs : w.bytes * most / sum;
            }
        } else {
            double sum = plane.sumBytes + w.bytes - before;
            double most = Math.min(UNHINTED_BYTES, mostBytes) / (double) planes.length;
            if (sum > most) {
                w.bytes = plane.sumBytes <= most ? w.bytes - (sum - most) : w.bytes * most / sum;
            }
        }
        w.bytes = Math.min(Math.max(w.bytes, leastBytes), mostOfPath);
        rate = w.bytes / srttNs;
        if (!w.suspect) {
            plane.sumBytes += w.bytes - before;
            plane.sumRate += rate - w.rate;
        }
        w.rate = rate;
        if (!plane.hinted()) {
            plane.paceUnhinted(plane.sumBytes);
        }
        recompute(nowNs);
    }

    @Override
    public void onSuspect(Path path, boolean suspect) {
        PathWindow w = windows[path.id];
        if (w.suspect == suspect) {
            return;
        }
        w.suspect = suspect;
        w.plane.live += suspect ? -1 : 1;
        w.plane.sumBytes += suspect ? -w.bytes : w.bytes;
        w.plane.sumRate += suspect ? -w.rate : w.rate;
        recomputeNs = Long.MIN_VALUE;
    }

    @Override
    public double allowedBps(long nowNs) {
        double sum = 0;
        for (PlanePace plane : planes) {
            double perNs = Math.max(plane.windowBytes(nowNs), mssBytes)
                    / plane.rttNs
                    * (mssBytes + PlanePace.WIRE_OVERHEAD_BYTES)
                    / mssBytes;
            sum += plane.pacePerNs() > 0 ? Math.min(perNs, plane.pacePerNs()) : perNs;
        }
        return sum * 8e9;
    }

    // ---- for tests and measurements ----

    /** Smoothed share of marked packets of a path. */
    public double alpha(Path path) {
        return windows[path.id].alpha;
    }

    /** Bits a second at which packets go to the plane of a path, wire overhead included; 0 when they are not paced. */
    public double paceBps(Path path) {
        return windows[path.id].plane.pacePerNs() * 8e9;
    }
}
