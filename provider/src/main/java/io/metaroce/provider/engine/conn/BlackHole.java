package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.path.PathSender;
import io.metaroce.provider.port.Counter;

/**
 * Routes on which large packets vanish without a word (RFC 8899, section 4.3): both interfaces may send 9000 bytes and something between them does not pass them on. The
 * handshake has shown one size that passes, each acknowledged packet shows another; when packets above all that was shown are lost again and again, and none of them ever
 * arrives, the connection keeps below from then on. What was under way is cut anew.
 */
final class BlackHole {
    /** Losses in a row, of packets larger than any that has passed, that show a black hole: at 20 % loss one in 10^11. */
    private static final int LOSSES = 16;

    private final Context context;

    BlackHole(Context context) {
        this.context = context;
    }

    /** What an ACK shows, which has cleared {@code n} packets: none of it costs anything once the largest packet has passed. */
    void onAck(Connection c, PathSender sender, int[] cleared, int n) {
        if (c.provenBytes >= c.maxPayload) {
            return;
        }
        for (int k = 0; k < n; k++) {
            int bytes = sender.bytes(cleared[k]);
            if (bytes > c.provenBytes) {
                c.provenBytes = bytes;
                c.largeLosses = 0;
            }
        }
        if (sender.newlyLost() > 0 && sender.lost() > 0 && sender.bytes(sender.firstLost()) > c.provenBytes) {
            c.largeLosses += sender.newlyLost();
            if (c.largeLosses >= LOSSES) {
                stepDown(c);
            }
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
