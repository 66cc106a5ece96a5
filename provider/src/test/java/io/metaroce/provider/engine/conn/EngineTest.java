package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.conn.TestNet.Node;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.port.Regions;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Qpn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Both layers together: two whole engines, real frames, Writes that are compared byte by byte. */
final class EngineTest {
    private static final int QP = 2;
    private static final int KEY = 0x77;
    private static final int BUFFER = 8 << 20;
    private static final int MASK_RTR = 1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 17 | 1 << 20;
    private static final int MASK_RTS = 1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 16;

    private record Wc(long wrId, int status, int opcode) {}

    /** One process: one registered buffer, one QP, one CQ. */
    private static final class Side implements Regions, Completions {
        final long buffer = Mem.alloc(BUFFER);
        final List<Wc> wcs = new ArrayList<>();
        final long sq;
        final long rq;
        final Node node;
        private long old;

        Side(TestNet net, int host, int planes) {
            node = net.verbs(host, 0x1000 + host, planes, this, this);
            sq = Ring.allocate(64, SendSlot.stride(4, 64));
            rq = Ring.allocate(64, SendSlot.stride(4, 64));
            node.control().create(QP, 2, 1, 0, 0, sq, rq);
        }

        void connect(int peerHost, long nowNs) {
            QpAttributes a = new QpAttributes();
            a.remoteLo = TestNet.address(0, peerHost);
            a.destQpn = Qpn.of(peerHost, QP);
            a.accessFlags = 15;
            a.maxRdAtomic = 4;
            a.maxDestRdAtomic = 4;
            a.timeout = 14;
            a.retryCnt = 7;
            a.rnrRetry = 7;
            node.control().modify(QP, 1, 1 | 8, a, nowNs);
            node.control().modify(QP, 2, MASK_RTR, a, nowNs);
            node.control().modify(QP, 3, MASK_RTS, a, nowNs);
        }

        void write(long wrId, long from, int length, long to, long nowNs) {
            long slot = Ring.slot(sq, Ring.tail(sq));
            Mem.fill(slot, Ring.stride(sq), 0);
            SendSlot.wrId(slot, wrId);
            SendSlot.opcode(slot, 0);
            SendSlot.flags(slot, SendSlot.SIGNALED);
            SendSlot.numSge(slot, 1);
            Sge.set(SendSlot.sge(slot, 0), from, length, KEY);
            SendSlot.length(slot, length);
            SendSlot.remoteAddr(slot, to);
            SendSlot.rkey(slot, KEY);
            Ring.publishTail(sq, Ring.tail(sq) + 1);
            node.control().doorbell(QP, nowNs);
        }

        @Override
        public long local(int lkey, int pd, long addr, long length, int access) {
            return remote(lkey, pd, addr, length, access);
        }

        @Override
        public long remote(int rkey, int pd, long va, long length, int access) {
            return rkey == KEY && va >= buffer && va + length <= buffer + BUFFER ? va : BAD_KEY;
        }

        @Override
        public boolean copy(long destination, long source, long bytes) {
            Mem.copy(source, destination, bytes);
            return true;
        }

        @Override
        public boolean storeRelease(long destination, long source, int bytes) {
            Mem.copy(source, destination, bytes);
            return true;
        }

        @Override
        public boolean compareSwap(long address, long compare, long swap) {
            old = Mem.compareAndExchangeLong(address, compare, swap);
            return true;
        }

        @Override
        public boolean fetchAdd(long address, long add) {
            old = Mem.getAndAddLong(address, add);
            return true;
        }

        @Override
        public long old() {
            return old;
        }

        @Override
        public boolean add(
                int cq,
                int qp,
                long wrId,
                int status,
                int opcode,
                int byteLen,
                int imm,
                int wcFlags,
                int srcQpn,
                boolean solicited) {
            wcs.add(new Wc(wrId, status, opcode));
            return true;
        }

        @Override
        public int room(int cq) {
            return 1000;
        }

        @Override
        public void publish() {}
    }

    private final TestNet net = new TestNet();

    @Test
    void one_write_crosses_two_engines() {
        Side a = new Side(net, 1, 1);
        Side b = new Side(net, 2, 1);
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
            Side a = new Side(other, 1, planes);
            Side b = new Side(other, 2, planes);
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
        Side a = new Side(net, 1, 1);
        a.connect(1, net.nowNs);
        Mem.fill(a.buffer, 50_000, 0x5a);
        a.write(1, a.buffer, 50_000, a.buffer + 100_000, net.nowNs);
        assertTrue(net.runUntil(() -> a.wcs.size() == 1, 10 * TestNet.MS));
        assertTrue(Mem.equal(a.buffer, a.buffer + 100_000, 50_000));
    }

    @Test
    void a_peer_that_dies_fails_what_is_outstanding_with_retry_exceeded() {
        Side a = new Side(net, 1, 1);
        Side b = new Side(net, 2, 1);
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
        Side a = new Side(net, 1, 1);
        Side b = new Side(net, 2, 1);
        a.connect(2, net.nowNs);
        b.connect(1, net.nowNs);
        net.run(10 * TestNet.MS);
        b.node.engine.shutdown(net.nowNs);
        a.write(2, a.buffer, 100, b.buffer, net.nowNs);
        net.run(TestNet.MS);
        assertEquals(1, a.wcs.size());
        assertEquals(12, a.wcs.get(0).status);
    }
}
