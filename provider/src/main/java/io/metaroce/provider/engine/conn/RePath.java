package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.PathReceiver;
import io.metaroce.provider.engine.path.PathSender;
import io.metaroce.provider.engine.path.Plane;
import io.metaroce.provider.port.Counter;

/**
 * What becomes of a path whose probes are lost (protocol section 13): it gets a new source port and a new epoch, so that the network takes it another way. What it held
 * and no other path has taken over is due again, on any path. Where that helps no path of a plane, the plane is dead: one of its paths goes on probing.
 *
 * <p>When all paths are silent it is the peer that sleeps: then only one path moves in a round of probes, and its backoff goes on.
 */
final class RePath {
    private static final int LOST_PROBES = 3;

    /** Doublings of the probe time-out with which a moved path begins, at most, while others live. */
    private static final int MAX_ROUNDS = 10;

    private final Context context;

    RePath(Context context) {
        this.context = context;
    }

    /** A PROBE of a suspect path was lost. */
    void onProbeLost(Connection c, Path path, long nowNs) {
        if (path.lostProbes() < LOST_PROBES) {
            return;
        }
        if (path.plane.down()) {
            move(c, path, nowNs);
            return;
        }
        boolean allSilent = !othersLive(c, path, 0);
        if (allSilent) {
            if (nowNs < c.nextMoveNs) {
                return;
            }
            long ptoNs = c.ptoNs(path, context.config.ptoFloorNs());
            c.nextMoveNs = path.tail().expiryNs(Long.MIN_VALUE, ptoNs);
        } else if (path.plane.exhausted() && othersLive(c, path, path.plane.mask)) {
            onPlaneDown(c, path);
            return;
        }
        move(c, path, nowNs);
        path.plane.onRePath();
        path.rePaths(path.rePaths() + 1);
        if (!allSilent) {
            path.tail().onProbedAnew(Math.min(path.rePaths(), MAX_ROUNDS), nowNs);
        }
    }

    /** Whether another path, of those not left out, was heard since this one should have been. */
    private static boolean othersLive(Connection c, Path path, long leftOut) {
        for (Path other : c.paths) {
            if (!other.suspect()
                    && (leftOut & 1L << other.id) == 0
                    && other.tail().lastHeardNs() - path.silentSinceNs() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Another source port; and a new epoch, unless the peer has heard of none of the last 16. */
    private void move(Connection c, Path path, long nowNs) {
        PathSender sender = path.sender();
        path.lostProbes(0);
        path.moveTo(Ports.another(path.sourcePort(), context.config.localSlot(), context.random), nowNs);
        context.counters.inc(Counter.PATHS_MOVED);
        if ((sender.epoch() - sender.heardEpoch() & 0xff) >= PathReceiver.MAX_EPOCHS_AHEAD) {
            return;
        }
        path.rePath();
        long bit = 1L << path.id;
        c.lostMask &= ~bit;
        c.updateFull(path);
        c.orphaned(path);
    }

    /** Nothing passes on the plane: its paths are put aside, and this one probes for them. */
    private void onPlaneDown(Connection c, Path prober) {
        Plane plane = prober.plane;
        plane.down(true);
        c.planeNewsDue = true;
        context.counters.inc(Counter.PLANES_DOWN);
        for (Path path : c.paths) {
            if (path.plane == plane) {
                if (!path.suspect()) {
                    c.suspect(path);
                }
                // Also what was suspect when nobody knew of a path that lives: a muted path has no timer to find that
                // out.
                c.copyMask |= 1L << path.id & c.uncopiedMask;
                path.muted(path != prober);
                if (path != prober) {
                    c.probeMask &= ~(1L << path.id);
                    context.timers.cancel(path.timer);
                }
            }
        }
    }
}
