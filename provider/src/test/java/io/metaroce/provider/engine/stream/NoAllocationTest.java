package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.metaroce.provider.engine.ConnectionLayer;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.Record;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.port.Regions;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Qpn;
import io.metaroce.wire.StreamBlock;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The data path allocates nothing: posts, frames, losses, acknowledgements, completions. */
final class NoAllocationTest {
    private static final int QP = 3;
    private static final int FRAMES = 64;

    /** A world of one buffer, whose every access is allowed. */
    private static final class Side implements ConnectionLayer, Completions, Events, Regions {
        final Counters counters = new Counters();
        final Streams streams;
        final long memory = Mem.alloc(1 << 20);
        final long sq = Ring.allocate(64, SendSlot.stride(2, 64));
        final long rq = Ring.allocate(64, RecvSlot.stride(2));
        final Record[] records = new Record[FRAMES];
        final long[] frames = new long[FRAMES];
        final int[] lengths = new int[FRAMES];
        final long blocks = Mem.alloc(16 * StreamBlock.LENGTH);
        boolean wants;
        long completed;
        long failed;
        private long old;

        Side(int slot) {
            streams = new Streams(EngineConfig.of(1, slot, slot), this, this, this, counters);
            streams.connect(this);
            for (int i = 0; i < FRAMES; i++) {
                records[i] = new Record();
                frames[i] = Mem.alloc(2048);
            }
        }

        void open(int peerSlot) {
            streams.create(QP, 2, 1, 1, 1, sq, rq);
            QpAttributes attributes = Peer.attributes(Qpn.of(peerSlot, QP));
            streams.modify(QP, Verbs.INIT, -1, attributes, 1);
            streams.modify(QP, Verbs.RTR, -1, attributes, 1);
            streams.modify(QP, Verbs.RTS, -1, attributes, 1);
        }

        void post(int opcode, int length) {
            if (Ring.tail(sq) - Ring.headAcquire(sq) >= 32) {
                return;
            }
            long s = Ring.slot(sq, Ring.tail(sq));
            SendSlot.opcode(s, opcode);
            SendSlot.flags(s, SendSlot.SIGNALED);
            SendSlot.numSge(s, 1);
            SendSlot.length(s, length);
            SendSlot.rkey(s, 1);
            SendSlot.remoteAddr(s, memory);
            Sge.set(SendSlot.sge(s, 0), memory, length, 1);
            Ring.publishTail(sq, Ring.tail(sq) + 1);
        }

        void receives() {
            while (Ring.tail(rq) - Ring.headAcquire(rq) < 64) {
                long r = Ring.slot(rq, Ring.tail(rq));
                RecvSlot.numSge(r, 1);
                RecvSlot.length(r, 10_000);
                Sge.set(RecvSlot.sge(r, 0), memory + 500_000, 10_000, 1);
                Ring.publishTail(rq, Ring.tail(rq) + 1);
            }
        }

        @Override
        public int attach(long remoteHi, long remoteLo, int remoteSlot, long nowNs) {
            return 0;
        }

        @Override
        public void detach(int conn, long nowNs) {}

        @Override
        public boolean isOpen(int conn) {
            return true;
        }

        @Override
        public int segmentBytes(int conn) {
            return 1344;
        }

        @Override
        public void wantTransmit(int conn, int stream) {
            wants = true;
        }

        @Override
        public void wantCtl(int conn) {}

        @Override
        public void wantAck(int conn, boolean atOnce) {}

        @Override
        public long ptoNs(int conn) {
            return 1_000_000;
        }

        @Override
        public long rttNs(int conn) {
            return 100_000;
        }

        @Override
        public long lastHeardNs(int conn) {
            return 0;
        }

        @Override
        public String describe(int conn, long nowNs) {
            return "peer";
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
            completed++;
            failed += status;
            return true;
        }

        @Override
        public int room(int cq) {
            return 1000;
        }

        @Override
        public void publish() {}

        @Override
        public void qpEvent(int qp, int eventType) {}

        @Override
        public void log(String line) {
            throw new AssertionError(line);
        }

        @Override
        public long local(int lkey, int pd, long addr, long length, int access) {
            return addr;
        }

        @Override
        public long remote(int rkey, int pd, long va, long length, int access) {
            return va;
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
    }

    private final Side a = new Side(1);
    private final Side b = new Side(2);
    private int ackSeq;
    private long nowNs = 1_000;
    private int turn;

    /** One batch from one side to the other. Every 7th frame is lost at first, and comes after all others. */
    private void exchange(Side from, Side to) {
        int n = 0;
        while (n < FRAMES) {
            int bytes = from.streams.nextCtl(0, from.frames[n], 1452, from.records[n], nowNs);
            if (bytes == 0 && from.wants) {
                bytes = from.streams.nextFrame(0, QP, from.frames[n], 1452, from.records[n], nowNs);
                from.wants = bytes > 0;
            }
            if (bytes == 0) {
                break;
            }
            from.lengths[n++] = bytes;
        }
        for (int i = 0; i < n; i++) {
            if (i % 7 != 0) {
                deliver(from, to, i);
            }
        }
        for (int i = 0; i < n; i += 7) {
            int bytes = from.streams.rebuild(0, from.records[i], from.frames[i], 1452, nowNs);
            if (bytes > 0) {
                from.lengths[i] = bytes;
                deliver(from, to, i);
            }
        }
        ackSeq++;
        for (int i = 0; i < n; i++) {
            from.streams.onCleared(0, from.records[i], ackSeq, nowNs);
        }
        int blocks = to.streams.blocks(0, to.blocks, 15, nowNs);
        for (int i = 0; i < blocks; i++) {
            from.streams.onBlock(0, to.blocks + (long) i * StreamBlock.LENGTH, ackSeq, nowNs);
        }
    }

    private void deliver(Side from, Side to, int i) {
        boolean taken = from.records[i].type == FrameType.DATA
                ? to.streams.onData(0, from.frames[i], from.lengths[i], nowNs)
                : to.streams.onStreamCtl(0, from.frames[i], from.lengths[i], nowNs);
        if (!taken) {
            throw new AssertionError("a pool ran out");
        }
    }

    private void round() {
        turn++;
        nowNs += 10_000;
        b.receives();
        int kind = turn % 5;
        int length = kind == 3 ? 8 : kind == 1 ? 100 : 9_000;
        int opcode = switch (kind) {
            case 0 -> Verbs.WR_SEND;
            case 1 -> Verbs.WR_WRITE;
            case 2 -> Verbs.WR_READ;
            case 3 -> Verbs.WR_FETCH_ADD;
            default -> Verbs.WR_WRITE_IMM;
        };
        for (int i = 0; i < 3; i++) {
            a.post(opcode, length);
        }
        a.streams.doorbell(QP, nowNs);
        exchange(a, b);
        exchange(b, a);
        a.streams.onTime(nowNs);
        b.streams.onTime(nowNs);
    }

    @Test
    void the_data_path_allocates_nothing() {
        a.open(2);
        b.open(1);
        for (int i = 0; i < 20_000; i++) {
            round();
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long doneBefore = a.completed;
        for (int i = 0; i < 50_000; i++) {
            round();
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        long done = a.completed - doneBefore;
        assertTrue(done > 100_000, "completed only " + done);
        assertEquals(0, a.failed);
        assertEquals(0, b.failed);
        assertTrue(b.counters.get(Counter.RX_OUT_OF_ORDER) > 50_000);
        assertTrue(allocated < 4096, allocated + " bytes allocated over " + done + " messages"); // the meter's own
    }
}
