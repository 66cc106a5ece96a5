package io.metaroce.provider.engine.stream;

import io.metaroce.provider.engine.ConnectionLayer;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.Regions;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Qpn;
import io.metaroce.wire.StreamBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What all streams of a process share: the world around them, pools for what is out of order, timers, and what is due to each peer. */
final class Shared {
    /** Stands for "no number given yet". */
    static final int NONE = -1;

    private static final int BITMAPS = 512;
    private static final int RANGES = 8192;
    private static final int ENDS = 8192;
    private static final int TAILS = 4096;
    private static final long FIRST_PTO_NS = 1_000_000;

    final EngineConfig config;
    final Regions regions;
    final Events events;
    final Counters counters;
    final Bitmaps bitmaps;
    final PendingEnds ends;
    final Placement placement;
    final DeadlineHeap timers = new DeadlineHeap();
    final Stream[] streams = new Stream[Qpn.INDEXES];
    final Tombstones tombstones = new Tombstones(this);

    private final Completions completions;
    private final byte[] generations = new byte[Qpn.INDEXES];
    private final int[] lives = new int[Qpn.INDEXES];
    private final int[] fullCqs = new int[16];
    private Outbox[] outboxes = new Outbox[16];
    private @Nullable ConnectionLayer connections;
    private int fullCqCount;
    private long random;

    /** Eight bytes for an atomic's result on its way into application memory. */
    final long scratch = Mem.alloc(Long.BYTES);

    /** Room for the last two blocks of a stream. */
    final long scratchBlocks = Mem.alloc(2L * StreamBlock.LENGTH);

    /** The time of the call that the engine is in. */
    long nowNs;

    Shared(EngineConfig config, Regions regions, Completions completions, Events events, Counters counters) {
        this(config, regions, completions, events, counters, BITMAPS, RANGES, ENDS, TAILS);
    }

    /** With pools of chosen size, so that a test can exhaust them. */
    Shared(
            EngineConfig config,
            Regions regions,
            Completions completions,
            Events events,
            Counters counters,
            int bitmapCount,
            int rangeCount,
            int endCount,
            int tailCount) {
        this.config = config;
        this.regions = regions;
        this.completions = completions;
        this.events = events;
        this.counters = counters;
        this.bitmaps = new Bitmaps(bitmapCount, config.segmentWindow());
        this.ends = new PendingEnds(endCount);
        this.placement = new Placement(regions, new LandedRanges(rangeCount), new HeldTails(tailCount));
        this.random = config.seed() ^ 0x5a5b_5057_4e44_4953L;
    }

    void connect(ConnectionLayer layer) {
        connections = layer;
    }

    ConnectionLayer connections() {
        ConnectionLayer layer = connections;
        if (layer == null) {
            throw new IllegalStateException("Streams.connect comes before the first call");
        }
        return layer;
    }

    /** What is due to the peer of a connection. */
    Outbox outbox(int conn) {
        if (conn >= outboxes.length) {
            outboxes = Arrays.copyOf(outboxes, Math.max(conn + 1, outboxes.length * 2));
        }
        Outbox box = outboxes[conn];
        if (box == null) {
            box = new Outbox();
            outboxes[conn] = box;
        }
        return box;
    }

    @Nullable
    Stream stream(int qp) {
        return streams[qp & (Qpn.INDEXES - 1)];
    }

    /** The stream of a QPN that a peer named; null if it is not of this process, or not attached to that peer. */
    @Nullable
    Stream streamOf(int conn, int qpn) {
        if (Qpn.slot(qpn) != config.localSlot()) {
            return null;
        }
        Stream stream = streams[Qpn.index(qpn)];
        return stream != null && stream.conn() == conn ? stream : null;
    }

    /** The next generation of a QP index; it survives the QP, so that a recycled QPN is told from the one before. */
    int nextGeneration(int qp) {
        generations[qp]++;
        return generations[qp] & 0xf;
    }

    int nextLife(int qp) {
        return ++lives[qp];
    }

    /** SplitMix64: 32 bits that a peer cannot know before it is told. */
    int nextRandom() {
        random += 0x9e3779b97f4a7c15L;
        long z = random;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return (int) ((z ^ z >>> 31) >>> 32);
    }

    long ptoNs(int conn) {
        return conn == NONE ? FIRST_PTO_NS : connections().ptoNs(conn);
    }

    /** Appends a CQE. A CQ that is full puts its QPs into ERR at the end of the call that the engine is in. */
    void complete(
            int cq,
            Stream stream,
            long wrId,
            int status,
            int opcode,
            int byteLength,
            int imm,
            int flags,
            boolean solicited) {
        if (!completions.add(
                cq,
                stream.qp,
                wrId,
                status,
                opcode,
                byteLength,
                imm,
                flags,
                stream.attr.destQpn,
                solicited || status != Verbs.SUCCESS)) {
            onFullCq(cq);
        }
    }

    private void onFullCq(int cq) {
        for (int i = 0; i < fullCqCount; i++) {
            if (fullCqs[i] == cq) {
                return;
            }
        }
        if (fullCqCount < fullCqs.length) {
            fullCqs[fullCqCount++] = cq;
        }
    }

    /** Puts the QPs of CQs that overflowed into ERR. Called last in every call into the stream layer. */
    void settle() {
        if (fullCqCount == 0) {
            return;
        }
        for (int i = 0; i < fullCqCount; i++) {
            failCq(fullCqs[i]);
        }
        fullCqCount = 0;
    }

    private void failCq(int cq) {
        events.log("a completion queue is full: its QPs go to ERR (a larger cqe in ibv_create_cq helps)");
        for (Stream stream : streams) {
            if (stream != null && (stream.sendCq == cq || stream.recvCq == cq)) {
                stream.onCqFailed();
            }
        }
    }

    /** A CQ overflowed. */
    void cqFailed(int cq) {
        onFullCq(cq);
        settle();
    }

    void count(Counter counter) {
        counters.inc(counter);
    }

    void close() {
        Mem.free(scratch);
        Mem.free(scratchBlocks);
        placement.close();
    }
}
