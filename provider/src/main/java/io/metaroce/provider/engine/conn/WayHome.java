package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.path.HomePort;
import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.port.Counter;

/**
 * How a path that was moved comes back to the source port that it began with, when its route works again. Without it all paths end on the routes that were left by the
 * last failure. One path of a connection at a time gets no new data until nothing of it is in flight, and then sends one PROBE as large as a packet from its first
 * port; its epoch goes on. An answer within two probe time-outs brings it home, else it goes on where it was and the next trial is twice as far away.
 */
final class WayHome {
    private static final int PROBE_TIME_OUTS = 2;

    private final Context context;

    WayHome(Context context) {
        this.context = context;
    }

    /** The time of {@link HomePort#dueNs} has come on a path that is not suspect. */
    void onDue(Connection c, Path path, long nowNs) {
        HomePort home = path.home();
        long ptoNs = c.ptoNs(path, context.config.ptoFloorNs());
        if (home.trying()) {
            c.endTrial(path);
            return;
        }
        long bit = 1L << path.id;
        long others = c.allMask & ~(c.suspectMask | c.avoidMask | bit);
        if (c.trialMask != 0 || others == 0) {
            home.postpone(nowNs + (others == 0 ? HomePort.FIRST_WAIT_NS : PROBE_TIME_OUTS * ptoNs));
            return;
        }
        path.beginTrial(nowNs + PROBE_TIME_OUTS * ptoNs);
        c.trialMask = bit;
        ask(c, path);
    }

    /** An ACK of the path brought news. */
    void onHeard(Connection c, Path path, long nowNs) {
        if (path.home().asked()) {
            if (path.homeAnswers(nowNs)) {
                c.trialMask = 0;
                context.counters.inc(Counter.PATHS_BACK);
            }
        } else {
            ask(c, path);
        }
    }

    private static void ask(Connection c, Path path) {
        if (!path.sender().outstanding()) {
            path.askHome();
            c.probeMask |= 1L << path.id;
        }
    }
}
