package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.SplitMix;
import io.metaroce.wire.MetaRoce;

/**
 * UDP source ports. A path's port is {@code entropy << 10 | slot}: six bits that ECMP can hash on, and the slot of the sender, so that a RESET finds its way to a
 * process that the receiver knows nothing of. The ports that processes claim (47810 and up) are left out; a handshake comes from the claimed port itself.
 */
final class Ports {
    private static final int SLOT_BITS = 10;
    private static final int FIRST_ENTROPY = 1;
    private static final int LAST_ENTROPY = 63;
    private static final int FIRST_CLAIMED = MetaRoce.PORT_BASE >>> SLOT_BITS;
    private static final int LAST_CLAIMED = (MetaRoce.PORT_BASE + MetaRoce.SLOTS - 1) >>> SLOT_BITS;

    /** Different source ports of one process. */
    static final int COUNT = LAST_ENTROPY - FIRST_ENTROPY + 1 - (LAST_CLAIMED - FIRST_CLAIMED + 1);

    private Ports() {}

    /** The source port number {@code index} (any int; taken modulo {@link #COUNT}) of a process. */
    static int source(int slot, int index) {
        int entropy = FIRST_ENTROPY + Integer.remainderUnsigned(index, COUNT);
        if (entropy >= FIRST_CLAIMED) {
            entropy += LAST_CLAIMED - FIRST_CLAIMED + 1;
        }
        return entropy << SLOT_BITS | slot;
    }

    /** A source port other than {@code present}. */
    static int another(int present, int slot, SplitMix random) {
        int index = random.nextInt(COUNT);
        int port = source(slot, index);
        return port != present ? port : source(slot, index + 1);
    }

    /** The source port of an ACK: a function of what it acknowledges, another one for another attempt. */
    static int reverse(int slot, int path, int epoch, int attempt) {
        return source(slot, path * 7 + epoch * 5 + attempt * 11);
    }

    /** The UDP port that the sender of a frame listens on. */
    static int claimedBy(int sourcePort) {
        return MetaRoce.slot(sourcePort) >= 0 ? sourcePort : MetaRoce.port(sourcePort & MetaRoce.SLOTS - 1);
    }
}
