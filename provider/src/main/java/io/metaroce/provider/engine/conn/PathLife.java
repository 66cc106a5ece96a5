package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.cc.AdaptiveWindow;
import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.PathSender;
import io.metaroce.provider.engine.timer.TimerKind;
import io.metaroce.provider.port.Counter;
import java.util.ArrayList;
import java.util.List;

/**
 * The paths of a connection from the pairing of planes to the silence of one of them (protocol section 8). A path that is silent for two probe time-outs is suspect: it
 * gets no new data, and what it holds is copied to paths that the peer has answered on meanwhile. When the peer answers on none, it is the peer that is
 * silent: nothing is copied, the probes become rare, and the first sign of life wakes all paths.
 */
final class PathLife {
    /** Expiries without progress that make a path suspect. */
    private static final int SUSPECT_AFTER = 2;

    private static final int PLANE_SLOTS = 8;

    private final Context context;

    PathLife(Context context) {
        this.context = context;
    }

    // ---- planes and paths ----

    /** The handle for frames from a local plane to one of the peer's, -1 when there is no way. */
    int destination(Connection c, int localPlane, int peerPlane) {
        Planes peer = c.peer;
        if (peer == null || peerPlane < 0 || localPlane < 0 || localPlane >= PLANE_SLOTS) {
            return -1;
        }
        int at = localPlane * PLANE_SLOTS + peerPlane;
        int destination = c.destinations[at];
        if (destination == Connection.UNKNOWN) {
            destination = context.routes.destination(localPlane, peer.hi(peerPlane), peer.lo(peerPlane), peer.port());
            c.destinations[at] = destination;
        }
        return destination;
    }

    /**
     * Pairs local with remote planes and makes the paths of each pair: the k-th with the k-th where there is a way, then every plane that is left with one it reaches.
     *
     * @return false when no pair has a way
     */
    boolean open(Connection c, Planes local, Planes peer, long rttGuessNs, long nowNs) {
        int perPlane = Math.min(context.config.pathsPerPlane(), Connection.MAX_PATHS);
        int most = Connection.MAX_PATHS / perPlane;
        List<int[]> pairs = new ArrayList<>();
        int localDone = 0;
        int peerDone = 0;
        for (int i = 0; i < Math.min(local.count(), peer.count()) && pairs.size() < most; i++) {
            if (destination(c, i, i) >= 0) {
                pairs.add(new int[] {i, i});
                localDone |= 1 << i;
                peerDone |= 1 << i;
            }
        }
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < local.count(); i++) {
                for (int j = 0; j < peer.count() && pairs.size() < most; j++) {
                    boolean localFree = (localDone & 1 << i) == 0;
                    boolean peerFree = (peerDone & 1 << j) == 0;
                    if ((pass == 0 ? localFree && peerFree : localFree || peerFree) && destination(c, i, j) >= 0) {
                        pairs.add(new int[] {i, j});
                        localDone |= 1 << i;
                        peerDone |= 1 << j;
                    }
                }
            }
        }
        if (pairs.isEmpty()) {
            return false;
        }
        Path[] paths = new Path[pairs.size() * perPlane];
        int id = 0;
        for (int[] pair : pairs) {
            int destination = destination(c, pair[0], pair[1]);
            c.maxPayload = Math.min(c.maxPayload, context.routes.maxPayload(destination));
            int entropy = context.random.nextInt(Ports.COUNT);
            for (int k = 0; k < perPlane; k++) {
                int port = Ports.source(context.config.localSlot(), entropy + k);
                int timer = context.timers.add(TimerKind.PATH, c.index << 8 | id);
                Path path = new Path(id, pair[0], pair[1], destination, port, timer);
                path.rtt().guess(rttGuessNs);
                path.tail().start(nowNs);
                paths[id++] = path;
            }
        }
        c.paths = paths;
        c.allMask = -1L >>> (64 - paths.length);
        c.control = new AdaptiveWindow(paths, c.maxPayload, context.config.windowBytes());
        return true;
    }

    /** Gives back everything that paths hold. */
    void close(Connection c) {
        context.shares.remove(c.index);
        for (Path path : c.paths) {
            context.timers.remove(path.timer);
        }
        c.paths = new Path[0];
        c.allMask = 0;
        c.suspectMask = 0;
        c.uncopiedMask = 0;
        c.copyMask = 0;
        c.lostMask = 0;
        c.probeMask = 0;
        c.ackMask = 0;
        c.probedMask = 0;
        c.inFlightBytes = 0;
        for (int i = 0; i < c.destinations.length; i++) {
            if (c.destinations[i] >= 0) {
                context.routes.release(c.destinations[i]);
            }
            c.destinations[i] = Connection.UNKNOWN;
        }
    }

    // ---- timers ----

    /** Something was sent on the path: its timer must not be later than what the path now waits for. */
    void arm(Connection c, Path path) {
        long dueNs = path.dueNs(c.ptoNs(path, context.config.ptoFloorNs()));
        if (dueNs != Long.MAX_VALUE) {
            context.timers.setNoLaterThan(path.timer, dueNs);
        }
    }

    /** The path's timer: perhaps too early (the path was heard meanwhile), perhaps marker, time-out or a second look. */
    void onTimer(Connection c, Path path, long nowNs) {
        if (!path.sender().outstanding()) {
            path.lookAgainNs(Long.MAX_VALUE);
            return;
        }
        long ptoNs = c.ptoNs(path, context.config.ptoFloorNs());
        if (path.tail().expiryNs(path.sender().oldestSentNs(), ptoNs) <= nowNs) {
            onExpired(c, path, nowNs);
        } else if (path.tail().markerDueNs(path.rtt()) <= nowNs) {
            path.tail().onProbeSent(nowNs);
            path.probeAttempt(0);
            c.probeMask |= 1L << path.id;
        }
        if (path.lookAgainNs() <= nowNs) {
            path.lookAgainNs(Long.MAX_VALUE);
            copyIfOthersLive(c, path, path.tail().lastProbeNs());
        }
        long dueNs = path.dueNs(ptoNs);
        if (dueNs != Long.MAX_VALUE) {
            context.timers.set(path.timer, Math.max(dueNs, nowNs + 1));
        }
    }

    private void onExpired(Connection c, Path path, long nowNs) {
        long earlierProbeNs = path.tail().lastProbeNs();
        path.tail().onExpired(nowNs);
        path.probeAttempt(Math.min(path.tail().silent(), 15));
        c.probeMask |= 1L << path.id;
        if (!path.suspect() && path.tail().unproductive() >= SUSPECT_AFTER) {
            c.suspect(path);
            context.counters.inc(Counter.PATHS_SUSPECTED);
        }
        if (path.suspect() && !copyIfOthersLive(c, path, earlierProbeNs)) {
            probeIdle(c, nowNs);
        }
    }

    /** Copies when the peer has answered on another path after {@code sinceNs}, when it should have answered on this one too. */
    private static boolean copyIfOthersLive(Connection c, Path path, long sinceNs) {
        long bit = 1L << path.id;
        if ((c.uncopiedMask & bit) == 0) {
            return true;
        }
        for (Path other : c.paths) {
            if (!other.suspect() && other.tail().lastHeardNs() - sinceNs > 0) {
                c.copyMask |= bit;
                return true;
            }
        }
        return false;
    }

    /** Nobody knows whether the other paths live: those with nothing in flight ask. */
    private void probeIdle(Connection c, long nowNs) {
        for (Path path : c.paths) {
            if (!path.suspect() && !path.sender().outstanding()) {
                path.probeAttempt(1);
                path.tail().onProbeSent(nowNs);
                c.probeMask |= 1L << path.id;
            }
        }
    }

    // ---- signs of life ----

    /** An ACK of the path brought news. */
    void onHeard(Connection c, Path path, boolean progress, long nowNs) {
        PathSender sender = path.sender();
        path.tail().onHeard(progress, !sender.outstanding(), nowNs);
        boolean allWereSilent = c.suspectMask == c.allMask;
        if (path.suspect()) {
            c.trust(path);
            if (allWereSilent) {
                wake(c, nowNs);
            }
        }
        if ((c.uncopiedMask & ~c.copyMask) != 0) {
            lookAgain(c, path, nowNs);
        }
    }

    /** Any frame of a peer that was silent on all paths: perhaps it hears us again, too. */
    void onSignOfLife(Connection c, long nowNs) {
        if (nowNs - c.wokenNs >= c.ptoNs(c.paths[0], context.config.ptoFloorNs()) || c.wokenNs == Long.MIN_VALUE) {
            wake(c, nowNs);
        }
    }

    private void wake(Connection c, long nowNs) {
        c.wokenNs = nowNs;
        for (Path path : c.paths) {
            if (path.suspect()) {
                path.tail().onWoken(nowNs);
                path.probeAttempt(1);
                c.probeMask |= 1L << path.id;
                long dueNs = path.dueNs(c.ptoNs(path, context.config.ptoFloorNs()));
                if (dueNs != Long.MAX_VALUE) {
                    context.timers.set(path.timer, dueNs);
                }
            }
        }
    }

    /** One path was heard while others are suspect: an RTT later it is clear whether they are dead or only later. */
    private void lookAgain(Connection c, Path heard, long nowNs) {
        long atNs = nowNs + heard.rtt().srttNs() + c.peerAckDelayNs;
        for (Path path : c.paths) {
            long bit = 1L << path.id;
            if ((c.uncopiedMask & ~c.copyMask & bit) != 0 && path.lookAgainNs() == Long.MAX_VALUE) {
                path.lookAgainNs(atNs);
                context.timers.setNoLaterThan(path.timer, atNs);
            }
        }
    }
}
