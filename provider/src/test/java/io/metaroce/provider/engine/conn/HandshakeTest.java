package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.conn.TestNet.Flight;
import io.metaroce.provider.engine.conn.TestNet.Node;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.MetaRoce;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HandshakeTest {
    private final TestNet net = new TestNet();
    private final FakeStreams aStreams = new FakeStreams();
    private final FakeStreams bStreams = new FakeStreams();
    private final Node a = net.node(1, 0x11, 1, aStreams);
    private final Node b = net.node(2, 0x22, 1, bStreams);

    @Test
    void opens_in_two_round_trips_with_a_padded_init_and_a_cookie() {
        int conn = a.attach(b);
        assertFalse(a.engine.isOpen(conn));
        assertTrue(net.runUntil(() -> a.engine.isOpen(conn), 10 * TestNet.MS));
        assertEquals(40_000, net.nowNs);
        assertEquals(
                List.of(FrameType.INIT, FrameType.INIT_ACK, FrameType.OPEN, FrameType.OPEN_ACK),
                net.sent.stream().map(Flight::type).toList());
        assertEquals(1200, net.sent.get(0).bytes.length);
        assertTrue(net.sent.get(1).bytes.length < 100, "an answer to a stranger must not amplify");
        assertEquals(MetaRoce.LARGE_PACKET_BYTES, net.sent.get(2).bytes.length);
        Connection atA = a.open();
        Connection atB = b.open();
        assertEquals(atA.localId(), atB.peerId());
        assertEquals(atB.localId(), atA.peerId());
        assertNotEquals(0, atA.localId());
        assertEquals(4, atA.pathCount());
        assertEquals(4, atB.pathCount());
        assertEquals(1344, atA.segmentBytes());
        assertEquals(1344, atB.segmentBytes());
        assertEquals(List.of(conn), aStreams.opened);
    }

    @Test
    void an_init_leaves_no_state_and_a_wrong_cookie_neither() {
        a.attach(b);
        net.drop = f -> {
            if (f.type() == FrameType.OPEN) {
                f.bytes[244 + 9] ^= 1;
            }
            return false;
        };
        net.run(100 * TestNet.MS);
        assertTrue(b.count(Counter.RX_INITS) > 0);
        assertTrue(b.count(Counter.RX_BAD_COOKIE) > 0);
        assertEquals(0, b.engine.end());
    }

    @Test
    void a_cookie_is_only_good_for_the_address_it_was_given_to() {
        Node c = net.node(3, 0x33, 1, new FakeStreams());
        a.attach(b);
        net.drop = f -> f.type() == FrameType.OPEN;
        net.run(5 * TestNet.MS);
        Flight open = net.sent(a, FrameType.OPEN).get(0);
        net.inject(open.bytes, c, 0, b, open.sourcePort);
        net.run(5 * TestNet.MS);
        assertEquals(1, b.count(Counter.RX_BAD_COOKIE));
        assertEquals(0, b.engine.end());
        net.inject(open.bytes, a, 0, b, open.sourcePort);
        net.run(5 * TestNet.MS);
        assertEquals(1, b.engine.end(), "from its own address the same frame opens");
    }

    @Test
    void an_old_cookie_opens_nothing() {
        a.attach(b);
        net.drop = f -> f.type() == FrameType.OPEN;
        net.run(5 * TestNet.MS);
        Flight open = net.sent(a, FrameType.OPEN).get(0);
        net.nowNs += Cookie.LIFE_NS + 1;
        net.inject(open.bytes, a, 0, b, open.sourcePort);
        net.runUntil(() -> b.count(Counter.RX_BAD_COOKIE) > 0, 5 * TestNet.MS);
        assertEquals(1, b.count(Counter.RX_BAD_COOKIE));
    }

    @Test
    void retries_double_from_20_ms_until_somebody_answers() {
        b.dead = true;
        a.attach(b);
        net.run(700 * TestNet.MS);
        List<Long> times = net.sent(a, FrameType.INIT).stream()
                .map(f -> f.sentNs / TestNet.MS)
                .toList();
        assertEquals(List.of(0L, 20L, 60L, 140L, 300L, 620L), times);
        b.dead = false;
        net.run(600 * TestNet.MS);
        assertTrue(a.open().isOpen());
    }

    @Test
    void nobody_attached_any_more_ends_the_attempt() {
        b.dead = true;
        int conn = a.attach(b);
        a.engine.detach(conn, net.nowNs);
        net.run(20_000 * TestNet.MS);
        assertEquals(1, net.sent(a, FrameType.INIT).size());
        assertEquals(0, a.engine.end());
        assertEquals(0, a.inUse, "destinations not given back");
    }

    @Test
    void a_lost_frame_of_each_kind_is_made_up_for() {
        for (int lost : new int[] {FrameType.INIT, FrameType.INIT_ACK, FrameType.OPEN, FrameType.OPEN_ACK}) {
            TestNet other = new TestNet();
            Node x = other.node(1, 0x11, 1, new FakeStreams());
            Node y = other.node(2, 0x22, 1, new FakeStreams());
            int[] left = {1};
            other.drop = f -> f.type() == lost && left[0]-- > 0;
            int conn = x.attach(y);
            assertTrue(other.runUntil(() -> x.engine.isOpen(conn), 50 * TestNet.MS), FrameType.name(lost));
            assertEquals(x.open().peerId(), y.open().localId());
            assertEquals(x.open().localId(), y.open().peerId());
        }
    }

    @Test
    void a_duplicate_open_gets_the_same_answer() {
        int conn = a.attach(b);
        net.run(5 * TestNet.MS);
        Flight open = net.sent(a, FrameType.OPEN).get(0);
        Flight answer = net.sent(b, FrameType.OPEN_ACK).get(0);
        net.inject(open.bytes, a, 0, b, open.sourcePort);
        net.run(5 * TestNet.MS);
        List<Flight> answers = net.sent(b, FrameType.OPEN_ACK);
        assertEquals(2, answers.size());
        assertEquals(List.of(list(answer)), List.of(list(answers.get(1))));
        assertTrue(a.engine.isOpen(conn));
        assertEquals(1, b.count(Counter.CONNECTIONS_OPENED));
    }

    private static List<Byte> list(Flight f) {
        List<Byte> bytes = new java.util.ArrayList<>();
        for (byte x : f.bytes) {
            bytes.add(x);
        }
        return bytes;
    }

    @Test
    void when_both_start_at_once_one_connection_results_and_the_lower_nonce_opened_it() {
        int atA = a.attach(b);
        int atB = b.attach(a);
        net.run(200 * TestNet.MS);
        assertTrue(a.engine.isOpen(atA));
        assertTrue(b.engine.isOpen(atB));
        assertEquals(a.open().localId(), b.open().peerId());
        assertEquals(b.open().localId(), a.open().peerId());
        assertTrue(net.sent(b, FrameType.OPEN).isEmpty(), "the higher nonce gives way");
        assertEquals(1, net.sent(a, FrameType.OPEN).size());
    }

    @Test
    void both_start_one_after_the_other_at_any_distance_and_one_connection_results() {
        for (int gapUs = 0; gapUs < 60; gapUs++) {
            for (int lowFirst = 0; lowFirst < 2; lowFirst++) {
                TestNet other = new TestNet();
                Node x = other.node(1, lowFirst == 1 ? 0x11 : 0x99, 1, new FakeStreams());
                Node y = other.node(2, 0x22, 1, new FakeStreams());
                int atX = x.attach(y);
                other.run(gapUs * 1000L);
                int atY = y.attach(x);
                other.run(300 * TestNet.MS);
                assertTrue(x.engine.isOpen(atX) && y.engine.isOpen(atY), "gap " + gapUs);
                assertEquals(x.open().localId(), y.open().peerId(), "gap " + gapUs);
                assertEquals(y.open().localId(), x.open().peerId(), "gap " + gapUs);
                assertEquals(List.of(atX), fake(x).opened);
                assertEquals(List.of(atY), fake(y).opened);
            }
        }
    }

    private static FakeStreams fake(Node node) {
        return (FakeStreams) java.util.Objects.requireNonNull(node.streams);
    }

    @Test
    void a_second_user_shares_the_connection() {
        int first = a.attach(b);
        assertEquals(first, a.attach(b));
        net.run(5 * TestNet.MS);
        assertEquals(first, a.attach(b));
        assertEquals(b.open().index, b.attach(a), "also on the side that did not open it");
        assertEquals(1, a.count(Counter.CONNECTIONS_OPENED));
        assertEquals(4, a.connection(first).attached() + 1);
    }

    @Test
    void no_route_is_minus_one_and_leaves_nothing() {
        assertEquals(-1, a.engine.attach(0, TestNet.address(7, 9), 9, 0));
        assertEquals(0, a.engine.end());
        assertEquals(0, a.inUse);
    }

    @Test
    void a_full_table_is_minus_one() {
        for (int i = 0; i < ConnectionTable.CAPACITY; i++) {
            assertTrue(a.engine.attach(0, TestNet.address(0, 2), i == 1 ? 1023 : i == 1023 ? 1022 : i, 0) >= 0, "" + i);
            if (i == 1022) {
                break;
            }
        }
        int more = 0;
        while (a.engine.attach(0, TestNet.address(0, 3 + more), 5, 0) >= 0) {
            more++;
        }
        assertTrue(more <= 2, "table holds more than it should: " + more);
        assertEquals(ConnectionTable.CAPACITY, a.engine.end());
    }

    @Test
    void a_process_that_talks_to_itself_skips_the_handshake() {
        int conn = a.engine.attach(0, TestNet.address(0, 1), 1, 0);
        assertTrue(a.engine.isOpen(conn));
        assertTrue(aStreams.opened.isEmpty(), "told in the next cycle, when the number is known");
        aStreams.send(conn, FakeStreams.STREAM, 100);
        net.run(5 * TestNet.MS);
        assertEquals(List.of(conn), aStreams.opened);
        assertEquals(100, aStreams.delivered.size());
        assertEquals(100, aStreams.cleared.size());
        assertTrue(net.sent(null, FrameType.INIT).isEmpty());
    }

    @Test
    void planes_pair_by_index_and_each_pair_has_its_paths() {
        Node x = net.node(3, 0x33, 3, new FakeStreams());
        Node y = net.node(4, 0x44, 2, new FakeStreams());
        x.attach(y);
        net.run(5 * TestNet.MS);
        Connection c = x.open();
        assertEquals(8, c.pathCount());
        for (int i = 0; i < 8; i++) {
            assertEquals(i / 4, c.path(i).localPlane);
            assertEquals(i / 4, c.path(i).peerPlane);
        }
        assertEquals(8, y.open().pathCount());
    }

    @Test
    void source_ports_of_paths_differ_and_tell_the_slot() {
        a.attach(b);
        net.run(5 * TestNet.MS);
        Connection c = a.open();
        long distinct = java.util.stream.IntStream.range(0, 4)
                .map(i -> c.path(i).sourcePort())
                .distinct()
                .count();
        assertEquals(4, distinct);
        for (int i = 0; i < 4; i++) {
            assertEquals(a.localPort(), Ports.claimedBy(c.path(i).sourcePort()));
            assertTrue(MetaRoce.slot(c.path(i).sourcePort()) < 0);
        }
    }

    @Test
    void segments_are_small_where_large_packets_do_not_pass() {
        net.drop = f -> f.bytes.length > 1300;
        int conn = a.attach(b);
        assertTrue(net.runUntil(() -> a.engine.isOpen(conn), 400 * TestNet.MS));
        assertEquals(1152, a.engine.segmentBytes(conn));
        assertEquals(1152, b.open().segmentBytes());
    }

    @Test
    void a_restarted_peer_is_known_by_its_nonce_within_two_round_trips() {
        int conn = a.attach(b);
        net.run(5 * TestNet.MS);
        net.nodes.remove(b);
        net.node(2, 0x77, 1, new FakeStreams());
        long startNs = net.nowNs;
        aStreams.send(conn, FakeStreams.STREAM, 1);
        assertTrue(net.runUntil(() -> !aStreams.gone.isEmpty(), 50 * TestNet.MS));
        assertEquals(List.of("12 the peer process has restarted"), aStreams.gone);
        assertEquals(6 * net.delayNs, net.nowNs - startNs, "its packet, the RESET, INIT, INIT_ACK, OPEN, OPEN_ACK");
        assertTrue(a.log.get(a.log.size() - 1).startsWith("connection lost: 10.0.0.2 slot 2"), a.log.toString());
        net.run(50 * TestNet.MS);
        assertEquals(
                0, net.nodes.get(1).count(Counter.CONNECTIONS_OPEN), "the connection made by asking is closed again");
    }

    @Test
    void a_restarted_peer_that_opens_by_itself_ends_the_old_connection() {
        int conn = a.attach(b);
        net.run(5 * TestNet.MS);
        net.nodes.remove(b);
        Node again = net.node(2, 0x77, 1, new FakeStreams());
        int back = again.attach(a);
        net.run(50 * TestNet.MS);
        assertTrue(again.engine.isOpen(back));
        assertFalse(a.engine.isOpen(conn));
        assertEquals(1, aStreams.gone.size());
        assertEquals(again.open().localId(), a.open().peerId());
    }

    @Test
    void a_forged_reset_changes_nothing() {
        Node c = net.node(3, 0x33, 1, new FakeStreams());
        int conn = a.attach(b);
        net.run(5 * TestNet.MS);
        c.engine.attach(0, TestNet.address(0, 2), 9, 0);
        aStreams.send(conn, FakeStreams.STREAM, 1);
        net.run(MS);
        // What node 3 would answer to that packet, but as if node 2 had said it.
        Flight data = net.sent(a, FrameType.DATA).get(0);
        net.inject(data.bytes, a, 0, c, data.sourcePort);
        net.drop = f -> f.from == c;
        net.run(MS);
        Flight reset = net.sent(c, FrameType.RESET).get(0);
        net.drop = f -> false;
        for (int i = 0; i < 10; i++) {
            net.inject(reset.bytes, b, 0, a, reset.sourcePort);
        }
        net.run(50 * TestNet.MS);
        assertTrue(a.engine.isOpen(conn));
        assertTrue(aStreams.gone.isEmpty());
        net.inject(reset.bytes, b, 0, a, reset.sourcePort);
        net.run(10 * MS);
        assertEquals(11, a.count(Counter.RX_RESETS));
        assertEquals(2, net.sent(a, FrameType.INIT).size(), "asked once in 100 ms");
        aStreams.send(conn, FakeStreams.STREAM, 10);
        net.run(5 * TestNet.MS);
        assertEquals(11, bStreams.delivered.size());
    }

    private static final long MS = TestNet.MS;

    @Test
    void resets_are_rationed() {
        a.attach(b);
        net.run(5 * TestNet.MS);
        aStreams.send(a.open().index, FakeStreams.STREAM, 1);
        net.run(TestNet.MS);
        Flight data = net.sent(a, FrameType.DATA).get(0);
        byte[] unknown = data.bytes.clone();
        unknown[4] ^= 0x55;
        for (int i = 0; i < 1000; i++) {
            net.inject(unknown, a, 0, b, data.sourcePort);
        }
        net.run(TestNet.MS);
        assertEquals(1000, b.count(Counter.RX_UNKNOWN_CONNECTION));
        assertTrue(b.count(Counter.TX_RESETS) <= 40, "" + b.count(Counter.TX_RESETS));
        assertTrue(b.count(Counter.TX_RESETS) > 0);
    }

    @Test
    void close_tells_the_peer_and_keeps_the_id_aside() {
        int conn = a.attach(b);
        net.run(5 * TestNet.MS);
        int atB = b.attach(a);
        Flight open = net.sent(a, FrameType.OPEN).get(0);
        a.engine.shutdown(net.nowNs);
        net.run(5 * TestNet.MS);
        assertFalse(a.engine.isOpen(conn));
        assertFalse(b.engine.isOpen(atB));
        assertEquals(List.of("12 closed by the peer (DONE)"), bStreams.gone);
        net.inject(open.bytes, a, 0, b, open.sourcePort);
        net.run(5 * TestNet.MS);
        assertEquals(1, b.count(Counter.CONNECTIONS_OPENED), "a late OPEN does not bring it back");
        net.run(6000 * TestNet.MS);
        assertEquals(0, a.engine.end());
        assertEquals(0, b.engine.end());
        assertEquals(0, a.inUse);
        assertEquals(0, b.inUse);
    }

    @Test
    void an_unused_connection_is_closed_after_a_while() {
        int conn = a.attach(b);
        net.run(5 * TestNet.MS);
        a.engine.detach(conn, net.nowNs);
        net.run(5_000 * TestNet.MS);
        assertTrue(a.engine.isOpen(conn));
        net.run(30_000 * TestNet.MS);
        assertNull(a.engine.connection(conn));
        assertEquals(0, b.count(Counter.CONNECTIONS_OPEN));
        assertTrue(bStreams.gone.isEmpty(), "nobody used it");
    }

    @Test
    void frames_with_a_wrong_tag_have_no_effect() {
        int conn = a.attach(b);
        net.run(5 * TestNet.MS);
        aStreams.send(conn, FakeStreams.STREAM, 1);
        net.run(TestNet.MS);
        Flight data = net.sent(a, FrameType.DATA).get(0);
        for (int byteAt = 8; byteAt < 52; byteAt++) {
            byte[] forged = data.bytes.clone();
            forged[byteAt] ^= 1;
            net.inject(forged, a, 0, b, data.sourcePort);
        }
        byte[] bare = java.util.Arrays.copyOf(data.bytes, data.bytes.length - 4);
        bare[19] &= ~0xc;
        net.inject(bare, a, 0, b, data.sourcePort);
        net.run(TestNet.MS);
        assertEquals(1, bStreams.order.size());
        assertEquals(45, b.count(Counter.RX_BAD_TAG) + b.count(Counter.RX_MALFORMED));
        assertTrue(b.count(Counter.RX_BAD_TAG) >= 30, "" + b.count(Counter.RX_BAD_TAG));
        assertTrue(a.engine.isOpen(conn));
    }
}
