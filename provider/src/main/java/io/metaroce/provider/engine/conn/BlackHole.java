package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.PathSender;
import io.metaroce.provider.port.Counter;

/**
 * Routes on which large packets vanish without a word (RFC 8899, section 4.3): both interfaces may send 9000 bytes and something between them does not pass them on. The
 * handshake has shown one size that passes, each acknowledged packet shows another; when packets above all that was shown are lost again and again, and none of them ever
 * arrives, the connection keeps below from then on. What was under way is cut anew. A size that has passed once can stop to pass when routes change; that takes time to
 * believe, because a full queue loses many packets at once, too.
 */
final class BlackHole {
    /** Losses in a row, of packets larger than any that has passed, that show a black hole: at 20 % loss one in 10^11. */
    private static final int LOSSES = 16;

    /** Probe time-outs without one arriving, while they are lost, after which this holds for a size that has passed before. */
    private static final int PROBE_TIME_OUTS = 4;

    private final Context context;

    BlackHole(Context context) {
        this.context = context;
    }

    /** What an ACK of the path shows, which has cleared {@code n} packets: without loss it costs nothing once the largest packet has passed. */
    void onAck(Connection c, Path path, int[] cleared, int n, long nowNs) {
        PathSender sender = path.sender();
        if (c.provenBytes < c.maxPayload || c.largeLosses > 0) {
            for (int k = 0; k < n; k++) {
                onPassed(c, sender.bytes(cleared[k]));
            }
        }
        if (sender.newlyLost() > 0 && sender.lost() > 0) {
            onLost(c, path, sender.bytes(sender.firstLost()), nowNs);
        }
    }

    private static void onPassed(Connection c, int bytes) {
        c.provenBytes = Math.max(c.provenBytes, bytes);
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
        if (c.largeLosses >= LOSSES && nowNs - c.largeLostNs >= patienceNs) {
            c.provenBytes = passedBefore ? c.sureBytes : c.provenBytes;
            stepDown(c);
        }
    }

    private void stepDown(Connection c) {
        int narrower = Math.max(c.provenBytes, Handshake.LEAST_PAYLOAD_BYTES);
        c.largeLosses = 0;
        if (narrower < c.maxPayload) {
            context.events.log("packets of up to " + c.maxPayload + " bytes to " + Planes.text(c.remoteHi, c.remoteLo)
                    + " vanish on the way (an MTU that is not the interfaces'?); going on with " + narrower);
            c.maxPayload = narrower;
            context.counters.inc(Counter.MTU_STEPS_DOWN);
        }
    }
}
