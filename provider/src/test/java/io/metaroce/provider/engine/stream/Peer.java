package io.metaroce.provider.engine.stream;

import io.metaroce.provider.engine.ConnectionLayer;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.Record;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Qpn;
import io.metaroce.wire.StreamBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** One fake process: a Streams object on a fake connection (number 0) that shuttles whole frames, and a small verbs user on top of it. */
final class Peer implements ConnectionLayer, Completions, Events {
    static final int CONN = 0;
    static final int PD = 7;
    static final int ALL_ACCESS = 15;
    static final int MAX_INLINE = 256;

    /** A completion as the device would see it. */
    record Wc(int cq, int qp, long wrId, int status, int opcode, int byteLen, int imm, int flags, boolean solicited) {}

    /** What is on its way to the other side. */
    static final class Frame {
        final long id;
        final int type;
        final byte[] bytes;

        Frame(long id, int type, byte[] bytes) {
            this.id = id;
            this.type = type;
            this.bytes = bytes;
        }

        /** The operation of a DATA frame, else -1. */
        int opcode() {
            return type == FrameType.DATA ? bytes[3] >>> 4 & 0xf : -1;
        }

        int spsn() {
            return ByteBuffer.wrap(bytes).getInt(4);
        }

        int msn() {
            return ByteBuffer.wrap(bytes).getInt(8) >>> 8;
        }

        /** The kind of a STREAM_CTL frame, else -1. */
        int ctl() {
            return type == FrameType.STREAM_CTL ? bytes[0] : -1;
        }
    }

    /** An acknowledgement on its way back. A test may change it under way. */
    static final class Ack {
        int seq;
        long[] ids = {};
        byte[] blocks = {};

        boolean hasBlock(int space, int kind) {
            for (int i = 3; i < blocks.length; i += StreamBlock.LENGTH) {
                if ((blocks[i] >>> 7 & 1) == space && (blocks[i] >>> 4 & 7) == kind) {
                    return true;
                }
            }
            return false;
        }

        void dropBlocks(int space) {
            byte[] kept = new byte[blocks.length];
            int n = 0;
            for (int i = 0; i < blocks.length; i += StreamBlock.LENGTH) {
                if ((blocks[i + 3] >>> 7 & 1) != space) {
                    System.arraycopy(blocks, i, kept, n, StreamBlock.LENGTH);
                    n += StreamBlock.LENGTH;
                }
            }
            blocks = Arrays.copyOf(kept, n);
        }
    }

    private static final class Flying {
        final Record record = new Record();
        long sentNs;
        boolean isVoid;
    }

    final String name;
    private final int[] poolSizes;
    final int slot;
    final TestMemory memory = new TestMemory();
    final Counters counters = new Counters();
    final Shared shared;
    final Streams streams;
    final List<Wc> completions = new ArrayList<>();
    final List<String> events = new ArrayList<>();
    final List<String> log = new ArrayList<>();
    private final Map<Integer, long[]> rings = new LinkedHashMap<>();
    private final Map<Long, Flying> flying = new LinkedHashMap<>();
    private final LinkedHashSet<Integer> wanting = new LinkedHashSet<>();
    private final LinkedHashSet<Long> received = new LinkedHashSet<>();
    private final long buffer = Mem.alloc(70_000);
    private final long blockBuffer = Mem.alloc(16 * StreamBlock.LENGTH);
    private long nextId = 1;
    private int ackSeq = 0x7ffffff0; // wraps soon
    boolean ackDue;
    boolean ackAtOnce;
    boolean open = true;
    boolean reachable = true;
    int segmentBytes = 1344;
    int room = 1452;
    int window = 256;
    long resendNs = 300_000;
    int blocksPerAck = 15;
    int cqRoom = Integer.MAX_VALUE;
    int attached;
    long lastHeardNs;
    int dataSent;
    int voids;
    int failedCqAdds;
    private int receivedControl;

    Peer(String name, int slot, long seed) {
        this(name, slot, seed, 64, 4096, 4096, 1024);
    }

    Peer(String name, int slot, long seed, int bitmaps, int ranges, int ends, int tails) {
        this.name = name;
        this.slot = slot;
        poolSizes = new int[] {bitmaps, ranges, ends, tails};
        shared = new Shared(
                EngineConfig.of(seed | 1, seed, slot), memory, this, this, counters, bitmaps, ranges, ends, tails);
        streams = new Streams(shared);
        streams.connect(this);
    }

    // ---- a small verbs user ----------------------------------------------------------------------------------------

    void create(int qp, int sqEntries, int rqEntries) {
        create(qp, sqEntries, rqEntries, 4);
    }

    void create(int qp, int sqEntries, int rqEntries, int sges) {
        long sq = Ring.allocate(sqEntries, SendSlot.stride(sges, MAX_INLINE));
        long rq = Ring.allocate(rqEntries, RecvSlot.stride(sges));
        rings.put(qp, new long[] {sq, rq});
        streams.create(qp, 2, PD, qp * 2, qp * 2 + 1, sq, rq);
    }

    int qpn(int qp) {
        return Qpn.of(slot, qp);
    }

    static QpAttributes attributes(int destQpn) {
        QpAttributes a = new QpAttributes();
        a.destQpn = destQpn;
        a.accessFlags = ALL_ACCESS;
        a.maxRdAtomic = 4;
        a.maxDestRdAtomic = 4;
        a.minRnrTimer = 12;
        a.timeout = 14;
        a.retryCnt = 7;
        a.rnrRetry = 7;
        a.remoteLo = 1;
        return a;
    }

    void toInit(int qp, QpAttributes a, long nowNs) {
        streams.modify(qp, Verbs.INIT, 1 | Verbs.MASK_ACCESS, a, nowNs);
    }

    void toRtr(int qp, QpAttributes a, long nowNs) {
        streams.modify(
                qp,
                Verbs.RTR,
                1
                        | Verbs.MASK_AV
                        | Verbs.MASK_DEST_QPN
                        | Verbs.MASK_MAX_DEST_RD_ATOMIC
                        | Verbs.MASK_MIN_RNR_TIMER
                        | Verbs.MASK_PATH_MTU
                        | Verbs.MASK_RQ_PSN,
                a,
                nowNs);
    }

    void toRts(int qp, QpAttributes a, long nowNs) {
        streams.modify(
                qp,
                Verbs.RTS,
                1
                        | Verbs.MASK_TIMEOUT
                        | Verbs.MASK_RETRY_CNT
                        | Verbs.MASK_RNR_RETRY
                        | Verbs.MASK_MAX_RD_ATOMIC
                        | Verbs.MASK_SQ_PSN,
                a,
                nowNs);
    }

    void toState(int qp, int state, long nowNs) {
        streams.modify(qp, state, 1, new QpAttributes(), nowNs);
    }

    Stream stream(int qp) {
        return Objects.requireNonNull(shared.stream(qp));
    }

    long sq(int qp) {
        return Objects.requireNonNull(rings.get(qp))[0];
    }

    long rq(int qp) {
        return Objects.requireNonNull(rings.get(qp))[1];
    }

    boolean sqFull(int qp) {
        return Ring.tail(sq(qp)) - Ring.headAcquire(sq(qp)) == Ring.entries(sq(qp));
    }

    boolean rqFull(int qp) {
        return Ring.tail(rq(qp)) - Ring.headAcquire(rq(qp)) == Ring.entries(rq(qp));
    }

    /** Fills the next send slot; {@link #post} publishes it. SGEs as {addr, length, lkey} triples. */
    long begin(int qp, long wrId, int opcode, int flags, long... sges) {
        if (sqFull(qp)) {
            throw new AssertionError(name + ": SQ of QP " + qp + " is full");
        }
        long slotAddr = Ring.slot(sq(qp), Ring.tail(sq(qp)));
        Mem.fill(slotAddr, Ring.stride(sq(qp)), 0);
        SendSlot.wrId(slotAddr, wrId);
        SendSlot.opcode(slotAddr, opcode);
        SendSlot.flags(slotAddr, flags);
        SendSlot.numSge(slotAddr, sges.length / 3);
        long length = 0;
        for (int i = 0; i < sges.length / 3; i++) {
            Sge.set(SendSlot.sge(slotAddr, i), sges[3 * i], (int) sges[3 * i + 1], (int) sges[3 * i + 2]);
            length += sges[3 * i + 1];
        }
        SendSlot.length(slotAddr, (int) length);
        return slotAddr;
    }

    void post(int qp, long nowNs) {
        Ring.publishTail(sq(qp), Ring.tail(sq(qp)) + 1);
        streams.doorbell(qp, nowNs);
    }

    void write(
            int qp,
            long wrId,
            int flags,
            TestMemory.Region from,
            long offset,
            long length,
            long va,
            int rkey,
            long now) {
        long s = begin(qp, wrId, Verbs.WR_WRITE, flags, from.addr + offset, length, from.key);
        SendSlot.remoteAddr(s, va);
        SendSlot.rkey(s, rkey);
        post(qp, now);
    }

    void read(
            int qp, long wrId, int flags, TestMemory.Region to, long offset, long length, long va, int rkey, long now) {
        long s = begin(qp, wrId, Verbs.WR_READ, flags, to.addr + offset, length, to.key);
        SendSlot.remoteAddr(s, va);
        SendSlot.rkey(s, rkey);
        post(qp, now);
    }

    void send(int qp, long wrId, int flags, TestMemory.Region from, long offset, long length, long now) {
        begin(qp, wrId, Verbs.WR_SEND, flags, from.addr + offset, length, from.key);
        post(qp, now);
    }

    void fetchAdd(int qp, long wrId, TestMemory.Region to, long offset, long va, int rkey, long add, long now) {
        long s = begin(qp, wrId, Verbs.WR_FETCH_ADD, SendSlot.SIGNALED, to.addr + offset, 8, to.key);
        SendSlot.remoteAddr(s, va);
        SendSlot.rkey(s, rkey);
        SendSlot.compareAdd(s, add);
        post(qp, now);
    }

    /** As the shim does: the doorbell only when somebody waits. */
    void recv(int qp, long wrId, long now, long... sges) {
        if (rqFull(qp)) {
            throw new AssertionError(name + ": RQ of QP " + qp + " is full");
        }
        long slotAddr = Ring.slot(rq(qp), Ring.tail(rq(qp)));
        RecvSlot.wrId(slotAddr, wrId);
        RecvSlot.numSge(slotAddr, sges.length / 3);
        long length = 0;
        for (int i = 0; i < sges.length / 3; i++) {
            Sge.set(RecvSlot.sge(slotAddr, i), sges[3 * i], (int) sges[3 * i + 1], (int) sges[3 * i + 2]);
            length += sges[3 * i + 1];
        }
        RecvSlot.length(slotAddr, (int) length);
        Ring.publishTail(rq(qp), Ring.tail(rq(qp)) + 1);
        Mem.fullFence();
        if (Ring.waiting(rq(qp)) == 1) {
            streams.doorbell(qp, now);
        }
    }

    List<Wc> of(int cq) {
        return completions.stream().filter(w -> w.cq == cq).toList();
    }

    List<Wc> sends(int qp) {
        return of(qp * 2);
    }

    List<Wc> recvs(int qp) {
        return of(qp * 2 + 1);
    }

    // ---- the fake connection ---------------------------------------------------------------------------------------

    /** Frames to send now: overdue ones again, control, then new data, one frame a stream in turn. */
    List<Frame> transmit(long nowNs) {
        List<Frame> out = new ArrayList<>();
        if (!open) {
            return out;
        }
        for (Map.Entry<Long, Flying> entry : flying.entrySet()) {
            Flying f = entry.getValue();
            if (nowNs - f.sentNs >= resendNs) {
                f.sentNs = nowNs;
                out.add(again(entry.getKey(), nowNs));
            }
        }
        while (flying.size() < window) {
            Record record = new Record();
            int bytes = streams.nextCtl(CONN, buffer, room, record, nowNs);
            if (bytes == 0) {
                break;
            }
            out.add(launch(record, bytes, nowNs));
        }
        while (!wanting.isEmpty() && flying.size() < window) {
            int qp = wanting.iterator().next();
            wanting.remove(qp);
            Record record = new Record();
            int bytes = streams.nextFrame(CONN, qp, buffer, room, record, nowNs);
            if (bytes > 0) {
                wanting.add(qp);
                dataSent++;
                out.add(launch(record, bytes, nowNs));
            }
        }
        return out;
    }

    private Frame launch(Record record, int bytes, long nowNs) {
        Flying f = new Flying();
        copy(record, f.record);
        f.sentNs = nowNs;
        flying.put(nextId, f);
        return frame(nextId++, record.type, bytes);
    }

    /** The frame of a record once more; a VOID when its work is gone. */
    Frame again(long id, long nowNs) {
        Flying f = Objects.requireNonNull(flying.get(id));
        Record record = new Record();
        copy(f.record, record);
        int bytes = f.isVoid ? 0 : streams.rebuild(CONN, record, buffer, room, nowNs);
        if (bytes == 0) {
            if (!f.isVoid) {
                voids++;
            }
            f.isVoid = true;
            return new Frame(id, FrameType.VOID, new byte[0]);
        }
        return frame(id, record.type, bytes);
    }

    private Frame frame(long id, int type, int bytes) {
        byte[] copy = new byte[bytes];
        Mem.copy(buffer, copy, 0, bytes);
        return new Frame(id, type, copy);
    }

    static void copy(Record from, Record to) {
        to.type = from.type;
        to.stream = from.stream;
        to.life = from.life;
        to.space = from.space;
        to.spsn = from.spsn;
        to.segments = from.segments;
        to.ref = from.ref;
    }

    /** When the first frame in flight goes out again by itself. */
    long nextResendNs() {
        long nextNs = Long.MAX_VALUE;
        for (Flying f : flying.values()) {
            nextNs = Math.min(nextNs, f.sentNs + resendNs);
        }
        return open ? nextNs : Long.MAX_VALUE;
    }

    boolean isIdle() {
        return flying.isEmpty() && wanting.isEmpty();
    }

    int inFlight() {
        return flying.size();
    }

    /** A frame arrives, perhaps once more. */
    void arrive(Frame frame, long nowNs) {
        lastHeardNs = nowNs;
        ackDue = true;
        if (received.contains(frame.id)) {
            return;
        }
        boolean taken = true;
        if (frame.type != FrameType.VOID) {
            // Exactly as long as the packet, so that a read beyond it is a read beyond the allocation.
            long at = Mem.alloc(Math.max(1, frame.bytes.length));
            Mem.copy(frame.bytes, 0, at, frame.bytes.length);
            taken = frame.type == FrameType.DATA
                    ? streams.onData(CONN, at, frame.bytes.length, nowNs)
                    : streams.onStreamCtl(CONN, at, frame.bytes.length, nowNs);
            Mem.free(at);
        }
        if (taken) {
            received.add(frame.id);
            receivedControl += frame.type == FrameType.STREAM_CTL ? 1 : 0;
        }
    }

    /** The acknowledgements that are due at the end of a batch. */
    List<Ack> acks(long nowNs) {
        List<Ack> out = new ArrayList<>();
        while (ackDue || ackAtOnce || streams.blocksDue(CONN)) {
            ackDue = false;
            ackAtOnce = false;
            Ack ack = new Ack();
            ack.seq = ackSeq++;
            ack.ids = received.stream().mapToLong(Long::longValue).toArray();
            int n = streams.blocks(CONN, blockBuffer, blocksPerAck, nowNs);
            ack.blocks = new byte[n * StreamBlock.LENGTH];
            if (n > 0) {
                Mem.copy(blockBuffer, ack.blocks, 0, ack.blocks.length);
            }
            out.add(ack);
            if (!open) {
                break;
            }
        }
        while (received.size() > 2000) {
            received.remove(received.iterator().next());
        }
        return out;
    }

    int receivedBefore() {
        return receivedControl;
    }

    void onAck(Ack ack, long nowNs) {
        lastHeardNs = nowNs;
        for (long id : ack.ids) {
            Flying f = flying.remove(id);
            if (f != null) {
                streams.onCleared(CONN, f.record, ack.seq, nowNs);
            }
        }
        for (int i = 0; i * StreamBlock.LENGTH < ack.blocks.length; i++) {
            long at = Mem.alloc(StreamBlock.LENGTH);
            Mem.copy(ack.blocks, i * StreamBlock.LENGTH, at, StreamBlock.LENGTH);
            streams.onBlock(CONN, at, ack.seq, nowNs);
            Mem.free(at);
        }
    }

    // ---- ConnectionLayer -------------------------------------------------------------------------------------------

    @Override
    public int attach(long remoteHi, long remoteLo, int remoteSlot, long nowNs) {
        if (!reachable) {
            return -1;
        }
        attached++;
        return CONN;
    }

    @Override
    public void detach(int conn, long nowNs) {
        attached--;
    }

    @Override
    public boolean isOpen(int conn) {
        return open;
    }

    @Override
    public int segmentBytes(int conn) {
        return segmentBytes;
    }

    @Override
    public void wantTransmit(int conn, int stream) {
        wanting.add(stream);
    }

    @Override
    public void wantCtl(int conn) {}

    @Override
    public void wantAck(int conn, boolean atOnce) {
        ackAtOnce |= atOnce;
    }

    @Override
    public long ptoNs(int conn) {
        return 400_000;
    }

    @Override
    public long rttNs(int conn) {
        return 40_000;
    }

    @Override
    public long lastHeardNs(int conn) {
        return lastHeardNs;
    }

    @Override
    public String describe(int conn, long nowNs) {
        return name + "'s peer";
    }

    // ---- Completions, Events ---------------------------------------------------------------------------------------

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
        if (of(cq).size() >= cqRoom) {
            failedCqAdds++;
            return false;
        }
        completions.add(new Wc(cq, qp, wrId, status, opcode, byteLen, imm, wcFlags, solicited));
        return true;
    }

    @Override
    public int room(int cq) {
        return cqRoom;
    }

    @Override
    public void publish() {}

    @Override
    public void qpEvent(int qp, int eventType) {
        events.add(qp + ":" + eventType);
    }

    @Override
    public void log(String line) {
        log.add(line);
    }

    /** Every bitmap, range, end and tail has been given back. */
    void assertPoolsFull() {
        if (shared.bitmaps.available() != poolSizes[0]
                || shared.ends.available() != poolSizes[2]
                || shared.placement.freeRanges() != poolSizes[1]
                || shared.placement.freeTails() != poolSizes[3]) {
            throw new AssertionError(name + ": pools leak: " + shared.bitmaps.available() + " bitmaps, "
                    + shared.placement.freeRanges() + " ranges, " + shared.ends.available() + " ends, "
                    + shared.placement.freeTails() + " tails");
        }
    }

    void free() {
        streams.close();
        rings.values().forEach(r -> {
            Ring.free(r[0]);
            Ring.free(r[1]);
        });
        Mem.free(buffer);
        Mem.free(blockBuffer);
    }

    long count(Counter counter) {
        return counters.get(counter);
    }
}
