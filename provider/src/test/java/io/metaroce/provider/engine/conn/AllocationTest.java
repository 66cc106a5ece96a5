package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.Record;
import io.metaroce.provider.engine.StreamLayer;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.Routes;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.port.TxBatch;
import io.metaroce.wire.DataLayout;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.MetaRoce;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.StreamBlock;
import io.metaroce.wire.StreamFlag;
import io.metaroce.wire.StreamHeader;
import io.metaroce.wire.WriteExt;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The connection layer allocates nothing on the data path: a million packets, acknowledgements and losses. */
final class AllocationTest {
    private static final int FRAME_BYTES = 2048;
    private static final int RING = 4096;

    /** Sends one-packet Writes for ever; keeps no account. */
    private static final class Sender implements StreamLayer {
        int left;
        int spsn;
        int payloadBytes = 1344;
        long received;
        int cleared;

        @Override
        public boolean onData(int conn, long streamHeader, int bytes, long nowNs) {
            received++;
            return true;
        }

        @Override
        public boolean onStreamCtl(int conn, long body, int bytes, long nowNs) {
            return true;
        }

        @Override
        public void onBlock(int conn, long block, int ackSeq, long nowNs) {}

        @Override
        public int nextFrame(int conn, int stream, long out, int room, Record record, long nowNs) {
            if (left == 0) {
                return 0;
            }
            left--;
            record.type = FrameType.DATA;
            record.stream = stream;
            record.spsn = spsn++;
            record.segments = 1;
            return rebuild(conn, record, out, room, nowNs);
        }

        @Override
        public int rebuild(int conn, Record record, long out, int room, long nowNs) {
            StreamHeader.put(out, 1, Opcode.WRITE, 0, record.spsn, 0, StreamFlag.LAST, 0);
            WriteExt.put(out + StreamHeader.LENGTH, 0, 7, payloadBytes);
            return DataLayout.headersLength(Opcode.WRITE, StreamFlag.LAST) + payloadBytes;
        }

        @Override
        public int nextCtl(int conn, long out, int room, Record record, long nowNs) {
            return 0;
        }

        @Override
        public void onCleared(int conn, Record record, int ackSeq, long nowNs) {
            cleared++;
        }

        @Override
        public int blocks(int conn, long out, int max, long nowNs) {
            StreamBlock.put(out, 1, 0, 0, 0, 0, 0, 0, 0);
            return 1;
        }

        @Override
        public boolean blocksDue(int conn) {
            return false;
        }

        @Override
        public void onOpen(int conn, long nowNs) {}

        @Override
        public void onPeerGone(int conn, int status, String why, long nowNs) {}

        @Override
        public void onTime(long nowNs) {}

        @Override
        public long nextDeadlineNs() {
            return Long.MAX_VALUE;
        }
    }

    /** One end of a cable: frames lie in a ring until the other end takes them. */
    private static final class End implements Routes, TxBatch, Events {
        final int host;
        final Sender streams = new Sender();
        final Counters counters = new Counters();
        final Connections engine;
        final long ring = Mem.alloc((long) RING * FRAME_BYTES);
        final int[] lengths = new int[RING];
        final int[] ports = new int[RING];
        int head;
        int tail;
        int loseEvery = Integer.MAX_VALUE;
        int untilLoss = Integer.MAX_VALUE;
        long lost;

        End(int host) {
            this.host = host;
            engine = new Connections(EngineConfig.of(host, host, host), this, streams, this, counters);
        }

        @Override
        public void qpEvent(int qp, int eventType) {}

        @Override
        public void log(String line) {}

        @Override
        public int planes() {
            return 1;
        }

        @Override
        public long planeHi(int plane) {
            return 0;
        }

        @Override
        public long planeLo(int plane) {
            return host;
        }

        @Override
        public int planeMbps(int plane) {
            return 1000;
        }

        @Override
        public int localPort() {
            return MetaRoce.port(host);
        }

        @Override
        public int destination(int plane, long hi, long lo, int port) {
            return 0;
        }

        @Override
        public void release(int destination) {}

        @Override
        public int maxPayload(int destination) {
            return 1472;
        }

        @Override
        public long begin(int destination) {
            return tail - head >= RING ? 0 : ring + (long) (tail & RING - 1) * FRAME_BYTES;
        }

        @Override
        public void commit(int destination, int sourcePort, int bytes) {
            if (--untilLoss == 0) {
                untilLoss = loseEvery;
                lost++;
                return;
            }
            lengths[tail & RING - 1] = bytes;
            ports[tail & RING - 1] = sourcePort;
            tail++;
        }

        void takeFrom(End other, RxBatch rx, long nowNs) {
            while (other.head != other.tail) {
                rx.clear();
                while (other.head != other.tail && !rx.full()) {
                    int at = other.head++ & RING - 1;
                    rx.add(
                            other.ring + (long) at * FRAME_BYTES,
                            other.lengths[at],
                            0,
                            2,
                            0,
                            other.host,
                            other.ports[at]);
                }
                engine.onFrames(rx, nowNs);
            }
        }

        void cycle(long nowNs) {
            if (engine.nextDeadlineNs() <= nowNs) {
                engine.onTime(nowNs);
            }
            engine.transmit(this, nowNs);
        }
    }

    private final RxBatch rx = new RxBatch();
    private final End a = new End(1);
    private final End b = new End(2);
    private long nowNs;

    private void run(int packets) {
        a.streams.left = packets;
        a.engine.wantTransmit(0, 5);
        long until = b.streams.received + packets;
        while (b.streams.received < until) {
            nowNs += 2000;
            a.cycle(nowNs);
            b.takeFrom(a, rx, nowNs);
            nowNs += 2000;
            b.cycle(nowNs);
            a.takeFrom(b, rx, nowNs);
        }
    }

    @Test
    void a_million_packets_allocate_nothing() {
        a.engine.attach(0, 2, 2, nowNs);
        run(0);
        for (int i = 0; i < 10; i++) {
            nowNs += 1_000_000;
            a.cycle(nowNs);
            b.takeFrom(a, rx, nowNs);
            b.cycle(nowNs);
            a.takeFrom(b, rx, nowNs);
        }
        assertTrue(a.engine.isOpen(0));
        a.loseEvery = 53;
        a.untilLoss = 53;
        b.loseEvery = 71;
        b.untilLoss = 71;
        run(400_000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        threads.getCurrentThreadAllocatedBytes();
        long lostBefore = a.lost;
        long bytes = threads.getCurrentThreadAllocatedBytes();
        run(1_000_000);
        bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
        assertTrue(a.lost - lostBefore > 10_000, "lost " + (a.lost - lostBefore));
        assertTrue(a.counters.get(Counter.TX_RESENT) > 10_000);
        assertTrue(a.counters.get(Counter.RX_ACKS) > 1_000);
        assertTrue(bytes < 4096, bytes + " bytes allocated");
        assertEquals(1_400_000, b.streams.received);
        assertTrue(a.streams.cleared <= 1_400_000 && a.streams.cleared > 1_399_000, "" + a.streams.cleared);
    }

    /** Prints figures; asserts nothing about them. */
    public static void main(String[] args) {
        AllocationTest test = new AllocationTest();
        test.a.engine.attach(0, 2, 2, 0);
        for (int i = 0; i < 10; i++) {
            test.nowNs += 1_000_000;
            test.a.cycle(test.nowNs);
            test.b.takeFrom(test.a, test.rx, test.nowNs);
            test.b.cycle(test.nowNs);
            test.a.takeFrom(test.b, test.rx, test.nowNs);
        }
        for (int round = 0; round < 8; round++) {
            long startNs = System.nanoTime();
            test.run(2_000_000);
            System.out.println("both sides: " + (System.nanoTime() - startNs) / 2_000_000 + " ns a packet, ACKs "
                    + test.a.counters.get(Counter.RX_ACKS));
        }
        for (int round = 0; round < 3; round++) {
            long startNs = System.nanoTime();
            for (int i = 0; i < 500_000; i++) {
                test.run(1);
            }
            System.out.println("one by one, both sides: " + (System.nanoTime() - startNs) / 500_000
                    + " ns a packet, probes " + test.a.counters.get(Counter.TX_PROBES));
        }
    }
}
