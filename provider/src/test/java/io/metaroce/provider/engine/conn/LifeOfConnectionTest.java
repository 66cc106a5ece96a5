package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.metaroce.provider.engine.conn.TestNet.Flight;
import io.metaroce.provider.engine.conn.TestNet.Node;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.wire.FrameTag;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Strangers, floods, late frames of earlier boots, other versions, and connections on which nothing happens. */
final class LifeOfConnectionTest {
    private static final long MS = TestNet.MS;

    private final TestNet net = new TestNet();
    private final FakeStreams aStreams = new FakeStreams();
    private final FakeStreams bStreams = new FakeStreams();
    private final Node a = net.node(1, 0x11, 1, aStreams);
    private final Node b = net.node(2, 0x22, 1, bStreams);

    @Test
    void a_flood_of_inits_and_opens_without_a_good_cookie_leaves_not_a_byte() {
        a.attach(b);
        net.drop = f -> f.type() == FrameType.OPEN;
        net.run(5 * MS);
        Flight init = net.sent(a, FrameType.INIT).get(0);
        Flight open = net.sent(a, FrameType.OPEN).get(0);
        net.drop = f -> true;
        SplittableRandom random = new SplittableRandom(3);
        long initAt = Mem.alloc(2048);
        long openAt = Mem.alloc(2048);
        Mem.copy(init.bytes, 0, initAt, init.bytes.length);
        Mem.copy(open.bytes, 0, openAt, open.bytes.length);
        RxBatch batch = new RxBatch();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (int round = 0; round < 4000; round++) {
            batch.clear();
            for (int k = 8; k < 20; k++) { // boot nonce and connection id
                Mem.putByte(initAt + 20 + k, (byte) (1 + random.nextInt(255)));
            }
            for (int k = 0; k < 32; k++) {
                Mem.putByte(openAt + 244 + k, (byte) random.nextInt());
            }
            for (int i = 0; i < 25; i++) {
                long from = 0xffff_0000_0000L | 0x0a000000L | random.nextInt(1 << 16);
                batch.add(initAt, init.bytes.length, 0, 2, 0, from, init.sourcePort);
                batch.add(openAt, open.bytes.length, 0, 2, 0, from, open.sourcePort);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            b.engine.onFrames(batch, net.nowNs);
            long after = threads.getCurrentThreadAllocatedBytes();
            allocated += round < 1000 ? 0 : after - before; // the first ones load classes and compile
            b.cycle();
        }
        assertEquals(100_000, b.count(Counter.RX_BAD_COOKIE));
        assertTrue(b.count(Counter.RX_INITS) > 100_000, "answered " + b.count(Counter.RX_INITS));
        assertEquals(0, b.engine.end());
        assertEquals(Long.MAX_VALUE, b.engine.nextDeadlineNs(), "a timer for a stranger");
        assertTrue(allocated < 75_000, allocated + " bytes allocated for 150,000 forged frames");
    }

    @Test
    void an_open_of_the_boot_before_that_comes_late_does_not_end_the_connection_of_the_one_after() {
        a.attach(b);
        net.drop = f -> f.type() == FrameType.OPEN;
        net.run(5 * MS);
        Flight late = net.sent(a, FrameType.OPEN).get(0); // its cookie is good, and it was never delivered
        net.drop = f -> false;
        net.nodes.remove(a);
        Node again = net.node(1, 0x88, 1, new FakeStreams());
        int conn = again.attach(b);
        net.run(50 * MS);
        assertTrue(again.engine.isOpen(conn));
        net.inject(late.bytes, again, 0, b, late.sourcePort);
        net.run(50 * MS);
        assertTrue(again.engine.isOpen(conn));
        assertEquals(0x88, b.open().peerNonce);
        assertEquals(1, b.count(Counter.CONNECTIONS_OPENED));
        assertEquals(1, b.count(Counter.RX_STALE));
    }

    @Test
    void another_version_is_answered_with_the_list_of_those_that_are_spoken() {
        a.attach(b);
        net.run(5 * MS);
        net.sent.clear();
        Flight init = net.inject(firstInit(3), a, 0, b, a.localPort());
        net.run(5 * MS);
        List<Flight> resets = net.sent(b, FrameType.RESET);
        assertEquals(1, resets.size());
        byte[] reset = resets.get(0).bytes;
        assertEquals(1, reset[20], "reason VERSION");
        assertEquals(1 << 1, ((reset[22] & 0xff) << 8) | (reset[23] & 0xff), "version 1 alone");
        assertArrayEquals(Arrays.copyOf(init.bytes, 20), Arrays.copyOfRange(reset, 32, 52), "the header quoted");
        assertEquals(a.localPort(), resets.get(0).toPort);
        assertEquals(1, b.count(Counter.CONNECTIONS_OPENED), "only the honest one");
    }

    private byte[] firstInit(int version) {
        byte[] bytes = new byte[1200];
        bytes[0] = (byte) (version << 4 | FrameType.INIT);
        return bytes;
    }

    @Test
    void who_is_told_that_its_version_is_not_spoken_says_so_once_and_goes_on_trying() {
        int conn = a.attach(b);
        net.drop = f -> {
            if (f.type() == FrameType.INIT && net.nowNs < 100 * MS) {
                f.bytes[0] = (byte) (2 << 4 | FrameType.INIT); // b hears another version than we spoke
            }
            return false;
        };
        net.run(99 * MS);
        assertFalse(a.engine.isOpen(conn));
        assertEquals(1, a.log.size(), a.log::toString);
        assertTrue(a.log.get(0).contains("it speaks other versions of the protocol (mask 0x2)"), a.log::toString);
        assertTrue(net.runUntil(() -> a.engine.isOpen(conn), 500 * MS), "a RESET is not to be trusted");
    }

    @Test
    void a_connection_that_is_used_and_idle_sends_nothing() {
        int conn = a.attach(b);
        b.attach(a);
        aStreams.send(conn, FakeStreams.STREAM, 50);
        net.run(1000 * MS);
        assertEquals(50, aStreams.cleared.size());
        net.sent.clear();
        net.run(600_000 * MS);
        assertEquals(List.of(), net.sent.stream().map(Flight::type).toList());
        assertTrue(a.engine.isOpen(conn));
        aStreams.send(conn, FakeStreams.STREAM, 50);
        net.run(5 * MS);
        assertEquals(100, bStreams.delivered.size());
    }

    @Test
    void no_id_is_used_again_while_a_cookie_could_bring_its_connection_back() {
        int conn = a.attach(b);
        net.run(5 * MS);
        int before = a.open().localId();
        a.engine.detach(conn, net.nowNs);
        a.engine.shutdown(net.nowNs);
        net.run(MS);
        int next = a.attach(b);
        net.run(Cookie.LIFE_NS);
        assertTrue(a.engine.isOpen(next));
        assertTrue(next != conn && a.open().localId() != before);
        assertEquals(before, a.connection(conn).localId(), "kept aside");
        net.run(2000 * MS);
        assertEquals(null, a.engine.connection(conn));
    }

    @Test
    void both_start_at_once_and_one_connection_results_whatever_frame_is_lost_or_late() {
        for (long seed = 1; seed <= 1000; seed++) {
            openAtOnce(seed);
        }
    }

    private static void openAtOnce(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean lowFirst = random.nextBoolean();
        String what = "seed " + seed;
        TestNet other = new TestNet();
        FakeStreams xStreams = new FakeStreams();
        FakeStreams yStreams = new FakeStreams();
        Node x = other.node(1, lowFirst ? 0x11 : 0x99, 1, xStreams);
        Node y = other.node(2, 0x22, 1, yStreams);
        int[] left = {random.nextInt(12)};
        other.drop = f -> {
            f.arrivesNs += random.nextInt(4) == 0 ? random.nextInt(60_000) : 0;
            return f.type() >= FrameType.INIT && left[0]-- == 0;
        };
        int atX = x.attach(y);
        other.run(random.nextInt(60_000));
        int atY = y.attach(x);
        xStreams.send(atX, FakeStreams.STREAM, 10);
        yStreams.send(atY, FakeStreams.STREAM, 10);
        other.run(500 * MS);
        assertTrue(x.engine.isOpen(atX) && y.engine.isOpen(atY), what);
        assertEquals(x.open().localId(), y.open().peerId(), what);
        assertEquals(y.open().localId(), x.open().peerId(), what);
        assertEquals(10, xStreams.delivered.size(), what);
        assertEquals(10, yStreams.delivered.size(), what);
        assertTrue(xStreams.gone.isEmpty() && yStreams.gone.isEmpty(), what);
    }

    /** It knows nothing of the connection any more, but it is the same process: what was under way there is lost all the same. */
    @Test
    void a_peer_that_has_lost_the_connection_without_a_restart_is_found_too() {
        int conn = a.attach(b);
        net.run(5 * MS);
        net.drop = f -> f.type() == FrameType.CLOSE;
        b.engine.shutdown(net.nowNs);
        net.run(6_000 * MS); // the quarantine is over
        net.drop = f -> false;
        long startNs = net.nowNs;
        aStreams.send(conn, FakeStreams.STREAM, 1);
        assertTrue(net.runUntil(() -> !aStreams.gone.isEmpty(), 50 * MS));
        assertEquals(List.of("12 the peer has lost it"), aStreams.gone);
        assertEquals(6 * net.delayNs, net.nowNs - startNs, "its packet, the RESET, INIT, INIT_ACK, OPEN, OPEN_ACK");
        assertFalse(a.engine.isOpen(conn));
        assertTrue(bStreams.delivered.isEmpty());
    }

    /** A CLOSE that is not of the process whose connection it names has no effect, though its tag is right. */
    @Test
    void a_close_of_another_boot_ends_nothing() {
        int conn = a.attach(b);
        net.run(5 * MS);
        net.drop = f -> f.type() == FrameType.CLOSE;
        b.engine.shutdown(net.nowNs);
        net.run(MS);
        Flight close = net.sent(b, FrameType.CLOSE).get(0);
        net.drop = f -> false;
        byte[] other = close.bytes.clone();
        other[20 + 11] ^= 1; // its boot nonce
        long scratch = Mem.alloc(64);
        Mem.copy(other, 0, scratch, other.length);
        FrameTag.seal(scratch, other.length - 4, 0, a.open().keyHigh, a.open().keyLow);
        Mem.copy(scratch, other, 0, other.length);
        net.inject(other, b, 0, a, close.sourcePort);
        net.run(MS);
        assertTrue(a.engine.isOpen(conn));
        assertEquals(1, a.count(Counter.RX_STALE));
        net.inject(close.bytes, b, 0, a, close.sourcePort);
        net.run(MS);
        assertFalse(a.engine.isOpen(conn), "the honest one does");
    }
}
