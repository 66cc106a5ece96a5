package io.metaroce.provider.engine.stream;

import io.metaroce.provider.engine.ConnectionLayer;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.QpControl;
import io.metaroce.provider.engine.Record;
import io.metaroce.provider.engine.StreamLayer;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.port.Regions;
import io.metaroce.wire.BindBody;
import io.metaroce.wire.BlockKind;
import io.metaroce.wire.CtlHeader;
import io.metaroce.wire.CtlKind;
import io.metaroce.wire.DataLayout;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.QueryBody;
import io.metaroce.wire.Space;
import io.metaroce.wire.StreamBlock;
import io.metaroce.wire.StreamHeader;
import org.jspecify.annotations.Nullable;

/**
 * The upper half of the engine: all streams of a process. One RC queue pair is one stream; its number is the QP's index. Everything is called under the turn and
 * allocates nothing, except the control calls of {@link QpControl}.
 */
public final class Streams implements StreamLayer, QpControl {
    // The low bits of a control record's ref; above them the number of a tombstone.
    private static final int REF_BITS = 3;
    private static final int REF_BIND = 0;
    private static final int REF_BIND_ACK = 1;
    private static final int REF_QUERY_REQUESTS = 2;
    private static final int REF_QUERY_RESPONSES = 3;
    private static final int REF_FINAL = 4;

    private static final long SOON_NS = 1_000;

    private final Shared shared;

    /** An engine's streams; {@link #connect} comes before the first call. */
    public Streams(EngineConfig config, Regions regions, Completions completions, Events events, Counters counters) {
        this(new Shared(config, regions, completions, events, counters));
    }

    Streams(Shared shared) {
        this.shared = shared;
    }

    /** Names the layer below. */
    public void connect(ConnectionLayer connections) {
        shared.connect(connections);
    }

    /** Gives native memory back; nothing may be called after it. */
    public void close() {
        shared.close();
    }

    /** Whether the last words of a stream that went away are still to be delivered (at most 20 ms): a process that exits waits for them. */
    public boolean finalsPending() {
        return !shared.tombstones.isEmpty();
    }

    // ---- QpControl -------------------------------------------------------------------------------------------------

    @Override
    public void create(int qp, int qpType, int pd, int sendCq, int recvCq, long sqRing, long rqRing) {
        if (shared.stream(qp) != null) {
            throw new IllegalStateException("QP index " + qp + " exists");
        }
        shared.streams[qp] = new Stream(shared, qp, qpType, pd, sendCq, recvCq, sqRing, rqRing);
        shared.count(Counter.QPS_OPEN);
    }

    @Override
    public void modify(int qp, int newState, int mask, QpAttributes attributes, long nowNs) {
        shared.nowNs = nowNs;
        existing(qp).modify(newState, mask, attributes);
        shared.settle();
    }

    @Override
    public int state(int qp) {
        return existing(qp).state;
    }

    @Override
    public boolean draining(int qp) {
        Stream stream = existing(qp);
        return stream.state == Verbs.SQD && stream.requester.draining();
    }

    @Override
    public void query(int qp, QpAttributes out) {
        Stream.copy(existing(qp).attr, out, -1);
    }

    @Override
    public void destroy(int qp, long nowNs) {
        shared.nowNs = nowNs;
        existing(qp).leave();
        shared.streams[qp] = null;
        shared.counters.add(Counter.QPS_OPEN, -1);
    }

    @Override
    public void doorbell(int qp, long nowNs) {
        shared.nowNs = nowNs;
        Stream stream = shared.stream(qp);
        if (stream != null) {
            stream.doorbell();
            shared.settle();
        }
    }

    @Override
    public void cqFailed(int cq, long nowNs) {
        shared.nowNs = nowNs;
        shared.cqFailed(cq);
    }

    private Stream existing(int qp) {
        Stream stream = shared.stream(qp);
        if (stream == null) {
            throw new IllegalArgumentException("no QP with index " + qp);
        }
        return stream;
    }

    // ---- arrivals --------------------------------------------------------------------------------------------------

    @Override
    public boolean onData(int conn, long streamHeader, int bytes, long nowNs) {
        shared.nowNs = nowNs;
        Stream stream = shared.streamOf(conn, StreamHeader.qpn(streamHeader));
        if (stream == null
                || !stream.binds.known()
                || StreamHeader.generation(streamHeader) != stream.binds.generation()) {
            shared.count(Counter.RX_STALE);
            return true;
        }
        boolean request = DataLayout.space(StreamHeader.opcode(streamHeader)) == Space.REQUEST;
        if (request ? !stream.receives() : !stream.sends()) {
            shared.count(Counter.RX_STALE);
            stream.blockDue(request ? Space.REQUEST : Space.RESPONSE, false); // GONE, or why it failed
            return true;
        }
        boolean taken = request
                ? stream.responder.onRequest(streamHeader, bytes)
                : stream.requester.replies.onResponse(streamHeader, bytes);
        shared.settle();
        return taken;
    }

    @Override
    public boolean onStreamCtl(int conn, long body, int bytes, long nowNs) {
        shared.nowNs = nowNs;
        long content = body + CtlHeader.LENGTH;
        switch (CtlHeader.kind(body)) {
            case CtlKind.BIND, CtlKind.BIND_ACK -> onBind(conn, content, CtlHeader.kind(body));
            case CtlKind.QUERY -> onQuery(conn, content);
            case CtlKind.FINAL -> {
                for (int i = 0; i < CtlHeader.count(body); i++) {
                    onLastBlock(conn, content + (long) i * StreamBlock.LENGTH);
                }
            }
            default -> shared.count(Counter.RX_STALE);
        }
        shared.settle();
        return true;
    }

    private void onBind(int conn, long body, int kind) {
        Stream stream = shared.streamOf(conn, BindBody.remoteQpn(body));
        if (stream == null || !stream.receives() || stream.attr.destQpn != BindBody.localQpn(body)) {
            return; // not at RTR yet, or not with that QP: it is repeated
        }
        if (kind == CtlKind.BIND) {
            stream.binds.onBind(body);
        } else {
            stream.binds.onBindAck(body);
        }
    }

    private void onQuery(int conn, long body) {
        Stream stream = shared.streamOf(conn, QueryBody.qpn(body));
        int asker = QueryBody.askerQpn(body);
        int space = QueryBody.space(body);
        if (stream != null
                && stream.binds.known()
                && stream.binds.generation() == QueryBody.generation(body)
                && stream.binds.peerGeneration() == QueryBody.askerGeneration(body)
                && stream.attr.destQpn == asker) {
            stream.blockDue(space, true);
        } else if (!shared.tombstones.remembers(conn, asker, QueryBody.askerGeneration(body))) {
            shared.outbox(conn).addStranger(asker, QueryBody.askerGeneration(body), space);
            shared.connections().wantAck(conn, true);
        }
    }

    @Override
    public void onProbe(int conn, long nowNs) {
        shared.nowNs = nowNs;
        Stream stream = shared.outbox(conn).lastTold();
        if (stream != null) {
            stream.blockDue(Space.REQUEST, false);
        }
    }

    @Override
    public void onBlock(int conn, long block, int ackSeq, long nowNs) {
        shared.nowNs = nowNs;
        Stream stream = blockStream(conn, block);
        if (stream == null) {
            return;
        }
        if (StreamBlock.space(block) == Space.RESPONSE) {
            onAnswersBlock(stream, block, ackSeq, true);
        } else if (stream.sends()) {
            stream.requester.onBlock(block, ackSeq, true);
        }
        shared.settle();
    }

    /** A block of a FINAL: it has no number, as nothing follows it. */
    private void onLastBlock(int conn, long block) {
        Stream stream = blockStream(conn, block);
        if (stream == null) {
            return;
        }
        if (StreamBlock.space(block) == Space.RESPONSE) {
            onAnswersBlock(stream, block, 0, false);
        } else if (stream.sends()) {
            stream.requester.onBlock(block, 0, false);
        }
    }

    private static void onAnswersBlock(Stream stream, long block, int ackSeq, boolean numbered) {
        if (StreamBlock.rqLimit(block) == Outbox.GONE_UNKNOWN && StreamBlock.kind(block) == BlockKind.GONE) {
            stream.responder.answers.dropAll();
        } else {
            stream.responder.answers.onBlock(StreamBlock.kind(block), StreamBlock.cumSpsn(block), ackSeq, numbered);
        }
        stream.responder.settle();
    }

    /** The stream of a block, if it is of the life that the block means. */
    private @Nullable Stream blockStream(int conn, long block) {
        Stream stream = shared.streamOf(conn, StreamBlock.qpn(block));
        if (stream == null
                || !stream.receives()
                || !stream.binds.known()
                || stream.binds.generation() != StreamBlock.generation(block)) {
            shared.count(Counter.RX_STALE);
            return null;
        }
        return stream;
    }

    // ---- departures ------------------------------------------------------------------------------------------------

    @Override
    public int nextFrame(int conn, int number, long out, int room, Record record, long nowNs) {
        shared.nowNs = nowNs;
        Stream stream = shared.stream(number);
        if (stream == null || stream.conn() != conn || !stream.receives() || !stream.binds.ready()) {
            return 0;
        }
        record.type = FrameType.DATA;
        record.stream = number;
        record.life = stream.life;
        int bytes = stream.responder.answers.next(out, room, record);
        if (bytes == 0 && stream.sends()) {
            bytes = stream.requester.next(out, room, record);
            shared.settle();
        }
        return bytes;
    }

    @Override
    public boolean nothingFollows(int conn, int number) {
        Stream stream = shared.stream(number);
        return stream == null || (stream.requester.nothingFollows() && stream.responder.answers.nothingFollows());
    }

    @Override
    public int rebuild(int conn, Record record, long out, int room, long nowNs) {
        shared.nowNs = nowNs;
        if (record.type == FrameType.STREAM_CTL) {
            return putCtl(record, out, room);
        }
        Stream stream = shared.stream(record.stream);
        if (stream == null || stream.life != record.life || stream.conn() != conn) {
            return 0;
        }
        return record.space == Space.RESPONSE
                ? stream.responder.answers.rebuild(record, out, room)
                : stream.requester.rebuild(record, out, room);
    }

    @Override
    public int nextCtl(int conn, long out, int room, Record record, long nowNs) {
        shared.nowNs = nowNs;
        record.type = FrameType.STREAM_CTL;
        record.space = Space.REQUEST;
        record.spsn = 0;
        record.segments = 1;
        Outbox box = shared.outbox(conn);
        for (Stream stream = box.firstCtl(); stream != null; stream = box.firstCtl()) {
            int bit = Integer.lowestOneBit(stream.ctlDue);
            if (bit == 0) {
                box.removeFirstCtl();
                continue;
            }
            stream.ctlDue &= ~bit;
            record.stream = stream.qp;
            record.life = stream.life;
            record.ref = Integer.numberOfTrailingZeros(bit);
            int bytes = putCtl(record, out, room);
            if (bytes > 0) {
                return bytes;
            }
        }
        int stone = shared.tombstones.due(conn);
        if (stone == Shared.NONE) {
            return 0;
        }
        record.stream = 0;
        record.life = 0;
        record.ref = stone << REF_BITS | REF_FINAL;
        return putCtl(record, out, room);
    }

    private int putCtl(Record record, long out, int room) {
        int kind = record.ref & (1 << REF_BITS) - 1;
        if (kind == REF_FINAL) {
            return shared.tombstones.put(record.ref >>> REF_BITS, out, room);
        }
        Stream stream = shared.stream(record.stream);
        if (stream == null
                || stream.life != record.life
                || !stream.receives()
                || room < CtlHeader.LENGTH + BindBody.LENGTH) {
            return 0;
        }
        long body = out + CtlHeader.LENGTH;
        switch (kind) {
            case REF_BIND, REF_BIND_ACK -> {
                boolean answer = kind == REF_BIND_ACK;
                if (!answer && stream.binds.ready()) {
                    return 0;
                }
                CtlHeader.put(out, answer ? CtlKind.BIND_ACK : CtlKind.BIND, 0);
                stream.binds.put(body);
                return CtlHeader.LENGTH + BindBody.LENGTH;
            }
            case REF_QUERY_REQUESTS, REF_QUERY_RESPONSES -> {
                CtlHeader.put(out, CtlKind.QUERY, 0);
                QueryBody.put(
                        body,
                        stream.attr.destQpn,
                        kind == REF_QUERY_REQUESTS ? Space.REQUEST : Space.RESPONSE,
                        stream.binds.peerGeneration(),
                        stream.qpn,
                        stream.binds.generation());
                shared.count(Counter.TX_QUERIES);
                return CtlHeader.LENGTH + QueryBody.LENGTH;
            }
            default -> {
                return 0;
            }
        }
    }

    @Override
    public void onCleared(int conn, Record record, int ackSeq, long nowNs) {
        shared.nowNs = nowNs;
        if (record.type == FrameType.STREAM_CTL) {
            if ((record.ref & (1 << REF_BITS) - 1) == REF_FINAL) {
                shared.tombstones.onCleared(record.ref >>> REF_BITS);
            }
            return;
        }
        Stream stream = shared.stream(record.stream);
        if (stream == null || stream.life != record.life) {
            return;
        }
        if (record.space == Space.RESPONSE) {
            stream.responder.answers.onCleared(record, ackSeq);
        } else {
            stream.requester.onCleared(record, ackSeq);
        }
    }

    @Override
    public int blocks(int conn, long out, int max, long nowNs) {
        shared.nowNs = nowNs;
        Outbox box = shared.outbox(conn);
        int n = 0;
        for (Stream stream = box.firstBlock(); stream != null && n < max; stream = box.firstBlock()) {
            if ((stream.blocksDue & 1 << Space.REQUEST) != 0) {
                stream.blocksDue &= ~(1 << Space.REQUEST);
                stream.responder.putBlock(out + (long) n++ * StreamBlock.LENGTH);
                box.told(stream);
            } else if (stream.blocksDue != 0) {
                stream.blocksDue = 0;
                stream.requester.replies.putBlock(out + (long) n++ * StreamBlock.LENGTH);
            }
            if (stream.blocksDue == 0) {
                box.removeFirstBlock();
            }
        }
        while (n < max && box.hasStranger()) {
            box.putStranger(out + (long) n++ * StreamBlock.LENGTH);
        }
        return n;
    }

    @Override
    public boolean blocksDue(int conn) {
        return shared.outbox(conn).blocksDue();
    }

    // ---- connections and time --------------------------------------------------------------------------------------

    @Override
    public void onOpen(int conn, long nowNs) {
        shared.nowNs = nowNs;
        for (Stream stream : shared.streams) {
            if (stream != null && stream.conn() == conn && stream.receives()) {
                stream.binds.onOpen();
            }
        }
    }

    @Override
    public void onPeerGone(int conn, int status, String why, long nowNs) {
        shared.nowNs = nowNs;
        shared.tombstones.onPeerGone(conn);
        shared.outbox(conn).clear();
        for (Stream stream : shared.streams) {
            if (stream != null && stream.conn() == conn) {
                stream.onPeerGone(status, why);
            }
        }
        shared.settle();
    }

    @Override
    public void onTime(long nowNs) {
        shared.nowNs = nowNs;
        for (int qp = shared.timers.expired(nowNs); qp >= 0; qp = shared.timers.expired(nowNs)) {
            Stream stream = shared.stream(qp);
            if (stream != null) {
                long nextNs = stream.onTimer(nowNs);
                if (nextNs != Long.MAX_VALUE) {
                    shared.timers.atMost(qp, Math.max(nextNs, nowNs + SOON_NS));
                }
            }
        }
        shared.tombstones.onTime(nowNs);
        shared.settle();
    }

    @Override
    public long nextDeadlineNs() {
        return Math.min(shared.timers.nextNs(), shared.tombstones.nextNs());
    }
}
