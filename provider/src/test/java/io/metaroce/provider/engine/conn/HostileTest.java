package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.conn.TestNet.Flight;
import io.metaroce.provider.engine.conn.TestNet.Node;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.FrameReader;
import io.metaroce.wire.FrameTag;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.TrailerLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever arrives: nothing throws, nothing grows without bound, and honest traffic goes on. */
final class HostileTest {
    private static final int S = FakeStreams.STREAM;

    private final TestNet net = new TestNet();
    private final FakeStreams aStreams = new FakeStreams();
    private final FakeStreams bStreams = new FakeStreams();
    private final Node a = net.node(1, 0x11, 2, aStreams);
    private final Node b = net.node(2, 0x22, 2, bStreams);
    private final long scratch = Mem.alloc(2048);

    /** Changed in a few places; with the right tag if {@code sealed}. */
    private byte[] mutate(byte[] frame, Random random, boolean sealed) {
        byte[] bytes = frame.clone();
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(3) == 0 ? random.nextInt(bytes.length) : random.nextInt(Math.min(bytes.length, 60));
            bytes[at] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextBoolean() ? -1 : 0);
        }
        if (random.nextInt(20) == 0) {
            bytes = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        }
        if (!sealed || bytes.length == 0) {
            return bytes;
        }
        Mem.copy(bytes, 0, scratch, bytes.length);
        long read = FrameReader.read(scratch, bytes.length);
        if (read >= 0 && FrameReader.level(read) == TrailerLevel.TAG) {
            Connection c = a.open();
            FrameTag.seal(
                    scratch, FrameReader.headerLength(read), FrameReader.payloadLength(read), c.keyHigh, c.keyLow);
            Mem.copy(scratch, bytes, 0, bytes.length);
        }
        return bytes;
    }

    private int connect() {
        int conn = a.attach(b);
        net.run(TestNet.MS);
        aStreams.send(conn, S, 200);
        aStreams.sendControl(conn, 3);
        bStreams.blocksToTell.add(1);
        net.run(5 * TestNet.MS);
        assertEquals(200, bStreams.delivered.size());
        return conn;
    }

    @Test
    void frames_without_the_key_change_nothing_for_a_live_connection() {
        int conn = connect();
        List<Flight> seen = new ArrayList<>(net.sent);
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < 100; i++) {
                Flight f = seen.get(random.nextInt(seen.size()));
                byte[] bytes = mutate(f.bytes, random, false);
                if (java.util.Arrays.equals(bytes, f.bytes)) {
                    continue; // the fields chosen held these values already: a replay, not a forgery
                }
                net.inject(bytes, f.from == a ? a : b, f.plane, f.from == a ? b : a, f.sourcePort);
            }
            aStreams.send(conn, S, 10);
            net.run(TestNet.MS);
            net.sent.clear();
        }
        net.run(500 * TestNet.MS);
        assertTrue(a.engine.isOpen(conn));
        assertTrue(aStreams.gone.isEmpty() && bStreams.gone.isEmpty());
        for (int spsn = 0; spsn < 2200; spsn++) {
            assertEquals(1, bStreams.delivered.get(new FakeStreams.Packet(S, spsn)), "SPSN " + spsn);
            assertEquals(1, aStreams.cleared.get(new FakeStreams.Packet(S, spsn)), "SPSN " + spsn);
        }
        assertTrue(b.count(Counter.RX_MALFORMED) > 1000);
        assertTrue(b.count(Counter.RX_BAD_TAG) > 1000);
        assertTrue(b.engine.end() <= 3, "connections made out of nothing: " + b.engine.end());
    }

    @Test
    void a_peer_that_holds_the_key_and_lies_breaks_nothing_but_its_own_connection() {
        for (long seed = 1; seed <= 30; seed++) {
            Random random = new Random(seed);
            int conn = a.attach(b);
            net.run(10 * TestNet.MS);
            if (!a.engine.isOpen(conn)) {
                net.run(2000 * TestNet.MS);
            }
            bStreams.lenient = true;
            aStreams.lenient = true;
            net.sent.clear();
            aStreams.send(conn, S, 100);
            aStreams.sendControl(conn, 1);
            net.run(2 * TestNet.MS);
            List<Flight> seen = new ArrayList<>(net.sent);
            for (int i = 0; i < 2000 && a.engine.isOpen(conn) && !seen.isEmpty(); i++) {
                Flight f = seen.get(random.nextInt(seen.size()));
                if (f.type() >= FrameType.INIT && random.nextInt(10) > 0) {
                    continue;
                }
                net.inject(
                        mutate(f.bytes, random, true), f.from == a ? a : b, f.plane, f.from == a ? b : a, f.sourcePort);
                if (i % 50 == 0) {
                    aStreams.send(conn, S, 5);
                    net.run(TestNet.MS);
                }
            }
            a.engine.shutdown(net.nowNs);
            b.engine.shutdown(net.nowNs);
            net.run(6000 * TestNet.MS);
            assertEquals(0, a.inUse, "seed " + seed);
        }
        // Another pair of processes on the same hosts is as good as new.
        FakeStreams fresh = new FakeStreams();
        FakeStreams other = new FakeStreams();
        Node x = net.node(3, 0x33, 2, fresh);
        Node y = net.node(4, 0x44, 2, other);
        int conn = x.attach(y);
        fresh.send(conn, S, 50);
        assertTrue(net.runUntil(() -> other.delivered.size() == 50, 100 * TestNet.MS));
    }

    @Test
    void a_flood_of_inits_leaves_no_state_and_honest_peers_get_through() {
        a.attach(b);
        net.run(TestNet.MS);
        Flight init = net.sent(a, FrameType.INIT).get(0);
        Random random = new Random(5);
        Node c = net.node(3, 0x33, 1, new FakeStreams());
        int conn = -1;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = init.bytes.clone();
            for (int k = 28; k < 40; k++) {
                bytes[k] = (byte) (random.nextInt(255) + 1); // boot nonce, connection id
            }
            net.inject(bytes, a, 0, b, init.sourcePort);
            if (i % 20 == 0) {
                net.run(10_000);
            }
            if (i == 10_000) {
                conn = c.attach(b);
            }
        }
        net.run(TestNet.MS);
        assertTrue(c.engine.isOpen(conn));
        assertEquals(2, b.count(Counter.CONNECTIONS_OPENED));
        assertEquals(2, b.engine.end());
        assertTrue(b.count(Counter.RX_INITS) > 10_000);
    }
}
