package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Counter;
import io.metaroce.wire.FrameType;
import org.junit.jupiter.api.Test;

/** A plane of two that dies and comes back: paths 0 to 3 are on plane 0, paths 4 to 7 on plane 1 (protocol section 13). */
final class PlaneLifeTest extends LivePair {
    private static final long PLANE1 = 0xf0;

    PlaneLifeTest() {
        super(2);
    }

    private void traffic(long ms) {
        traffic(ms, 40);
    }

    private void kill() {
        net.drop = f -> f.plane == 1;
        assertTrue(c().allMask == 0xff);
        traffic(40);
        assertEquals(1, a.count(Counter.PLANES_DOWN));
        assertEquals(PLANE1, c().suspectMask);
        assertAllDelivered(sent, "over the other plane");
    }

    @Test
    void a_dead_plane_is_given_up_one_path_probes_and_the_peer_avoids_it() {
        kill();
        assertEquals(PLANE1, b.open().avoidMask, "told by PATH_CTL");
        net.sent.clear();
        traffic(200);
        assertEquals(
                0,
                net.sent(a, FrameType.DATA).stream().filter(f -> f.plane == 1).count());
        assertTrue(
                net.sent.stream()
                                .filter(f -> f.plane == 1)
                                .map(f -> f.path())
                                .distinct()
                                .count()
                        <= 1,
                "one path");
        assertTrue(net.sent.stream().filter(f -> f.plane == 1).count() < 12, "probes get rare");
        bStreams.send(b.open().index, S, 200);
        net.sent.clear();
        net.run(MS);
        assertEquals(200, net.sent(b, FrameType.DATA).size());
        assertEquals(
                0,
                net.sent(b, FrameType.DATA).stream().filter(f -> f.plane == 1).count(),
                "the peer's data too");
    }

    @Test
    void a_plane_that_comes_back_is_used_at_once_by_both() {
        kill();
        traffic(100);
        net.drop = f -> false;
        assertTrue(net.runUntil(() -> a.count(Counter.PLANES_UP) == 1, 1100 * MS), "a probe a second at least");
        net.run(MS);
        assertEquals(0, c().suspectMask, "all its paths were asked at once");
        assertEquals(0, b.open().avoidMask, "the peer was told");
        net.sent.clear();
        traffic(10);
        assertTrue(
                net.sent(a, FrameType.DATA).stream().filter(f -> f.plane == 1).count() > 50);
        assertAllDelivered(sent, "back");
    }

    @Test
    void a_plane_that_was_dead_for_long_has_not_run_out_of_the_epochs_that_the_peer_accepts() {
        kill();
        for (int s = 0; s < 120; s++) {
            traffic(1);
            net.run(999 * MS);
        }
        int prober = Long.numberOfTrailingZeros(c().suspectMask);
        for (int p = 4; p < 8; p++) {
            int ahead = c().path(p).epoch() - c().path(p).sender().heardEpoch() & 0xff;
            assertTrue(ahead <= 16, "path " + p + " is " + ahead + " epochs ahead");
            prober = c().path(p).muted() ? prober : p;
        }
        assertEquals(16, c().path(prober).epoch(), "a re-path every third probe, one a second: 40");
        int port = c().path(prober).sourcePort();
        net.run(4000 * MS);
        assertNotEquals(port, c().path(prober).sourcePort(), "the port goes on changing");
        net.drop = f -> false;
        assertTrue(net.runUntil(() -> a.count(Counter.PLANES_UP) == 1, 1100 * MS), "no answer");
        traffic(10);
        assertEquals(0, c().suspectMask);
        assertAllDelivered(sent, "back");
    }
}
