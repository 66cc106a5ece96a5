package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.conn.TestNet.Flight;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.FrameType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A path that was moved off a dead route goes back to it when it works again, without disturbing anything (protocol section 13). */
final class WayHomeTest extends LivePair {
    private final int home = c().path(2).sourcePort();

    /** Over four paths. */
    private void traffic(long ms) {
        traffic(ms, 20);
    }

    private boolean byHome(Flight f) {
        return f.from == a && f.type() != FrameType.ACK && f.sourcePort == home;
    }

    private boolean isTrial(Flight f) {
        return byHome(f) && f.type() == FrameType.PROBE && f.attempt() == 0 && f.bytes.length > 24;
    }

    /** Path 2 on another port than it began with, its first route still dead. */
    private void moveAway() {
        net.drop = this::byHome;
        traffic(20);
        assertNotEquals(home, c().path(2).sourcePort());
        assertFalse(c().path(2).suspect());
        net.sent.clear();
    }

    private List<Flight> trials() {
        return net.sent.stream().filter(this::isTrial).toList();
    }

    @Test
    void a_route_that_was_repaired_is_used_again_and_nothing_is_sent_twice_for_it() {
        moveAway();
        int epoch = c().path(2).epoch();
        long again = a.count(Counter.TX_RESENT) + a.count(Counter.TX_COPIED);
        net.drop = f -> false;
        traffic(60);
        assertEquals(home, c().path(2).sourcePort());
        assertEquals(1, a.count(Counter.PATHS_BACK));
        assertEquals(1, trials().size());
        assertTrue(net.sent.stream().filter(f -> byHome(f) && isData(f)).count() > 20, "data goes by it");
        assertEquals(epoch, c().path(2).epoch(), "no new epoch: nothing was in flight");
        assertEquals(again, a.count(Counter.TX_RESENT) + a.count(Counter.TX_COPIED));
        traffic(2000);
        assertEquals(1, trials().size(), "at home there is nothing to try");
        assertAllDelivered(sent, "repaired");
    }

    @Test
    void a_route_that_stays_dead_is_tried_more_and_more_rarely_and_gets_no_data() {
        moveAway();
        int port = c().path(2).sourcePort();
        long again = a.count(Counter.TX_RESENT) + a.count(Counter.TX_COPIED);
        long suspected = a.count(Counter.PATHS_SUSPECTED);
        traffic(5000);
        List<Flight> trials = trials();
        // 50 ms after the move, then 100, 200, 400, 800 ms and a second later, and what a trial itself takes.
        long[] waitsMs = {100, 200, 400, 800, 1000, 1000, 1000};
        assertEquals(waitsMs.length + 1, trials.size());
        for (int i = 0; i < waitsMs.length; i++) {
            long gapNs = trials.get(i + 1).sentNs - trials.get(i).sentNs;
            assertTrue(gapNs >= waitsMs[i] * MS && gapNs < (waitsMs[i] + 10) * MS, i + ": " + gapNs);
        }
        assertEquals(port, c().path(2).sourcePort());
        assertEquals(0, net.sent.stream().filter(f -> byHome(f) && isData(f)).count());
        assertTrue(net.sent.stream().filter(f -> isData(f) && f.path() == 2).count() > 10_000, "the path is used");
        assertEquals(again, a.count(Counter.TX_RESENT) + a.count(Counter.TX_COPIED));
        assertEquals(suspected, a.count(Counter.PATHS_SUSPECTED));
        assertAllDelivered(sent, "dead for ever");
    }

    @Test
    void a_trial_begins_when_nothing_is_in_flight_and_data_waits_for_its_end() {
        net.delayNs = MS / 2; // a window lasts longer than a moment
        traffic(100);
        int[] trials = {0};
        net.drop = f -> {
            if (isTrial(f)) {
                trials[0]++;
                assertFalse(c().path(2).sender().outstanding());
            }
            assertFalse(isData(f)
                    && f.from == a
                    && f.path() == 2
                    && c().path(2).home().trying());
            return byHome(f);
        };
        for (int i = 0; i < 40; i++) {
            aStreams.send(conn, S, 8000); // never idle
            sent += 8000;
            net.run(10 * MS);
        }
        assertTrue(trials[0] >= 2, "" + trials[0]);
        assertTrue(c().hasWork());
        net.drop = f -> false;
        net.run(1000 * MS);
        assertAllDelivered(sent, "busy");
    }

    @Test
    void only_one_path_of_a_connection_is_tried_at_a_time() {
        int other = c().path(0).sourcePort();
        int third = c().path(1).sourcePort();
        boolean[] dead = {true};
        net.drop = f -> {
            int trying = 0;
            for (int p = 0; p < 4; p++) {
                trying += c().path(p).home().trying() ? 1 : 0;
            }
            assertTrue(trying <= 1);
            boolean on = f.from == a && f.type() != FrameType.ACK;
            return dead[0] && on && (f.sourcePort == home || f.sourcePort == other || f.sourcePort == third);
        };
        traffic(40);
        dead[0] = false;
        traffic(400);
        assertEquals(home, c().path(2).sourcePort());
        assertEquals(other, c().path(0).sourcePort());
        assertEquals(third, c().path(1).sourcePort());
        assertEquals(3, a.count(Counter.PATHS_BACK));
        assertAllDelivered(sent, "three");
    }

    @Test
    void a_route_that_passes_small_packets_only_is_not_gone_back_to() {
        moveAway();
        net.drop = f -> byHome(f) && f.bytes.length > 1000;
        traffic(1000);
        assertNotEquals(home, c().path(2).sourcePort());
        assertEquals(0, a.count(Counter.PATHS_BACK));
        assertEquals(c().maxPayload(), trials().get(0).bytes.length);
        assertAllDelivered(sent, "small ones only");
    }

    @Test
    void a_route_that_comes_and_goes_is_tried_as_rarely_as_one_that_stays_dead() {
        moveAway();
        for (int i = 0; i < 100; i++) {
            net.drop = f -> false;
            traffic(30);
            net.drop = this::byHome;
            traffic(30);
        }
        // In 6 s: after 50, 100, 200, 400, 800 ms, then at most once a second.
        assertTrue(trials().size() <= 10, "" + trials().size());
        assertTrue(a.count(Counter.PATHS_MOVED) <= 10, "" + a.count(Counter.PATHS_MOVED));
        net.drop = f -> false;
        traffic(1100);
        assertEquals(home, c().path(2).sourcePort());
        assertAllDelivered(sent, "flaps");
    }

    @Test
    void an_idle_connection_tries_nothing() {
        moveAway();
        net.drop = f -> false;
        net.run(MS);
        net.sent.clear();
        net.run(5000 * MS);
        assertEquals(0, net.sent.size());
        traffic(2);
        assertEquals(home, c().path(2).sourcePort(), "with the first traffic");
    }

    @Test
    void the_only_path_that_lives_is_not_put_on_trial() {
        moveAway();
        net.drop = f -> f.from == a && f.type() != FrameType.ACK && f.path() != 2;
        traffic(300);
        assertEquals(0, trials().size());
        net.drop = f -> false;
        traffic(1100);
        assertEquals(home, c().path(2).sourcePort());
        assertAllDelivered(sent, "alone");
    }
}
