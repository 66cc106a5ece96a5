package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.PathSender;
import io.metaroce.provider.port.Counter;

/**
 * Routes on which large packets vanish without a word (RFC 8899, section 4.3): both interfaces may send 9000 bytes and something between them does not pass them on. The
 * handshake has shown one size that passes, each acknowledged packet shows another; when packets above all that was shown are lost again and again, and none of them ever
 * arrives, the connection keeps below from then on. What was under way is cut anew. A size that has passed once can stop to pass when routes change; that takes time to
 * believe, because a full queue loses many packets at once, too. The larger size is tried again later.
 */
final class BlackHole {
    /** Losses in a row, of packets larger than any that has passed, that show a black hole: at 20 % loss one in 10^11. */
    private static final int LOSSES = 16;

    /** Probe time-outs without one arriving, while they are lost, after which this holds for a size that has passed before. */
    private static final int PROBE_TIME_OUTS = 4;

    /** From a step down to the first trial of the larger size; twice as long after each that fails. */
    static final long FIRST_RAISE_NS = 10_000_000_000L;

    /** Longest time between trials (RFC 8899, section 5.1.1). */
    private static final long PMTU_RAISE_TIMER_NS = 600_000_000_000L;

    /** Losses in a row that end a trial (RFC 8899, section 5.1.2). */
    private static final int MAX_PROBES = 3;

    private final Context context;

    BlackHole(Context context) {
        this.context = context;
    }

    /** What an ACK of the path shows, which has cleared {@code n} packets: without loss it costs nothing once the largest packet has passed. */
    void onAck(Connection c, Path path, int[] cleared, int n, long nowNs) {
        PathSender sender = path.sender();
        if (nowNs >= c.raiseNs) {
            raise(c);
        }
        if (c.provenBytes < c.maxPayload || c.largeLosses > 0) {
            for (int k = 0; k < n; k++) {
                onPassed(c, sender.bytes(cleared[k]));
            }
        }
        if (sender.newlyLost() > 0 && sender.lost() > 0) {
            onLost(c, path, sender.bytes(sender.firstLost()), nowNs);
        }
    }

    /** Data of the larger size is the probe (RFC 8899, section 4.1): it comes only when there is something to gain. */
    private void raise(Connection c) {
        c.raiseNs = Long.MAX_VALUE;
        c.raising = true;
        c.largeLosses = 0;
        c.maxPayload = c.wideBytes;
        context.counters.inc(Counter.MTU_STEPS_UP);
    }

    private static void onPassed(Connection c, int bytes) {
        if (bytes > c.provenBytes) {
            c.provenBytes = bytes;
            c.raising = false;
        }
        if (bytes >= c.lostBytes) {
            c.largeLosses = 0;
        }
    }

    private void onLost(Connection c, Path path, int bytes, long nowNs) {
        if (bytes <= c.sureBytes) {
            return;
        }
        if (c.largeLosses == 0) {
            c.largeLostNs = nowNs;
            c.lostBytes = bytes;
        }
        c.lostBytes = Math.min(c.lostBytes, bytes);
        c.largeLosses += path.sender().newlyLost();
        boolean passedBefore = c.lostBytes <= c.provenBytes;
        long patienceNs = passedBefore ? PROBE_TIME_OUTS * c.ptoNs(path, context.config.ptoFloorNs()) : 0;
        if (c.largeLosses >= (c.raising ? MAX_PROBES : LOSSES) && nowNs - c.largeLostNs >= patienceNs) {
            c.provenBytes = passedBefore ? c.sureBytes : c.provenBytes;
            stepDown(c, nowNs);
        }
    }

    private void stepDown(Connection c, long nowNs) {
        int narrower = Math.max(c.provenBytes, Handshake.LEAST_PAYLOAD_BYTES);
        c.largeLosses = 0;
        if (narrower < c.maxPayload) {
            c.wideBytes = Math.max(c.wideBytes, c.maxPayload);
            c.raiseWaitNs = c.raiseWaitNs == 0 ? FIRST_RAISE_NS : Math.min(2 * c.raiseWaitNs, PMTU_RAISE_TIMER_NS);
            c.raiseNs = nowNs + c.raiseWaitNs;
            c.raising = false;
            context.events.log("packets of up to " + c.maxPayload + " bytes to " + Planes.text(c.remoteHi, c.remoteLo)
                    + " vanish on the way (an MTU that is not the interfaces'?); going on with " + narrower);
            c.maxPayload = narrower;
            context.counters.inc(Counter.MTU_STEPS_DOWN);
        }
    }
}
