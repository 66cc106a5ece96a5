package io.metaroce.provider.engine.stream;

import io.metaroce.provider.engine.ConnectionLayer;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.Record;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.PlainRegions;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Qpn;
import io.metaroce.wire.StreamBlock;

/** One side of a loop without a wire: a Streams object over one buffer whose every access is allowed, and arrays of frames. Allocates nothing once it is open. */
class DirectSide extends PlainRegions implements ConnectionLayer, Completions, Events {
    static final int QP = 3;
    static final int FRAMES = 64;

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
    int lastBytes;
    long failed;

    DirectSide(int slot) {
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
        lastBytes = byteLen;
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
}
