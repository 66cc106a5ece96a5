package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.cc.AdaptiveWindow;
import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.PathSender;
import io.metaroce.provider.engine.path.Plane;
import io.metaroce.provider.engine.timer.TimerKind;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.PathCtlBody;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The paths of a connection from the pairing of planes to the silence of one of them (protocol section 13). A path that is silent while others are heard, or for two probe
 * time-outs, is suspect: it gets no new data, and what it holds is copied to paths that the peer has answered on meanwhile. When three probes are lost it
 * goes another way ({@link RePath}). When the peer answers on none, it is the peer that is silent: nothing is copied, the probes become rare, and the
 * first sign of life wakes all paths.
 */
final class PathLife {
    /** Expiries without progress that make a path suspect. */
    private static final int SUSPECT_AFTER = 2;

    /** News on other paths during which one that is silent should have been heard. */
    private static final int OTHERS_HEARD = 8;

    private static final int PLANE_SLOTS = 8;

    private final Context context;
    private final RePath rePath;
    private final WayHome wayHome;

    PathLife(Context context) {
        this.context = context;
        this.rePath = new RePath(context);
        this.wayHome = new WayHome(context);
    }

    // ---- planes and paths ----

    /** The handle for frames from a local plane to one of the peer's, -1 when there is no way. */
    int destination(Connection c, int localPlane, int peerPlane) {
        Planes peer = c.peer;
        if (peer == null || peerPlane < 0 || localPlane < 0 || localPlane >= PLANE_SLOTS) {
            return -1;
        }
        int at = localPlane * PLANE_SLOTS + peerPlane;
        int known = c.destinations.length;
        if (at >= known) {
            c.destinations = Arrays.copyOf(c.destinations, (localPlane + 1) * PLANE_SLOTS);
            Arrays.fill(c.destinations, known, c.destinations.length, Connection.UNKNOWN);
        }
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
        List<int[]> pairs = new ArrayList<>();
        int localDone = 0;
        int peerDone = 0;
        for (int i = 0; i < Math.min(local.count(), peer.count()); i++) {
            if (destination(c, i, i) >= 0) {
                pairs.add(new int[] {i, i});
                localDone |= 1 << i;
                peerDone |= 1 << i;
            }
        }
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < local.count(); i++) {
                for (int j = 0; j < peer.count(); j++) {
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
        int perPlane = Math.min(context.config.pathsPerPlane(), Connection.MAX_PATHS / pairs.size());
        Path[] paths = new Path[pairs.size() * perPlane];
        Plane[] planes = new Plane[pairs.size()];
        int id = 0;
        for (int[] pair : pairs) {
            int index = id / perPlane;
            Plane plane = new Plane(index, pair[0], pair[1], -1L >>> (64 - perPlane) << id);
            planes[index] = plane;
            int destination = destination(c, pair[0], pair[1]);
            c.maxPayload = Math.min(c.maxPayload, context.routes.maxPayload(destination));
            int entropy = context.random.nextInt(Ports.COUNT);
            for (int k = 0; k < perPlane; k++) {
                int port = Ports.source(context.config.localSlot(), entropy + k);
                int timer = context.timers.add(TimerKind.PATH, c.index << 8 | id);
                Path path = new Path(id, plane, destination, port, timer);
                path.rtt().guess(rttGuessNs);
                path.tail().start(nowNs);
                paths[id++] = path;
            }
        }
        c.paths = paths;
        c.planes = planes;
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
        c.planes = new Plane[0];
        c.avoidMask = 0;
        c.planeNewsDue = false;
        c.allMask = 0;
        c.suspectMask = 0;
        c.uncopiedMask = 0;
        c.copyMask = 0;
        c.trialMask = 0;
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
        long dueNs = path.dueNs(c.ptoNs(path, context.config.ptoFloorNs()), c.peerAckDelayNs);
        if (dueNs != Long.MAX_VALUE) {
            context.timers.setNoLaterThan(path.timer, dueNs);
        }
    }

    /** The path's timer: perhaps too early (the path was heard meanwhile), perhaps one of the times of {@link Path#dueNs}. */
    void onTimer(Connection c, Path path, long nowNs) {
        PathSender sender = path.sender();
        if (!path.suspect() && path.home().dueNs() <= nowNs) {
            wayHome.onDue(c, path, nowNs);
        }
        if (!sender.outstanding() && !path.suspect()) {
            path.lookAgainNs(Long.MAX_VALUE);
            arm(c, path);
            return;
        }
        long ptoNs = c.ptoNs(path, context.config.ptoFloorNs());
        if (!path.suspect() && sender.lateNs(path.rtt().srttNs()) <= nowNs) {
            onLate(c, path, nowNs);
        }
        if (path.tail().expiryNs(sender.oldestSentNs(), ptoNs) <= nowNs) {
            onExpired(c, path, nowNs);
        } else if (!path.suspect()) {
            if (path.tail().markerDueNs(path.rtt(), sender.probeAnswered()) <= nowNs) {
                path.tail().onMarkerSent(nowNs);
                path.markTail();
                c.probeMask |= 1L << path.id;
            }
            if (sender.inFlight() > 0 && path.silenceNs(c.peerAckDelayNs) <= nowNs) {
                onSilence(c, path, nowNs);
            }
        }
        if (path.lookAgainNs() <= nowNs) {
            path.lookAgainNs(Long.MAX_VALUE);
            copyIfOthersLive(c, path, path.tail().lastProbeNs());
        }
        long dueNs = path.dueNs(ptoNs, c.peerAckDelayNs);
        if (dueNs != Long.MAX_VALUE) {
            context.timers.set(path.timer, Math.max(dueNs, nowNs + 1));
        }
    }

    /** A packet that was overtaken, and that the path's tolerance has spared, is lost now. */
    private static void onLate(Connection c, Path path, long nowNs) {
        PathSender sender = path.sender();
        int flyingBefore = sender.inFlightBytes();
        sender.onLate(path.rtt().srttNs(), nowNs);
        c.inFlightBytes += sender.inFlightBytes() - flyingBefore;
        c.updateFull(path);
        if (sender.lost() > 0) {
            c.lostMask |= 1L << path.id;
            path.tail().onLoss();
        }
    }

    /**
     * The path is silent. It is asked, in case that only its way back is dead or that its last packets and their marker are lost; when there is no answer while the others
     * go on, it is suspect.
     */
    private void onSilence(Connection c, Path path, long nowNs) {
        boolean doubted = path.doubtedNs() != Long.MIN_VALUE;
        path.doubtedNs(nowNs);
        if (doubted && c.news - path.othersHeard() >= OTHERS_HEARD) {
            suspect(c, path);
            c.copyMask |= 1L << path.id;
            path.tail().onProbedAnew(0, nowNs);
        }
        if (!doubted || path.suspect()) {
            path.askAnew();
            c.probeMask |= 1L << path.id;
        }
    }

    private void suspect(Connection c, Path path) {
        path.silentSinceNs(Math.max(path.sender().oldestSentNs(), path.tail().lastHeardNs()));
        c.suspect(path);
        path.lostProbes(0);
        context.counters.inc(Counter.PATHS_SUSPECTED);
    }

    private void onExpired(Connection c, Path path, long nowNs) {
        long earlierProbeNs = path.tail().lastProbeNs();
        path.tail().onExpired(nowNs);
        path.askAnew();
        c.probeMask |= 1L << path.id;
        if (path.suspect()) {
            path.lostProbes(path.lostProbes() + 1);
        } else if (path.tail().unproductive() >= SUSPECT_AFTER) {
            suspect(c, path);
            path.lostProbes(path.tail().silent() - 1);
        }
        if (path.suspect()) {
            if (!copyIfOthersLive(c, path, earlierProbeNs)) {
                probeIdle(c, nowNs);
            }
            rePath.onProbeLost(c, path, nowNs);
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
                path.askAnew();
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
        path.othersHeard(++c.news);
        if ((c.trialMask & 1L << path.id) != 0) {
            wayHome.onHeard(c, path, nowNs);
        }
        boolean allWereSilent = c.suspectMask == c.allMask;
        if (path.suspect()) {
            c.trust(path);
            path.muted(false);
            path.lostProbes(0);
            path.rePaths(0);
            path.plane.onHeard();
            if (path.plane.down()) {
                onPlaneUp(c, path.plane, nowNs);
            }
            if (allWereSilent) {
                wake(c, nowNs);
            }
        }
        if (!progress && path.tail().passesProbesOnly(c.ptoNs(path, context.config.ptoFloorNs()), nowNs)) {
            suspect(c, path);
            if (c.suspectMask != c.allMask) {
                c.copyMask |= 1L << path.id; // the peer is awake: it answers on this one
            }
            path.tail().onGivenUp(nowNs);
            path.askAnew();
            c.probeMask |= 1L << path.id;
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
        wake(c, c.suspectMask, nowNs);
    }

    private void wake(Connection c, long which, long nowNs) {
        for (Path path : c.paths) {
            if ((which & 1L << path.id) != 0 && path.suspect()) {
                path.muted(false);
                path.lostProbes(0);
                path.tail().onWoken(nowNs);
                path.askAnew();
                c.probeMask |= 1L << path.id;
                long dueNs = path.dueNs(c.ptoNs(path, context.config.ptoFloorNs()), c.peerAckDelayNs);
                if (dueNs != Long.MAX_VALUE) {
                    context.timers.set(path.timer, dueNs);
                }
            }
        }
    }

    /** A path of a dead plane was heard: the others of that plane are asked at once, and the peer is told. */
    private void onPlaneUp(Connection c, Plane plane, long nowNs) {
        plane.down(false);
        c.planeNewsDue = true;
        context.counters.inc(Counter.PLANES_UP);
        wake(c, plane.mask, nowNs);
    }

    /** The peer says that a plane is dead, or works again, as far as it can tell: what we send there is less welcome than elsewhere. */
    void onPeersNews(Connection c, int ourPlane, int peersPlane, boolean down) {
        for (Plane plane : c.planes) {
            if ((ourPlane == PathCtlBody.ANY_PLANE || ourPlane == plane.localPlane)
                    && (peersPlane == PathCtlBody.ANY_PLANE || peersPlane == plane.peerPlane)) {
                c.avoidMask = down ? c.avoidMask | plane.mask : c.avoidMask & ~plane.mask;
            }
        }
    }

    /** Whether nothing passes on a plane, as far as we know. */
    boolean isDown(Connection c, int ourPlane, int peersPlane) {
        for (Plane plane : c.planes) {
            if (plane.localPlane == ourPlane && plane.peerPlane == peersPlane) {
                return plane.down();
            }
        }
        return false;
    }

    /** The peer uses a plane that it had called dead: its news has been overtaken. */
    void onUsed(Connection c, int ourPlane) {
        for (Plane plane : c.planes) {
            if (plane.localPlane == ourPlane) {
                c.avoidMask &= ~plane.mask;
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
