package io.metaroce.provider.engine.conn;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.conn.FakeStreams.Packet;
import io.metaroce.provider.engine.conn.TestNet.Flight;
import io.metaroce.provider.engine.conn.TestNet.Node;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.FrameFlag;
import io.metaroce.wire.FrameType;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Loss, silence and order of events on one connection, rule by rule (protocol sections 5, 11, 13). */
final class RecoveryTest extends LivePair {
    @Test
    void packets_go_over_all_paths() {
        aStreams.send(conn, S, 400);
        net.run(5 * MS);
        assertAllDelivered(464, "lossless");
        for (int path = 0; path < 4; path++) {
            int id = path;
            assertTrue(
                    net.sent(a, FrameType.DATA).stream()
                                    .filter(f -> f.path() == id)
                                    .count()
                            > 40,
                    "path " + id);
        }
        assertEquals(0, a.count(Counter.TX_RESENT));
    }

    @Test
    void a_message_takes_a_quarter_as_many_paths_as_it_has_packets_at_most() {
        TestNet other = new TestNet();
        FakeStreams from = new FakeStreams();
        Node x = other.node(1, 0x11, 4, from);
        int xc = x.attach(other.node(2, 0x22, 4, new FakeStreams()));
        other.run(MS);
        assertEquals(16, x.connection(xc).pathCount());
        from.send(xc, S, 10_000);
        other.run(20 * MS);
        for (int packets = 1; packets <= 64; packets++) {
            other.sent.clear();
            from.send(xc, S, packets);
            other.run(MS);
            long used = other.sent(x, FrameType.DATA).stream()
                    .map(Flight::path)
                    .distinct()
                    .count();
            assertTrue(used <= Math.max(1, packets / 4), packets + " packets on " + used + " paths");
        }
    }

    @Test
    void exactly_the_lost_packet_is_resent_on_its_path_under_its_psn_within_a_round_trip() {
        Set<Flight> lost = new HashSet<>();
        net.drop = f -> isData(f) && (f.flags() & FrameFlag.RTX) == 0 && f.psn() % 20 == 3 && lost.add(f);
        long startNs = net.nowNs;
        aStreams.send(conn, S, 200);
        net.run(5 * MS);
        assertAllDelivered(264, "loss");
        List<Flight> again = net.sent(a, FrameType.DATA).stream()
                .filter(f -> (f.flags() & FrameFlag.RTX) != 0)
                .toList();
        assertTrue(lost.size() > 5);
        assertEquals(lost.size(), again.size());
        for (Flight f : again) {
            Flight first = lost.stream()
                    .filter(l -> l.path() == f.path() && l.psn() == f.psn())
                    .findAny()
                    .orElseThrow();
            assertTrue(f.txOrder() > first.txOrder());
            assertTrue(
                    f.sentNs - first.sentNs <= 2 * net.delayNs + 10_000, "resent after " + (f.sentNs - first.sentNs));
        }
        assertEquals(0, a.count(Counter.PATHS_SUSPECTED));
        assertTrue(net.nowNs > startNs);
    }

    @Test
    void a_resend_goes_before_new_data_of_its_path() {
        boolean[] dropped = {false};
        net.drop = f -> isData(f) && f.path() == 0 && !dropped[0] && (dropped[0] = true);
        aStreams.send(conn, S, 3000);
        net.run(20 * MS);
        assertAllDelivered(3064, "loss");
        List<Flight> path0 =
                net.sent(a, FrameType.DATA).stream().filter(f -> f.path() == 0).toList();
        int at = 0;
        while ((path0.get(at).flags() & FrameFlag.RTX) == 0) {
            at++;
        }
        long sentNs = path0.get(at).sentNs;
        for (Flight f : path0) {
            assertTrue(f.sentNs != sentNs || f.txOrder() >= path0.get(at).txOrder());
        }
    }

    @Test
    void a_lost_resend_is_resent_without_a_time_out() {
        int[] drops = {0};
        net.drop = f -> isData(f) && f.path() == 1 && first(f) && drops[0]++ < 3;
        long startNs = net.nowNs;
        aStreams.send(conn, S, 600);
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 664, 10 * MS));
        assertTrue(drops[0] >= 3);
        assertTrue(net.nowNs - startNs < 5 * 2 * net.delayNs + 40_000, "took " + (net.nowNs - startNs));
        assertEquals(0, a.count(Counter.PATHS_SUSPECTED));
    }

    private int firstPsn = -1;

    /** The first PSN seen on path 1 since the start of the test, and every resend of it. */
    private boolean first(Flight f) {
        if (firstPsn < 0) {
            firstPsn = f.psn();
        }
        return f.psn() == firstPsn;
    }

    @Test
    void a_lost_tail_of_a_burst_is_found_by_the_marker_within_little_more_than_a_round_trip() {
        aStreams.send(conn, S, 8);
        Set<Integer> spsn = new HashSet<>();
        net.drop = f -> isData(f) && (f.flags() & FrameFlag.RTX) == 0 && spsn.add(f.psn()) && spsn.size() >= 7;
        long startNs = net.nowNs;
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 72, 10 * MS));
        long tookNs = net.nowNs - startNs;
        assertTrue(tookNs < 4 * net.delayNs, "took " + tookNs + " ns, the PTO would be at least 200000");
        List<Flight> markers = net.sent(a, FrameType.PROBE);
        assertFalse(markers.isEmpty());
        assertEquals(0, markers.get(0).attempt());
        assertTrue((markers.get(0).flags() & FrameFlag.NEWEST) != 0);
        assertEquals(24, markers.get(0).bytes.length, "header and tag only");
    }

    @Test
    void a_single_packet_that_arrives_costs_no_marker_and_one_that_does_not_is_found_before_the_pto() {
        traffic(50, 1);
        assertEquals(0, net.sent(a, FrameType.PROBE).size());
        net.drop = f -> isData(f) && (f.flags() & FrameFlag.RTX) == 0;
        long startNs = net.nowNs;
        aStreams.send(conn, S, 1);
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 64 + 51, 10 * MS));
        assertTrue(net.nowNs - startNs < 120_000, "took " + (net.nowNs - startNs));
    }

    @Test
    void a_path_that_lost_nothing_for_128_packets_sends_no_marker_until_it_loses_one() {
        traffic(100, 16);
        long before = a.count(Counter.TX_PROBES);
        traffic(20, 16);
        assertEquals(before, a.count(Counter.TX_PROBES), "every tail is acknowledged in time");
        boolean[] lost = {false};
        net.drop = f -> isData(f) && !lost[0] && (lost[0] = true);
        traffic(20, 16);
        assertTrue(lost[0]);
        long after = a.count(Counter.TX_PROBES) - before;
        assertTrue(after > 2, after + " markers: the path that lost a packet is eager again");
    }

    @Test
    void a_lost_marker_is_repeated() {
        int[] markers = {0};
        net.drop = f -> f.type() == FrameType.PROBE
                ? markers[0]++ == 0
                : f.type() == FrameType.DATA && f.from == a && (f.flags() & FrameFlag.RTX) == 0;
        long startNs = net.nowNs;
        aStreams.send(conn, S, 1);
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 65, 10 * MS));
        assertTrue(markers[0] >= 2, "" + markers[0]);
        long tookNs = net.nowNs - startNs;
        assertTrue(tookNs < 150_000, "took " + tookNs);
        assertTrue(net.sent(a, FrameType.PROBE).stream().allMatch(f -> f.attempt() == 0), "nobody had to ask");
    }

    @Test
    void when_all_markers_are_lost_the_path_is_asked_before_the_probe_time_out() {
        net.drop = f -> f.type() == FrameType.PROBE ? f.attempt() == 0 : isData(f) && (f.flags() & FrameFlag.RTX) == 0;
        long startNs = net.nowNs;
        aStreams.send(conn, S, 1);
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 65, 10 * MS));
        long tookNs = net.nowNs - startNs;
        assertTrue(tookNs < 200_000, "took " + tookNs);
    }

    @Test
    void lost_acks_cost_nothing_but_a_probe() {
        net.drop = f -> f.type() == FrameType.ACK;
        aStreams.send(conn, S, 50);
        net.run(100_000);
        net.drop = f -> false;
        net.run(5 * MS);
        assertAllDelivered(114, "acks lost");
        assertEquals(0, a.count(Counter.TX_RESENT), "nothing was lost, so nothing is resent");
        assertEquals(114, bStreams.order.size() + 64);
    }

    @Test
    void a_packet_refused_for_want_of_a_resource_is_as_if_it_had_not_come() {
        bStreams.refuse = stream -> true;
        aStreams.send(conn, S, 20);
        net.run(11_000);
        assertEquals(20, b.count(Counter.RX_NO_RESOURCE));
        assertTrue(net.sent(b, FrameType.ACK).isEmpty(), "what was dropped is not echoed");
        net.run(300_000);
        assertEquals(64, bStreams.delivered.size());
        assertTrue(b.count(Counter.RX_NO_RESOURCE) >= 20);
        for (int path = 0; path < 4; path++) {
            assertFalse(b.open().receiverFor(path).window().gap());
        }
        bStreams.refuse = stream -> false;
        net.run(50 * MS);
        assertAllDelivered(84, "refused for a while");
        assertEquals(20, bStreams.order.size(), "each delivered once");
    }

    @Test
    void work_that_is_over_becomes_a_void_and_leaves_no_hole() {
        net.drop = f -> isData(f) && (f.flags() & FrameFlag.RTX) == 0 && f.psn() % 4 == 1;
        aStreams.send(conn, S, 100);
        net.run(5_000);
        for (int spsn = 64; spsn < 164; spsn++) {
            aStreams.finished.add(new Packet(S, spsn));
        }
        net.run(5 * MS);
        List<Flight> voids = net.sent(a, FrameType.VOID);
        assertTrue(voids.size() > 10);
        assertEquals(24, voids.get(0).bytes.length);
        assertEquals(voids.size(), a.count(Counter.TX_VOID));
        assertEquals(164, aStreams.cleared.size(), "also told of those");
        for (int path = 0; path < 4; path++) {
            assertFalse(c().path(path).sender().outstanding());
            assertFalse(b.open().receiverFor(path).window().gap());
        }
    }

    @Test
    void a_duplicate_void_is_no_needless_resend() {
        net.drop = f -> isData(f) && (f.flags() & FrameFlag.RTX) == 0;
        aStreams.send(conn, S, 8);
        net.run(5_000);
        for (int spsn = 64; spsn < 72; spsn++) {
            aStreams.finished.add(new Packet(S, spsn));
        }
        net.run(5 * MS);
        Flight f = net.sent(a, FrameType.VOID).get(0);
        int before = b.open().receiverFor(f.path()).dupCount();
        net.inject(f.bytes, a, 0, b, f.sourcePort);
        net.run(MS);
        assertEquals(before, b.open().receiverFor(f.path()).dupCount());
        assertTrue(b.count(Counter.RX_DUPLICATE) > 0);
    }

    @Test
    void one_long_sleep_does_not_make_the_time_outs_long() {
        b.asleep = true;
        aStreams.send(conn, S, 100);
        net.run(3000 * MS);
        b.asleep = false;
        net.run(50 * MS);
        assertAllDelivered(164, "slept");
        net.drop = f -> isData(f) && (f.flags() & FrameFlag.RTX) == 0;
        long startNs = net.nowNs;
        aStreams.send(conn, S, 1);
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 165, 1000 * MS));
        assertTrue(net.nowNs - startNs < MS, "took " + (net.nowNs - startNs));
    }

    @Test
    void a_route_that_becomes_longer_is_learned() {
        net.delayNs = 5 * MS;
        for (int i = 0; i < 100; i++) {
            aStreams.send(conn, S, 20);
            net.run(20 * MS);
        }
        long probes = a.count(Counter.TX_PROBES);
        long copied = a.count(Counter.TX_COPIED);
        long resent = a.count(Counter.TX_RESENT);
        for (int i = 0; i < 50; i++) {
            aStreams.send(conn, S, 20);
            net.run(20 * MS);
        }
        assertEquals(copied, a.count(Counter.TX_COPIED));
        assertEquals(resent, a.count(Counter.TX_RESENT));
        assertTrue(a.count(Counter.TX_PROBES) - probes <= 4 * 50, "markers only");
        assertEquals(0, Long.bitCount(c().suspectMask));
    }

    @Test
    void a_path_that_passes_probes_but_no_data_is_not_flooded() {
        net.drop = f -> isData(f);
        aStreams.send(conn, S, 200);
        net.run(100 * MS);
        assertTrue(
                net.sent(a, FrameType.DATA).size() < 25_000,
                "" + net.sent(a, FrameType.DATA).size());
        net.drop = f -> false;
        long startNs = net.nowNs;
        assertTrue(net.runUntil(() -> bStreams.delivered.size() == 264, 50 * MS));
        assertTrue(net.nowNs - startNs < 5 * MS, "" + (net.nowNs - startNs));
        net.run(2000 * MS);
        assertAllDelivered(264, "black hole");
    }

    @Test
    void windows_hold_at_every_moment() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            TestNet other = new TestNet();
            FakeStreams from = new FakeStreams();
            FakeStreams to = new FakeStreams();
            Node x = other.node(1, 0x11, 1, from);
            Node y = other.node(2, 0x22, 1, to);
            int xc = x.attach(y);
            other.run(MS);
            Connection cx = x.connection(xc);
            long s = seed;
            other.drop = f -> {
                long inFlight = 0;
                for (int p = 0; p < cx.pathCount(); p++) {
                    assertTrue(cx.path(p).sender().open() <= 256, "seed " + s);
                    inFlight += cx.path(p).suspect() ? 0 : cx.path(p).sender().inFlightBytes();
                }
                assertEquals(inFlight, cx.inFlightBytes(), "seed " + s);
                boolean news = isData(f) && (f.flags() & FrameFlag.RTX) == 0 && f.from == x;
                long window = requireNonNull(cx.control()).connectionWindowBytes(other.nowNs);
                assertTrue(!news || inFlight <= Math.max(window, cx.maxPayload()), "seed " + s);
                return random.nextInt(100) < 5;
            };
            from.send(xc, S, 3000);
            assertTrue(other.runUntil(() -> to.delivered.size() == 3000, 1000 * MS), "seed " + seed);
            assertTrue(other.runUntil(() -> from.cleared.size() == 3000, 1000 * MS), "seed " + seed);
        }
    }

    @Test
    void any_loss_duplication_and_reordering_ends_with_all_delivered_and_each_cleared_once() {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            TestNet other = new TestNet();
            FakeStreams from = new FakeStreams();
            FakeStreams to = new FakeStreams();
            Node x = other.node(1, 0x11, 1 + (int) (seed % 3), from);
            Node y = other.node(2, 0x22, 1 + (int) (seed % 2), to);
            x.batch = 1 + random.nextInt(64);
            int loss = random.nextInt(40);
            int dup = random.nextInt(10);
            int late = random.nextInt(20);
            int xc = x.attach(y);
            other.drop = f -> {
                if (random.nextInt(100) < dup) {
                    Flight twin = other.inject(f.bytes, f.from, f.plane, f.from == x ? y : x, f.sourcePort);
                    twin.arrivesNs += random.nextInt(100_000);
                }
                if (random.nextInt(100) < late) {
                    f.arrivesNs += random.nextInt(60_000);
                }
                return random.nextInt(100) < loss;
            };
            int packets = 1 + random.nextInt(300);
            from.send(xc, S, packets);
            from.sendControl(xc, 5);
            String what = "seed " + seed;
            assertTrue(
                    other.runUntil(() -> from.cleared.size() == packets && from.controlCleared == 5, 60_000 * MS),
                    what);
            assertEquals(packets, to.delivered.size(), what);
            for (int n : from.cleared.values()) {
                assertEquals(1, n, what);
            }
            other.drop = f -> false;
            other.run(3000 * MS);
            Connection cx = x.connection(xc);
            for (int p = 0; p < cx.pathCount(); p++) {
                assertFalse(cx.path(p).sender().outstanding(), what);
            }
            assertEquals(0, cx.inFlightBytes(), what);
        }
    }

    @Test
    void control_goes_before_data_and_is_resent_when_lost() {
        boolean[] dropped = {false};
        net.drop = f -> f.type() == FrameType.STREAM_CTL && !dropped[0] && (dropped[0] = true);
        aStreams.send(conn, S, 300);
        aStreams.sendControl(conn, 3);
        net.run(5 * MS);
        assertEquals(FrameType.STREAM_CTL, net.sent.get(0).type());
        assertEquals(3, bStreams.controlHeard.size());
        assertEquals(Set.of(0, 1, 2), new HashSet<>(bStreams.controlHeard));
        assertEquals(3, aStreams.controlCleared);
    }

    @Test
    void one_ack_per_path_and_batch() {
        aStreams.send(conn, S, 60);
        net.run(10_000);
        net.sent.clear();
        net.run(5_000);
        Set<Integer> paths = new HashSet<>();
        for (Flight f : net.sent(b, FrameType.ACK)) {
            assertTrue(paths.add(f.path()), "two ACKs of path " + f.path());
        }
        assertEquals(4, paths.size());
    }

    @Test
    void blocks_go_out_without_path_news_and_more_than_one_ack_holds() {
        for (int i = 0; i < 40; i++) {
            bStreams.blocksToTell.add(i);
        }
        b.engine.wantAck(b.open().index, true);
        net.run(MS);
        assertEquals(3, net.sent(b, FrameType.ACK).size());
        assertEquals(40, aStreams.blocksHeard.size());
        assertNotEquals(aStreams.blocksHeard.get(0)[1], aStreams.blocksHeard.get(39)[1]);
        bStreams.blocksToTell.add(99);
        net.run(0);
        b.engine.wantAck(b.open().index, false);
        long startNs = net.nowNs;
        assertTrue(net.runUntil(() -> aStreams.blocksHeard.size() == 41, MS));
        assertEquals(25_000 + net.delayNs, net.nowNs - startNs, "the acknowledgement delay");
    }

    @Test
    void packets_are_cleared_before_the_blocks_of_the_same_ack() {
        bStreams.blocksToTell.add(7);
        aStreams.send(conn, S, 1);
        net.run(MS);
        assertEquals(65, aStreams.blocksHeard.get(0)[2]);
    }

    @Test
    void streams_take_turns_of_32_kilobytes() {
        for (int stream = 10; stream < 14; stream++) {
            aStreams.send(conn, stream, 200);
        }
        net.run(60_000); // the window grows by what is acknowledged
        List<Integer> runs = new java.util.ArrayList<>();
        int current = -1;
        for (Flight f : net.sent(a, FrameType.DATA)) {
            int stream = f.word(20) >>> 8;
            if (stream != current) {
                runs.add(0);
                current = stream;
            }
            runs.set(runs.size() - 1, runs.get(runs.size() - 1) + f.bytes.length);
        }
        assertTrue(runs.size() > 8, runs.toString());
        for (int run : runs.subList(0, runs.size() - 1)) {
            assertTrue(run <= 32 * 1024 + 2 * 1100, runs.toString());
        }
    }

    @Test
    void an_ack_of_another_epoch_is_stale() {
        aStreams.send(conn, S, 1);
        net.drop = f -> f.type() == FrameType.ACK;
        net.run(5_000);
        assertEquals(0, a.count(Counter.RX_STALE));
        net.drop = f -> false;
        net.run(MS);
        assertAllDelivered(65, "ack");
    }

    @Test
    void ce_marks_are_counted_and_told() {
        net.drop = f -> {
            f.ecn = isData(f) ? 3 : 2;
            return false;
        };
        aStreams.send(conn, S, 30);
        net.run(MS);
        assertEquals(30, b.count(Counter.RX_CE));
        int marks = 0;
        for (int path = 0; path < 4; path++) {
            marks += b.open().receiverFor(path).ceCount();
        }
        assertEquals(30, marks);
    }
}
