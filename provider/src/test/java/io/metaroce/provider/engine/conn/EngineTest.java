package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.conn.VerbsSide.Wc;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.Mem;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Both layers together: two whole engines, real frames, Writes that are compared byte by byte. */
final class EngineTest {
    private final TestNet net = new TestNet();

    @Test
    void one_write_crosses_two_engines() {
        VerbsSide a = new VerbsSide(net, 1, 1);
        VerbsSide b = new VerbsSide(net, 2, 1);
        a.connect(2, net.nowNs);
        b.connect(1, net.nowNs);
        Mem.fill(a.buffer, 100_000, 0x5a);
        a.write(7, a.buffer, 100_000, b.buffer + 5, net.nowNs);
        assertTrue(net.runUntil(() -> a.wcs.size() == 1, 10 * TestNet.MS), a.node.log.toString());
        assertEquals(List.of(new Wc(7, 0, 1)), a.wcs);
        assertTrue(Mem.equal(a.buffer, b.buffer + 5, 100_000));
        assertEquals(0, Mem.getByte(b.buffer + 4));
        assertEquals(0, Mem.getByte(b.buffer + 100_005));
        assertEquals(0, a.node.count(Counter.TX_RESENT));
    }

    @Test
    void writes_of_any_size_over_any_planes_and_loss_arrive_whole_and_complete_in_order() {
        for (long seed = 1; seed <= 40; seed++) {
            Random random = new Random(seed);
            TestNet other = new TestNet();
            int planes = 1 + (int) (seed % 3);
            other.maxPayload = seed % 2 == 0 ? 1472 : 1990;
            VerbsSide a = new VerbsSide(other, 1, planes);
            VerbsSide b = new VerbsSide(other, 2, planes);
            int loss = random.nextInt(15);
            other.drop = f -> random.nextInt(100) < loss;
            byte[] bytes = new byte[1 << 20];
            random.nextBytes(bytes);
            Mem.copy(bytes, 0, a.buffer, bytes.length);
            a.connect(2, other.nowNs);
            b.connect(1, other.nowNs);
            int at = 0;
            for (int i = 0; i < 30; i++) {
                int length = random.nextBoolean() ? random.nextInt(100) : random.nextInt(60_000);
                if (at + length > bytes.length) {
                    length = 0;
                }
                a.write(i, a.buffer + at, length, b.buffer + at, other.nowNs);
                at += length;
                other.run(random.nextInt(50_000));
            }
            String what = "seed " + seed;
            assertTrue(
                    other.runUntil(() -> a.wcs.size() == 30, 60_000 * TestNet.MS),
                    what + ": " + a.wcs.size() + " " + a.node.log + a.node.counters);
            for (int i = 0; i < 30; i++) {
                assertEquals(new Wc(i, 0, 1), a.wcs.get(i), what);
            }
            assertTrue(Mem.equal(a.buffer, b.buffer, at), what);
        }
    }

    @Test
    void both_ends_of_one_process_work_too() {
        VerbsSide a = new VerbsSide(net, 1, 1);
        a.connect(1, net.nowNs);
        Mem.fill(a.buffer, 50_000, 0x5a);
        a.write(1, a.buffer, 50_000, a.buffer + 100_000, net.nowNs);
        assertTrue(net.runUntil(() -> a.wcs.size() == 1, 10 * TestNet.MS));
        assertTrue(Mem.equal(a.buffer, a.buffer + 100_000, 50_000));
    }

    @Test
    void a_peer_that_dies_fails_what_is_outstanding_with_retry_exceeded() {
        VerbsSide a = new VerbsSide(net, 1, 1);
        VerbsSide b = new VerbsSide(net, 2, 1);
        a.connect(2, net.nowNs);
        b.connect(1, net.nowNs);
        a.write(1, a.buffer, 100, b.buffer, net.nowNs);
        net.run(10 * TestNet.MS);
        assertEquals(List.of(new Wc(1, 0, 1)), a.wcs);
        b.node.asleep = true;
        a.write(2, a.buffer, 100, b.buffer, net.nowNs);
        net.run(5_000 * TestNet.MS);
        assertEquals(List.of(new Wc(1, 0, 1), new Wc(2, 12, 1)), a.wcs);
        assertTrue(a.node.log.toString().contains("10.0.0.2 slot 2"), a.node.log.toString());
    }

    @Test
    void a_shutdown_tells_the_peer_at_once() {
        VerbsSide a = new VerbsSide(net, 1, 1);
        VerbsSide b = new VerbsSide(net, 2, 1);
        a.connect(2, net.nowNs);
        b.connect(1, net.nowNs);
        net.run(10 * TestNet.MS);
        b.node.engine.shutdown(net.nowNs);
        a.write(2, a.buffer, 100, b.buffer, net.nowNs);
        net.run(TestNet.MS);
        assertEquals(1, a.wcs.size());
        assertEquals(12, a.wcs.get(0).status());
    }

    /** A QP that is connected and has receives posted is no reason to send: neither layer has a timer that does. */
    @Test
    void connected_qps_without_work_send_nothing_for_an_hour() {
        VerbsSide a = new VerbsSide(net, 1, 2);
        VerbsSide b = new VerbsSide(net, 2, 2);
        a.connect(2, net.nowNs);
        b.connect(1, net.nowNs);
        a.write(1, a.buffer, 100_000, b.buffer, net.nowNs);
        net.run(1_000 * TestNet.MS);
        assertEquals(List.of(new Wc(1, 0, 1)), a.wcs);
        net.sent.clear();
        net.run(3_600_000 * TestNet.MS);
        assertEquals(0, net.sent.size());
        a.write(2, a.buffer, 100_000, b.buffer, net.nowNs);
        net.run(5 * TestNet.MS);
        assertEquals(List.of(new Wc(1, 0, 1), new Wc(2, 0, 1)), a.wcs);
        assertEquals(1, a.node.count(Counter.CONNECTIONS_OPENED));
    }
}
