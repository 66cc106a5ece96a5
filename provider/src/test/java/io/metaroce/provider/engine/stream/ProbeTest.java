package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.slots.SendSlot;
import org.junit.jupiter.api.Test;

/** The ACK of a message's last packet is lost; the PROBE that follows the message brings its news once more. */
final class ProbeTest {
    private static final int QP = 5;

    private final Pair pair = new Pair(1).connected(QP, 16, 16);
    private final Peer a = pair.a;
    private final Peer b = pair.b;

    @Test
    void a_probe_makes_the_block_that_went_out_last_due_again() {
        TestMemory.Region from = a.memory.register(Peer.PD, 100, 0);
        TestMemory.Region to = b.memory.register(Peer.PD, 100, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        pair.forNs(5_000_000);
        long postedNs = pair.nowNs;
        boolean[] probed = new boolean[1];
        pair.dropAck = k -> !probed[0];
        a.write(QP, 1, SendSlot.SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        pair.forNs(30_000);
        assertEquals(0, a.completions.size());
        assertFalse(b.streams.blocksDue(Peer.CONN));
        probed[0] = true;
        b.streams.onProbe(Peer.CONN, pair.nowNs);
        assertTrue(b.streams.blocksDue(Peer.CONN));
        pair.until(() -> !a.completions.isEmpty());
        assertTrue(
                pair.nowNs - postedNs < 100_000,
                "after " + (pair.nowNs - postedNs) + " ns: a QUERY comes after 400 us only");
    }

    @Test
    void a_probe_of_a_connection_without_streams_makes_nothing_due() {
        b.streams.destroy(QP, pair.nowNs);
        b.streams.onProbe(Peer.CONN, pair.nowNs);
        assertFalse(b.streams.blocksDue(Peer.CONN));
    }
}
