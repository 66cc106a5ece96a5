package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.conn.TestNet.Flight;
import io.metaroce.provider.engine.conn.TestNet.Node;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.FrameType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The life of a path: suspicion, copies, another way, planes that die and come back, a peer that sleeps. */
final class PathLifeTest extends LivePair {
    @Test
    void the_packets_of_a_dead_path_go_over_the_others() {
        net.drop = f -> f.type() != FrameType.ACK && f.from == a && f.path() == 2;
        aStreams.send(conn, S, 200);
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 264, 5 * MS), "only " + bStreams.delivered.size());
        net.run(20 * MS);
        assertAllDelivered(264, "dead path");
        assertTrue(a.count(Counter.TX_COPIED) > 0);
        assertTrue(c().path(2).suspect());
        net.sent.clear();
        aStreams.send(conn, S, 200);
        net.run(5 * MS);
        assertEquals(
                0,
                net.sent(a, FrameType.DATA).stream().filter(f -> f.path() == 2).count(),
                "no new data on it");
        assertAllDelivered(464, "without it");
        net.drop = f -> false;
        net.run(3000 * MS);
        assertFalse(c().path(2).suspect(), "a probe finds it alive");
        assertFalse(c().path(2).sender().outstanding(), "nothing is left of its epochs");
        assertTrue(c().path(2).epoch() > 0);
        assertAllDelivered(464, "back again");
    }

    @Test
    void a_path_that_comes_back_before_it_is_moved_has_its_holes_filled() {
        net.drop = f -> f.from == a && f.type() != FrameType.ACK && f.path() == 2;
        aStreams.send(conn, S, 200);
        assertTrue(net.runUntil(() -> a.count(Counter.TX_COPIED) > 0, 5 * MS));
        net.run(50_000);
        net.drop = f -> false;
        net.run(5 * MS);
        assertEquals(0, c().path(2).epoch());
        assertTrue(a.count(Counter.TX_VOID) > 0);
        assertFalse(c().path(2).sender().outstanding(), "its holes are filled");
        assertAllDelivered(264, "short silence");
    }

    @Test
    void a_single_packet_on_a_dead_path_is_delivered_though_the_other_paths_were_idle() {
        int[] dead = {-1};
        net.drop = f -> {
            if (isData(f) && dead[0] < 0) {
                dead[0] = f.path();
            }
            return f.from == a && f.type() != FrameType.ACK && f.path() == dead[0];
        };
        aStreams.send(conn, S, 1);
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 65, 5 * MS));
        net.run(MS);
        assertAllDelivered(65, "copied");
    }

    @Test
    void paths_that_die_one_after_the_other_down_to_one_lose_nothing() {
        for (int alive = 0; alive < 4; alive++) {
            TestNet other = new TestNet();
            FakeStreams from = new FakeStreams();
            FakeStreams to = new FakeStreams();
            Node x = other.node(1, 0x11, 1, from);
            Node y = other.node(2, 0x22, 1, to);
            int xc = x.attach(y);
            other.run(MS);
            int keep = alive;
            long[] deadFromNs = {0, 0, 0, 0};
            long startNs = other.nowNs;
            for (int p = 0; p < 4; p++) {
                deadFromNs[p] = startNs + (p == keep ? Long.MAX_VALUE / 2 : (p + 1) * 150_000L);
            }
            other.drop = f -> f.from == x
                    && f.type() < FrameType.INIT
                    && f.type() != FrameType.ACK
                    && f.sentNs >= deadFromNs[f.path()];
            for (int i = 0; i < 20; i++) {
                from.send(xc, S, 100);
                other.run(100_000);
            }
            assertTrue(
                    other.runUntil(() -> to.delivered.size() == 2000, 2000 * MS),
                    "alive " + alive + ": " + to.delivered.size());
        }
    }

    @Test
    void a_peer_that_sleeps_is_probed_not_flooded_and_everything_goes_on_when_it_wakes() {
        for (long sleepMs : new long[] {1, 5, 50, 3000}) {
            TestNet other = new TestNet();
            FakeStreams from = new FakeStreams();
            FakeStreams to = new FakeStreams();
            Node x = other.node(1, 0x11, 1, from);
            Node y = other.node(2, 0x22, 1, to);
            int xc = x.attach(y);
            other.run(MS);
            from.send(xc, S, 5000);
            other.run(100_000);
            y.asleep = true;
            long framesBefore = x.count(Counter.TX_FRAMES);
            other.run(sleepMs * MS);
            long probes = x.count(Counter.TX_FRAMES) - framesBefore;
            assertTrue(probes < 1100 + 4 * (15 + sleepMs / 1000), sleepMs + " ms asleep: " + probes + " frames");
            y.asleep = false;
            long wokeNs = other.nowNs;
            assertTrue(other.runUntil(() -> to.delivered.size() == 5000, 2000 * MS), "" + to.delivered.size());
            assertTrue(other.nowNs - wokeNs < 10 * MS, sleepMs + " ms asleep, then " + (other.nowNs - wokeNs) + " ns");
            long again = x.count(Counter.TX_RESENT) + x.count(Counter.TX_COPIED);
            assertTrue(again < 60, sleepMs + " ms asleep: " + again + " needless resends");
        }
    }

    @Test
    void a_peer_that_sleeps_with_one_packet_under_way_gets_no_copies_of_it() {
        b.asleep = true;
        aStreams.send(conn, S, 1);
        net.run(50 * MS);
        assertEquals(1, a.count(Counter.PATHS_SUSPECTED));
        b.asleep = false;
        net.run(50 * MS);
        assertAllDelivered(65, "slept");
        assertEquals(0, a.count(Counter.TX_COPIED), "no path was heard that could have taken a copy");
        assertEquals(1, bStreams.order.size());
    }

    @Test
    void when_a_silent_network_heals_the_first_answer_wakes_all_paths() {
        for (int onlyPath = -1; onlyPath < 4; onlyPath++) {
            TestNet other = new TestNet();
            FakeStreams from = new FakeStreams();
            FakeStreams to = new FakeStreams();
            Node x = other.node(1, 0x11, 1, from);
            Node y = other.node(2, 0x22, 1, to);
            int xc = x.attach(y);
            other.run(MS);
            from.send(xc, S, 64);
            other.run(MS);
            // No data passes, and probes are cut off on one path after the other, so that they go at different times
            // later.
            long cutNs = other.nowNs;
            other.drop = f -> f.from == x && (isData(f) || f.sentNs - cutNs >= f.path() * 37L * MS);
            from.send(xc, S, 200);
            other.run(2700 * MS);
            int only = onlyPath;
            other.drop = f -> only >= 0 && f.from == x && f.type() != FrameType.ACK && f.path() != only;
            long heard = x.count(Counter.RX_ACKS);
            assertTrue(other.runUntil(() -> x.count(Counter.RX_ACKS) > heard, 1100 * MS));
            long healedNs = other.nowNs;
            assertTrue(other.runUntil(() -> to.delivered.size() == 264, 5000 * MS), "" + to.delivered.size());
            long tookNs = other.nowNs - healedNs;
            assertTrue(tookNs < MS, "path " + onlyPath + ": " + tookNs + " ns after the first answer");
        }
    }

    @Test
    void a_probe_after_silence_is_answered_on_every_plane() {
        TestNet other = new TestNet();
        FakeStreams from = new FakeStreams();
        FakeStreams to = new FakeStreams();
        Node x = other.node(1, 0x11, 2, from);
        Node y = other.node(2, 0x22, 2, to);
        int xc = x.attach(y);
        other.run(MS);
        from.send(xc, S, 64);
        other.run(MS);
        // Plane 0 works from x to y only.
        other.drop = f -> f.from == y && f.plane == 0;
        from.send(xc, S, 400);
        assertTrue(other.runUntil(() -> from.cleared.size() == 464, 100 * MS));
        assertTrue(
                other.sent(y, FrameType.ACK).stream().anyMatch(f -> f.plane == 1 && f.path() < 4 && f.attempt() > 0));
        assertEquals(464, to.order.size(), "nothing was delivered twice");
        assertEquals(0, x.count(Counter.TX_COPIED));
    }

    @Test
    void a_process_that_slept_itself_suspects_nobody() {
        aStreams.send(conn, S, 500);
        net.run(5_000);
        a.asleep = true;
        net.run(50 * MS);
        a.asleep = false;
        net.run(5 * MS);
        assertAllDelivered(564, "sleeper");
        assertEquals(0, a.count(Counter.PATHS_SUSPECTED));
        assertEquals(0, a.count(Counter.TX_RESENT));
    }

    @Test
    void frames_of_an_earlier_epoch_have_no_effect_once_the_receiver_has_switched() {
        io.metaroce.provider.engine.path.PathReceiver receiver = new io.metaroce.provider.engine.path.PathReceiver(0);
        assertTrue(receiver.enter(0));
        receiver.window().mark(0);
        receiver.onReceived(9, true, 0, 1);
        assertTrue(receiver.enter(1));
        assertEquals(0, receiver.window().cum());
        assertEquals(0, receiver.highestTxOrder());
        assertEquals(0, receiver.ceCount());
        assertFalse(receiver.enter(0));
        assertFalse(receiver.enter(18), "more than 16 ahead");
        assertTrue(receiver.enter(17));
        assertTrue(receiver.enter(33 & 0xff));
    }

    @Test
    void a_dead_peer_is_probed_at_most_once_a_second_and_path() {
        b.asleep = true;
        aStreams.send(conn, S, 100);
        net.run(20_000 * MS);
        net.sent.clear();
        net.run(10_000 * MS);
        assertTrue(net.sent.size() <= 44, "" + net.sent.size());
        assertTrue(net.sent.size() >= 10, "" + net.sent.size());
        assertTrue(
                a.engine.describe(conn, net.nowNs).contains("10.0.0.2 slot 2, last heard 3"),
                a.engine.describe(conn, net.nowNs));
        b.asleep = false;
        net.run(3_000 * MS);
        assertAllDelivered(164, "alive again");
    }

    @Test
    void what_an_epoch_has_received_is_told_once_more_when_the_next_one_begins() {
        long cutNs = net.nowNs + 5_000;
        net.drop = f -> f.from == b || f.sentNs >= cutNs; // everything arrives, no ACK does, and then nothing passes
        aStreams.send(conn, S, 60);
        assertTrue(net.runUntil(() -> a.count(Counter.PATHS_MOVED) > 0, 100 * MS));
        assertEquals(60, bStreams.order.size());
        int orphans = 0;
        for (int p = 0; p < 4; p++) {
            orphans += c().path(p).sender().orphans();
        }
        assertTrue(orphans > 0, "the moved path held something");
        net.drop = f -> false;
        net.run(2000 * MS);
        assertAllDelivered(124, "epoch");
        assertEquals(0, a.count(Counter.TX_RESENT) + a.count(Counter.TX_COPIED));
        assertEquals(60, bStreams.order.size(), "nothing twice");
    }

    @Test
    void while_all_paths_are_silent_one_moves_in_a_round_of_probes() {
        List<Long> movesNs = new ArrayList<>();
        Set<Integer> epochs = new HashSet<>();
        net.drop = f -> {
            if (f.from == a && f.bytes[3] != 0 && epochs.add((f.path() << 8) + (f.bytes[3] & 0xff))) {
                movesNs.add(f.sentNs);
            }
            return false;
        };
        b.asleep = true;
        aStreams.send(conn, S, 60);
        long startNs = net.nowNs;
        net.run(3000 * MS);
        // Probes are lost 200, 400, 800 and 1600 us after the packets went; then one is at the end of each doubled
        // round, of a second at most.
        assertEquals(12, movesNs.size());
        long atNs = startNs;
        for (int i = 0; i < movesNs.size(); i++) {
            long roundNs = i == 0 ? 1_600_000 : Math.min(800_000L << i, 1000 * MS);
            assertTrue(Math.abs(movesNs.get(i) - atNs - roundNs) < 20_000, "move " + i + ": " + movesNs);
            atNs = movesNs.get(i);
        }
    }

    @Test
    void acks_go_on_by_the_way_back_on_which_a_probe_was_answered() {
        int dead = Ports.reverse(2, 2, 0, 0);
        net.drop = f -> f.from == b && f.type() == FrameType.ACK && f.path() == 2 && f.sourcePort == dead;
        traffic(200, 40);
        assertEquals(0, a.count(Counter.PATHS_SUSPECTED));
        assertEquals(
                1,
                net.sent(a, FrameType.PROBE).stream()
                        .filter(f -> f.attempt() > 0)
                        .count(),
                "asked once");
        assertAllDelivered(64 + 8000, "one way back is dead");
    }

    @Test
    void a_path_that_passes_probes_but_no_data_gives_its_packets_to_the_others() {
        net.drop = f -> f.from == a && isData(f) && f.path() == 2;
        aStreams.send(conn, S, 200);
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 264, 5 * MS), "" + bStreams.delivered.size());
        net.run(5 * MS);
        assertAllDelivered(264, "probes only");
    }

    @Test
    void also_when_the_others_have_been_idle() {
        int[] narrow = {-1};
        net.drop = f -> {
            if (f.from == a && isData(f) && narrow[0] < 0) {
                narrow[0] = f.path();
            }
            return f.from == a && isData(f) && f.path() == narrow[0];
        };
        net.run(100 * MS);
        aStreams.send(conn, S, 1);
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 65, 5 * MS));
        assertEquals(1, a.count(Counter.TX_COPIED));
        net.run(5 * MS);
        assertAllDelivered(65, "probes only, alone");
    }

    @Test
    void a_late_ack_of_an_earlier_epoch_clears_packets_but_does_not_make_the_path_good() {
        List<Flight> late = new ArrayList<>();
        Set<Integer> first = new HashSet<>();
        net.drop = f -> {
            if (f.path() != 2) {
                return false;
            }
            if (f.from == b) {
                late.add(f);
                return true;
            }
            return !first.add(f.psn()) || f.type() != FrameType.DATA; // the data arrives once, nothing after it
        };
        aStreams.send(conn, S, 60);
        net.run(20_000);
        assertFalse(late.isEmpty());
        net.drop = f -> f.path() == 2;
        assertTrue(net.runUntil(() -> c().path(2).epoch() > 0, 100 * MS));
        assertTrue(c().path(2).suspect());
        net.inject(late.get(late.size() - 1).bytes, b, 0, a, late.get(0).sourcePort);
        net.run(MS);
        assertTrue(c().path(2).suspect(), "its new route has not answered");
        net.drop = f -> false;
        net.run(2000 * MS);
        assertAllDelivered(124, "late ACK");
    }

    @Test
    void any_packet_of_a_peer_that_was_silent_on_all_paths_wakes_them() {
        net.drop = f -> f.from == b;
        aStreams.send(conn, S, 60);
        net.run(3000 * MS);
        assertEquals(c().allMask, c().suspectMask);
        net.drop = f -> f.from == b && f.type() == FrameType.ACK;
        bStreams.send(b.open().index, S, 1);
        net.sent.clear();
        net.run(4 * net.delayNs);
        assertEquals(
                4,
                net.sent(a, FrameType.PROBE).stream()
                        .map(Flight::path)
                        .distinct()
                        .count(),
                "all are asked at once");
        net.drop = f -> false;
        net.run(2000 * MS);
        assertAllDelivered(124, "awake");
    }
}
