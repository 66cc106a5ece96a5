package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.Record;
import io.metaroce.provider.engine.cc.CongestionControl;
import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.PathReceiver;
import io.metaroce.provider.engine.path.PathSender;
import io.metaroce.provider.engine.path.SackWindow;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.wire.AckHeader;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.DropReason;
import io.metaroce.wire.FrameFlag;
import io.metaroce.wire.FrameReader;
import io.metaroce.wire.FrameTag;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.PathCtlBody;
import io.metaroce.wire.PathCtlKind;
import io.metaroce.wire.ResetReason;
import io.metaroce.wire.TrailerLevel;
import org.jspecify.annotations.Nullable;

/**
 * What comes in, frame by frame: to its connection by id, past the tag, then to the path it belongs to and from there to the streams. Nothing that arrives can throw;
 * what is wrong is counted and dropped.
 */
final class Dispatcher {
    /** Congestion experienced (RFC 3168). */
    private static final int CE = 3;

    /** Types with a tag: those of an open connection. */
    private static final int CONNECTION_TYPES = 1 << FrameType.DATA
            | 1 << FrameType.ACK
            | 1 << FrameType.PROBE
            | 1 << FrameType.VOID
            | 1 << FrameType.STREAM_CTL
            | 1 << FrameType.PATH_CTL
            | 1 << FrameType.CLOSE;

    private final Context context;
    private final ConnectionTable table;
    private final PathLife pathLife;
    private final Handshake handshake;
    private final BlackHole blackHole;

    Dispatcher(Context context, ConnectionTable table, PathLife pathLife, Handshake handshake) {
        this.context = context;
        this.table = table;
        this.pathLife = pathLife;
        this.handshake = handshake;
        blackHole = new BlackHole(context);
    }

    void onFrame(RxBatch rx, int i, long nowNs) {
        long frame = rx.address(i);
        context.counters.inc(Counter.RX_FRAMES);
        context.counters.add(Counter.RX_BYTES, rx.length(i));
        long read = FrameReader.read(frame, rx.length(i));
        if (read < 0) {
            malformed(rx, i, frame, read, nowNs);
            return;
        }
        int type = FrameReader.type(read);
        if ((CONNECTION_TYPES & 1 << type) == 0) {
            onHandshakeFrame(rx, i, frame, type, nowNs);
            return;
        }
        Connection c = table.byId(CommonHeader.connectionId(frame));
        if (c == null || c.state != Connection.State.OPEN) {
            onNoConnection(rx, i, frame, type, c, nowNs);
            return;
        }
        if (!authentic(c, frame, read)) {
            context.counters.inc(Counter.RX_BAD_TAG);
            return;
        }
        c.lastHeardNs = nowNs;
        if (c.suspectMask == c.allMask) {
            pathLife.onSignOfLife(c, nowNs);
            table.enqueue(c);
        }
        if (rx.ecn(i) == CE) {
            context.counters.inc(Counter.RX_CE);
        }
        if (type == FrameType.DATA && (CommonHeader.flags(frame) & FrameFlag.ACK_FOLLOWS) != 0) {
            onAckBehind(c, frame + FrameReader.length(read), rx.length(i) - FrameReader.length(read), nowNs);
        }
        if (type == FrameType.ACK) {
            onAck(c, frame, nowNs);
        } else if (type == FrameType.CLOSE) {
            handshake.onClose(c, frame, nowNs);
        } else {
            onPacket(c, rx, i, frame, type, FrameReader.headerLength(read) + FrameReader.payloadLength(read), nowNs);
        }
    }

    private static boolean authentic(Connection c, long frame, long read) {
        return c.tagged
                ? FrameTag.matches(frame, read, c.keyHigh, c.keyLow)
                : FrameReader.level(read) == TrailerLevel.NONE;
    }

    private void malformed(RxBatch rx, int i, long frame, long read, long nowNs) {
        context.counters.inc(Counter.RX_MALFORMED);
        if (DropReason.of(read) == DropReason.VERSION
                && CommonHeader.type(frame) != FrameType.RESET
                && rx.length(i) >= CommonHeader.LENGTH) {
            handshake.refusals().onUnknown(rx, i, frame, ResetReason.VERSION, nowNs);
        }
    }

    private void onHandshakeFrame(RxBatch rx, int i, long frame, int type, long nowNs) {
        switch (type) {
            case FrameType.INIT -> handshake.onInit(rx, i, frame, nowNs);
            case FrameType.INIT_ACK -> handshake.onInitAck(frame, nowNs);
            case FrameType.OPEN -> handshake.onOpen(rx, i, frame, nowNs);
            case FrameType.OPEN_ACK -> handshake.onOpenAck(rx, i, frame, nowNs);
            case FrameType.RESET -> handshake.onReset(rx, i, frame, nowNs);
            default -> context.counters.inc(Counter.RX_MALFORMED);
        }
    }

    private void onNoConnection(RxBatch rx, int i, long frame, int type, @Nullable Connection c, long nowNs) {
        if (c != null && c.state == Connection.State.OPENING) {
            handshake.onEarly(c, nowNs);
        } else if (type != FrameType.CLOSE) {
            handshake.refusals().onUnknown(rx, i, frame, ResetReason.UNKNOWN_CONNECTION, nowNs);
        }
    }

    // ---- packets of the peer's paths ----

    private void onPacket(Connection c, RxBatch rx, int i, long frame, int type, int bytes, long nowNs) {
        int id = CommonHeader.path(frame);
        if (id >= Connection.MAX_PATHS) {
            context.counters.inc(Counter.RX_MALFORMED);
            return;
        }
        PathReceiver receiver = c.receiverFor(id);
        if (!receiver.enter(CommonHeader.epoch(frame))) {
            context.counters.inc(Counter.RX_STALE);
            return;
        }
        if (type == FrameType.DATA && c.avoidMask != 0) {
            pathLife.onUsed(c, rx.plane(i));
        }
        if (type != FrameType.PROBE && !receive(c, receiver, frame, type, bytes, nowNs)) {
            return;
        }
        long hi = rx.sourceHi(i);
        long lo = rx.sourceLo(i);
        if (!receiver.cameFrom(rx.plane(i), hi, lo)) {
            Planes peer = c.peer;
            receiver.comesFrom(rx.plane(i), hi, lo, peer == null ? -1 : peer.indexOf(hi, lo));
        }
        boolean marked = rx.ecn(i) == CE;
        if (!c.self) {
            boolean newest = (CommonHeader.flags(frame) & FrameFlag.NEWEST) != 0;
            long rttNs = c.paths[0].rtt().srttNs();
            context.shares.onPacket(rx.plane(i), c.index, rx.length(i), newest, marked, rttNs, c.maxPayload, nowNs);
            marked &= !context.shares.full(rx.plane(i));
        }
        receiver.onReceived(CommonHeader.txOrder(frame), marked, CommonHeader.attempt(frame), nowNs);
        c.lastReceiver = id;
        c.ackMask |= 1L << id;
        if (type == FrameType.PROBE) {
            context.streams.onProbe(c.index, nowNs);
            if (CommonHeader.attempt(frame) > 0) {
                c.probedMask |= 1L << id;
            }
        }
        table.enqueue(c);
    }

    /** A packet with a PSN. False: dropped, and not as if it had ever arrived. */
    private boolean receive(Connection c, PathReceiver receiver, long frame, int type, int bytes, long nowNs) {
        SackWindow window = receiver.window();
        int psn = CommonHeader.psn(frame);
        int test = window.test(psn);
        if (test == SackWindow.NEW) {
            long body = frame + CommonHeader.LENGTH;
            int bodyBytes = bytes - CommonHeader.LENGTH;
            boolean taken = switch (type) {
                case FrameType.DATA -> context.streams.onData(c.index, body, bodyBytes, nowNs);
                case FrameType.STREAM_CTL -> context.streams.onStreamCtl(c.index, body, bodyBytes, nowNs);
                case FrameType.PATH_CTL -> onPathCtl(c, body);
                default -> true;
            };
            if (!taken) {
                context.counters.inc(Counter.RX_NO_RESOURCE);
                return false;
            }
            window.mark(psn);
            return true;
        }
        if (test == SackWindow.DUPLICATE) {
            context.counters.inc(Counter.RX_DUPLICATE);
            if (type != FrameType.VOID) {
                receiver.onDuplicate();
            }
            return true;
        }
        context.counters.inc(Counter.RX_STALE);
        return false;
    }

    private boolean onPathCtl(Connection c, long body) {
        int kind = PathCtlBody.kind(body);
        if (kind == PathCtlKind.PLANE_DOWN || kind == PathCtlKind.PLANE_UP) {
            pathLife.onPeersNews(
                    c, PathCtlBody.remotePlane(body), PathCtlBody.localPlane(body), kind == PathCtlKind.PLANE_DOWN);
        }
        return true;
    }

    // ---- acknowledgements of our paths ----

    /** What a DATA packet has taken along. */
    private void onAckBehind(Connection c, long frame, int bytes, long nowNs) {
        long read = FrameReader.read(frame, bytes);
        if (read < 0 || FrameReader.type(read) != FrameType.ACK || table.byId(CommonHeader.connectionId(frame)) != c) {
            context.counters.inc(Counter.RX_MALFORMED);
        } else if (!authentic(c, frame, read)) {
            context.counters.inc(Counter.RX_BAD_TAG);
        } else {
            onAck(c, frame, nowNs);
        }
    }

    private void onAck(Connection c, long frame, long nowNs) {
        context.counters.inc(Counter.RX_ACKS);
        int id = CommonHeader.path(frame);
        if (id >= c.paths.length) {
            context.counters.inc(Counter.RX_STALE);
            return;
        }
        Path path = c.paths[id];
        PathSender sender = path.sender();
        long ack = frame + CommonHeader.LENGTH;
        int flyingBefore = sender.inFlightBytes();
        boolean sampledBefore = path.rtt().sampled();
        int epoch = CommonHeader.epoch(frame);
        int n = sender.onAck(ack, epoch, context.cleared, path.rtt(), nowNs);
        if (n < 0) {
            context.counters.inc(Counter.RX_STALE);
            return;
        }
        if (!path.suspect()) {
            c.inFlightBytes += sender.inFlightBytes() - flyingBefore;
        }
        if (!sampledBefore && path.rtt().sampled()) {
            shareRtt(c, path);
        }
        int ackSeq = AckHeader.ackSeq(ack);
        if (ackSeq - c.peerAckSeq > 0) {
            c.peerAckSeq = ackSeq;
        }
        blackHole.onAck(c, path, context.cleared, n, nowNs);
        tellCleared(c, sender, n, ackSeq, nowNs);
        boolean present = epoch == sender.epoch();
        if (present && (n > 0 || sender.heardNews())) {
            path.tail().onRound(n, sender.newlyLost(), sender.inFlight());
            pathLife.onHeard(c, path, n > 0, nowNs);
        }
        long bit = 1L << id;
        c.lostMask = sender.lost() > 0 ? c.lostMask | bit : c.lostMask & ~bit;
        CongestionControl control = c.control;
        if (control != null) {
            int marks = present ? path.newCeMarks(AckHeader.ceCount(ack)) : 0;
            control.onAck(
                    path,
                    n,
                    sender.ackedBytes(),
                    sender.newlyLost(),
                    sender.lossEvents(),
                    marks,
                    AckHeader.rateHint(ack),
                    ackSeq,
                    nowNs);
        }
        c.updateFull(path);
        int words = AckHeader.sackWords(ack);
        int blocks = AckHeader.streamBlocks(ack);
        for (int k = 0; k < blocks; k++) {
            context.streams.onBlock(c.index, AckHeader.streamBlock(ack, words, k), ackSeq, nowNs);
        }
        if (c.hasSomethingToSend()) {
            table.enqueue(c);
        }
    }

    private void tellCleared(Connection c, PathSender sender, int n, int ackSeq, long nowNs) {
        Record record = context.record;
        for (int k = 0; k < n; k++) {
            int psn = context.cleared[k];
            if (sender.tells(psn)) {
                sender.load(psn, record);
                context.streams.onCleared(c.index, record, ackSeq, nowNs);
            }
        }
    }

    /** The first measurement of a connection is a better guess for its other paths than the handshake was. */
    private static void shareRtt(Connection c, Path measured) {
        for (Path path : c.paths) {
            path.rtt().guess(measured.rtt().srttNs());
        }
    }
}
