package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.Record;
import io.metaroce.provider.engine.cc.CongestionControl;
import io.metaroce.provider.engine.cc.PathPicker;
import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.PathReceiver;
import io.metaroce.provider.engine.path.PathSender;
import io.metaroce.provider.engine.path.Plane;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.TxBatch;
import io.metaroce.wire.AckHeader;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.DataLayout;
import io.metaroce.wire.FrameFlag;
import io.metaroce.wire.FrameLayout;
import io.metaroce.wire.FrameTag;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.PathCtlBody;
import io.metaroce.wire.PathCtlKind;
import io.metaroce.wire.StreamBlock;
import io.metaroce.wire.TrailerLevel;
import org.jspecify.annotations.Nullable;

/**
 * What goes out of one connection, in this order: handshake, acknowledgements, probes, resends, copies of silent paths' packets, stream control, new data. Everything is
 * written straight into the link's buffers.
 */
final class Transmitter {
    private static final int RESERVED_OFFSET = 20;
    private static final int FIRST_PICK_CHOICES = 4;
    private static final int PICK_CHOICES = 2;

    /** Streams that want to send and then do not, one after the other or one for ever: the others wait for the next cycle. */
    private static final int MAX_EMPTY_ANSWERS = 32_768;

    private final Context context;
    private final PathLife pathLife;
    private final Handshake handshake;
    private int sent;
    private int emptyAnswers;

    Transmitter(Context context, PathLife pathLife, Handshake handshake) {
        this.context = context;
        this.pathLife = pathLife;
        this.handshake = handshake;
    }

    /** Frames sent by the last {@link #serve}. */
    int sent() {
        return sent;
    }

    /** Sends what is due. False: the batch was full before all had gone. */
    boolean serve(Connection c, TxBatch tx, long nowNs) {
        sent = 0;
        if (c.closeDue) {
            return sendClose(c, tx);
        }
        if (c.state == Connection.State.CLOSED || !sendHandshake(c, tx, nowNs)) {
            return c.state == Connection.State.CLOSED;
        }
        if (c.state != Connection.State.OPEN) {
            return true;
        }
        if (c.openNewsDue) {
            c.openNewsDue = false;
            context.streams.onOpen(c.index, nowNs);
        }
        if (!(ackMayRide(c) || sendAcks(c, tx, nowNs))) {
            return false;
        }
        boolean all = sendProbes(c, tx, nowNs)
                && resend(c, tx, nowNs)
                && sendCopies(c, tx, nowNs)
                && sendPlaneNews(c, tx, nowNs)
                && sendNew(c, tx, nowNs);
        c.acksFirst = !sendAcks(c, tx, nowNs);
        return all && !c.acksFirst;
    }

    // ---- handshake ----

    private boolean sendHandshake(Connection c, TxBatch tx, long nowNs) {
        if (c.openAckDue) {
            long frame = tx.begin(c.handshakeDestination);
            if (frame == 0) {
                return false;
            }
            c.openAckDue = false;
            commitHandshake(c, tx, handshake.writeOpenAck(c, frame));
        }
        if (c.handshakeDue && c.handshakeDestination >= 0) {
            long frame = tx.begin(c.handshakeDestination);
            if (frame == 0) {
                return false;
            }
            c.handshakeDue = false;
            int room = context.routes.maxPayload(c.handshakeDestination);
            if (room >= Handshake.LEAST_PAYLOAD_BYTES) {
                commitHandshake(c, tx, handshake.writeOwn(c, frame, room, nowNs));
            }
        }
        return true;
    }

    private boolean sendClose(Connection c, TxBatch tx) {
        if (c.handshakeDestination >= 0) {
            long frame = tx.begin(c.handshakeDestination);
            if (frame == 0) {
                return false;
            }
            commitHandshake(c, tx, handshake.writeClose(c, frame));
        }
        handshake.closeSent(c);
        return true;
    }

    private void commitHandshake(Connection c, TxBatch tx, int bytes) {
        commit(tx, c.handshakeDestination, context.routes.localPort(), bytes);
    }

    private void commit(TxBatch tx, int destination, int sourcePort, int bytes) {
        tx.commit(destination, sourcePort, bytes);
        sent++;
        context.counters.inc(Counter.TX_FRAMES);
        context.counters.add(Counter.TX_BYTES, bytes);
    }

    // ---- acknowledgements ----

    /** Whether the ACK that is due waits for a DATA packet to take it along: one of one path, and not for a second time. */
    private static boolean ackMayRide(Connection c) {
        return c.hasWork() && Long.bitCount(c.ackMask) == 1 && c.probedMask == 0 && !c.acksFirst;
    }

    /**
     * Stream blocks that the first ACK that is due has room for behind a packet of {@code bytes}; 0: it does not ride on it, for want of room or because it goes
     * another way.
     */
    private int riderBlocks(Connection c, Path path, int type, int bytes) {
        if (c.ackMask == 0 || type != FrameType.DATA || c.probedMask != 0) {
            return 0;
        }
        PathReceiver receiver = c.receiverFor(Long.numberOfTrailingZeros(c.ackMask));
        int ack = FrameLayout.ackLength(receiver.window().words(), 0) + trailer(c);
        int blocks = (c.maxPayload - bytes - ack) / StreamBlock.LENGTH;
        return blocks > 0 && receiver.attempt() == 0 && back(c, receiver) == path.destination
                ? Math.min(AckHeader.MAX_STREAM_BLOCKS, blocks)
                : 0;
    }

    private boolean sendAcks(Connection c, TxBatch tx, long nowNs) {
        if (c.ackMask == 0 && !c.blocksDue) {
            return true;
        }
        while (c.ackMask != 0) {
            int id = Long.numberOfTrailingZeros(c.ackMask);
            PathReceiver receiver = c.receiverFor(id);
            int back = back(c, receiver);
            if (receiver.lastAckDue() && !sendLastAck(c, receiver, back, tx, nowNs)) {
                return false;
            }
            if (!sendAck(c, receiver, back, tx, nowNs)) {
                return false;
            }
            c.ackMask &= ~(1L << id);
            if ((c.probedMask & 1L << id) != 0) {
                c.probedMask &= ~(1L << id);
                sendAckOnOtherPlanes(c, receiver, back, tx, nowNs);
            }
        }
        while (context.streams.blocksDue(c.index)) {
            PathReceiver receiver = c.receiverFor(c.lastReceiver);
            if (!sendAck(c, receiver, back(c, receiver), tx, nowNs)) {
                return false;
            }
        }
        c.blocksDue = false;
        context.timers.cancel(c.ackTimer);
        return true;
    }

    /** The peer's path has a new epoch: what the one before received is told once more. */
    private boolean sendLastAck(Connection c, PathReceiver receiver, int back, TxBatch tx, long nowNs) {
        receiver.swap();
        boolean sentIt = sendAck(c, receiver, back, tx, nowNs);
        receiver.swap();
        if (sentIt) {
            receiver.lastAckSent();
        }
        return sentIt;
    }

    /** Where the ACKs of a path go: back on the plane that it comes by, unless we know that one to be dead. */
    private int back(Connection c, PathReceiver receiver) {
        int destination = pathLife.destination(c, receiver.localPlane(), receiver.peerPlane());
        return destination >= 0 && !pathLife.isDown(c, receiver.localPlane(), receiver.peerPlane())
                ? destination
                : c.bestPath().destination;
    }

    /** A peer that had to probe may miss our answers, not we its packets: they go on every plane. What the batch does not take is left out. */
    private void sendAckOnOtherPlanes(Connection c, PathReceiver receiver, int done, TxBatch tx, long nowNs) {
        int last = done;
        for (Path path : c.paths) {
            if (path.destination != done && path.destination != last) {
                last = path.destination;
                if (!sendAck(c, receiver, last, tx, nowNs)) {
                    return;
                }
            }
        }
    }

    private boolean sendAck(Connection c, PathReceiver receiver, int destination, TxBatch tx, long nowNs) {
        long frame = tx.begin(destination);
        if (frame == 0) {
            return false;
        }
        int bytes = writeAck(c, receiver, frame, AckHeader.MAX_STREAM_BLOCKS, nowNs);
        int port = Ports.reverse(context.config.localSlot(), receiver.id, receiver.epoch(), receiver.attempt());
        commit(tx, destination, port, bytes);
        return true;
    }

    /** Returns the length of the frame. */
    private int writeAck(Connection c, PathReceiver receiver, long frame, int maxBlocks, long nowNs) {
        long ack = frame + CommonHeader.LENGTH;
        int words = receiver.window().words();
        int blocks = context.streams.blocks(c.index, AckHeader.streamBlock(ack, words, 0), maxBlocks, nowNs);
        AckHeader.cumPsn(ack, receiver.window().cum());
        AckHeader.echoTxOrder(ack, receiver.highestTxOrder());
        AckHeader.ackSeq(ack, ++c.ackSeq);
        AckHeader.ackDelay(ack, AckHeader.delayUnits(nowNs - receiver.highestAtNs()));
        boolean hints = context.config.hints() && !c.self;
        AckHeader.rateHint(ack, hints ? context.shares.hint(receiver.localPlane(), c.index) : 0);
        AckHeader.ceCount(ack, receiver.ceCount());
        AckHeader.dupCount(ack, receiver.dupCount());
        AckHeader.sackWords(ack, words);
        AckHeader.streamBlocks(ack, blocks);
        Mem.putIntBe(ack + RESERVED_OFFSET, 0);
        for (int w = 0; w < words; w++) {
            AckHeader.sackWord(ack, w, receiver.window().word(w));
        }
        int headers = FrameLayout.ackLength(words, blocks);
        int attempt = receiver.attempt();
        CommonHeader.put(frame, FrameType.ACK, 0, receiver.id, receiver.epoch(), c.peerId, 0, 0, 0, attempt, level(c));
        context.counters.inc(Counter.TX_ACKS);
        return seal(c, frame, headers, 0);
    }

    private static int level(Connection c) {
        return c.tagged ? TrailerLevel.TAG : TrailerLevel.NONE;
    }

    private static int trailer(Connection c) {
        return c.tagged ? FrameTag.LENGTH : 0;
    }

    /** Adds the trailer; returns the length of the frame. */
    private static int seal(Connection c, long frame, int headers, int payload) {
        if (!c.tagged) {
            return headers + payload;
        }
        FrameTag.seal(frame, headers, payload, c.keyHigh, c.keyLow);
        return headers + payload + FrameTag.LENGTH;
    }

    // ---- probes ----

    private boolean sendProbes(Connection c, TxBatch tx, long nowNs) {
        while (c.probeMask != 0) {
            Path path = c.paths[Long.numberOfTrailingZeros(c.probeMask)];
            long frame = tx.begin(path.destination);
            if (frame == 0) {
                return false;
            }
            c.probeMask &= c.probeMask - 1;
            PathSender sender = path.sender();
            int attempt = path.probeAttempt();
            sender.sendProbe(nowNs);
            int order = sender.wireTxOrder();
            boolean newest = attempt == 0 && !c.controlDue && !c.hasWork();
            int flags = FrameFlag.AR | (newest ? FrameFlag.NEWEST : 0);
            int psn = sender.wirePsn(sender.nextPsn() - 1);
            int padding = path.home().asked() ? room(c) : 0;
            CommonHeader.put(
                    frame,
                    FrameType.PROBE,
                    flags,
                    path.id,
                    path.epoch(),
                    c.peerId,
                    psn,
                    order,
                    padding,
                    attempt,
                    level(c));
            Mem.fill(frame + CommonHeader.LENGTH, padding, 0);
            int bytes = seal(c, frame, CommonHeader.LENGTH, padding);
            commit(tx, path.destination, path.sourcePort(), bytes);
            CongestionControl control = c.control;
            if (control != null) {
                control.onSent(path, bytes, nowNs);
            }
            context.counters.inc(Counter.TX_PROBES);
            pathLife.arm(c, path);
        }
        return true;
    }

    // ---- packets with a PSN ----

    /** The lost packets of every path that is not suspect: before anything new, on the same path, under the same PSN. */
    private boolean resend(Connection c, TxBatch tx, long nowNs) {
        long mask = c.lostMask & ~c.suspectMask;
        while (mask != 0) {
            Path path = c.paths[Long.numberOfTrailingZeros(mask)];
            mask &= mask - 1;
            boolean full = false;
            CongestionControl control = c.control;
            while (!full && path.sender().lost() > 0 && path.tail().mayResend()) {
                if (control != null && control.resendWaits(path, nowNs)) {
                    context.timers.setNoLaterThan(c.paceTimer, control.paceDueNs(nowNs));
                    break;
                }
                full = !resendFirst(c, path, tx, nowNs);
            }
            pathLife.arm(c, path);
            if (full) {
                return false;
            }
            if (path.sender().lost() == 0) {
                c.lostMask &= ~(1L << path.id);
            }
        }
        return true;
    }

    private boolean resendFirst(Connection c, Path path, TxBatch tx, long nowNs) {
        long frame = tx.begin(path.destination);
        if (frame == 0) {
            return false;
        }
        PathSender sender = path.sender();
        int psn = sender.firstLost();
        Record record = context.record;
        int body = 0;
        if (!sender.isVoid(psn)) {
            sender.load(psn, record);
            body = rebuild(c, record, frame + CommonHeader.LENGTH, nowNs);
        }
        boolean asVoid = body == 0;
        int type = asVoid ? FrameType.VOID : record.type;
        int headers = headers(type, frame);
        int bytes = CommonHeader.LENGTH + body + trailer(c);
        sender.resend(bytes, asVoid, nowNs);
        path.tail().onResent();
        finish(c, path, tx, frame, type, FrameFlag.RTX, psn, headers, body, bytes, nowNs);
        context.counters.inc(asVoid ? Counter.TX_VOID : Counter.TX_RESENT);
        return true;
    }

    private int rebuild(Connection c, Record record, long out, long nowNs) {
        return record.type == FrameType.PATH_CTL
                ? writePlaneNews(c.planes[record.stream], out)
                : context.streams.rebuild(c.index, record, out, room(c), nowNs);
    }

    /** Writes common header and trailer around a body and sends the packet; its transmit order is the path's last. */
    private void finish(
            Connection c,
            Path path,
            TxBatch tx,
            long frame,
            int type,
            int flags,
            int psn,
            int headers,
            int body,
            int bytes,
            long nowNs) {
        int payload = CommonHeader.LENGTH + body - headers;
        PathSender sender = path.sender();
        int order = sender.wireTxOrder();
        int wirePsn = sender.wirePsn(psn);
        int riderBlocks = riderBlocks(c, path, type, bytes);
        int allFlags = riderBlocks > 0 ? flags | FrameFlag.ACK_FOLLOWS : flags;
        CommonHeader.put(frame, type, allFlags, path.id, path.epoch(), c.peerId, wirePsn, order, payload, 0, level(c));
        seal(c, frame, headers, payload);
        path.tail().onSent(nowNs);
        if (sender.inFlight() == 1) {
            path.othersHeard(c.news);
        }
        c.inFlightBytes += bytes;
        CongestionControl control = c.control;
        if (control != null) {
            control.onSent(path, bytes, nowNs);
        }
        int behind = 0;
        if (riderBlocks > 0) {
            PathReceiver rider = c.receiverFor(Long.numberOfTrailingZeros(c.ackMask));
            behind = writeAck(c, rider, frame + bytes, riderBlocks, nowNs);
            c.ackMask &= ~(1L << rider.id);
            c.blocksDue = true; // those for which there was no room
        }
        commit(tx, path.destination, path.sourcePort(), bytes + behind);
    }

    /** Bytes of headers of a packet whose body is written but whose common header is not. */
    private static int headers(int type, long frame) {
        if (type == FrameType.DATA) {
            return CommonHeader.LENGTH + DataLayout.headersLength(frame + CommonHeader.LENGTH);
        }
        if (type == FrameType.VOID) {
            return CommonHeader.LENGTH;
        }
        CommonHeader.type(frame, type);
        return FrameLayout.headerLength(frame);
    }

    /** Bytes for everything between common header and trailer. */
    private static int room(Connection c) {
        return c.maxPayload - CommonHeader.LENGTH - trailer(c);
    }

    private static boolean windowOpen(Connection c, CongestionControl control, long nowNs) {
        return c.inFlightBytes == 0 || c.inFlightBytes + c.maxPayload <= control.connectionWindowBytes(nowNs);
    }

    /** Paths that may take a packet now. When pacing holds some back, the connection is looked at again when they may. */
    private long eligible(Connection c, CongestionControl control, long nowNs) {
        long mask = c.eligible();
        long waiting = control.waitingMask(nowNs);
        if ((mask & waiting) != 0) {
            context.timers.setNoLaterThan(c.paceTimer, control.paceDueNs(nowNs));
        }
        return mask & ~waiting;
    }

    /** What suspect paths hold goes once more, on paths that live, under new PSNs there; and so does what is left of a path's earlier epochs. */
    private boolean sendCopies(Connection c, TxBatch tx, long nowNs) {
        long mask = c.copyMask;
        while (mask != 0) {
            Path from = c.paths[Long.numberOfTrailingZeros(mask)];
            mask &= mask - 1;
            PathSender sender = from.sender();
            int end = from.suspect() ? sender.nextPsn() : sender.psnBase();
            int psn = from.copyCursor();
            for (; psn - end < 0; psn++) {
                if (!sender.isOpen(psn)) {
                    continue;
                }
                if (sender.isVoid(psn)) {
                    giveUpOrphan(c, sender, psn, nowNs);
                    continue;
                }
                Path to = pathForCopy(c, from, psn, nowNs);
                if (to == null) {
                    from.copyCursor(psn);
                    return true; // an ACK makes room
                }
                long frame = tx.begin(to.destination);
                if (frame == 0) {
                    from.copyCursor(psn);
                    return false;
                }
                copy(c, from, psn, to, tx, frame, nowNs);
            }
            from.copyCursor(psn);
            c.copyMask &= ~(1L << from.id);
            c.uncopiedMask &= ~(1L << from.id);
        }
        return true;
    }

    private @Nullable Path pathForCopy(Connection c, Path from, int psn, long nowNs) {
        CongestionControl control = c.control;
        if (control == null || !windowOpen(c, control, nowNs)) {
            return null;
        }
        int at = context.picker.pick(c.paths, eligible(c, control, nowNs), PICK_CHOICES, control);
        if (at >= 0) {
            return c.paths[at];
        }
        return from.sender().isOrphan(psn) && !from.suspect() ? from : null; // an orphan makes room for its own copy
    }

    private void copy(Connection c, Path from, int psn, Path to, TxBatch tx, long frame, long nowNs) {
        Record record = context.record;
        PathSender sender = from.sender();
        sender.load(psn, record);
        int body = rebuild(c, record, frame + CommonHeader.LENGTH, nowNs);
        if (body == 0) {
            giveUpOrphan(c, sender, psn, nowNs);
            return; // its work is over: a VOID when the path comes back
        }
        boolean orphan = sender.isOrphan(psn);
        if (orphan) {
            sender.closeOrphan(psn);
            c.updateFull(from);
        } else {
            sender.copied(psn);
        }
        sendRecord(c, to, tx, frame, record, orphan ? 0 : FrameFlag.HEDGE, body, nowNs);
        context.counters.inc(orphan ? Counter.TX_RESENT : Counter.TX_COPIED);
        pathLife.arm(c, to);
    }

    /** A packet of an earlier epoch has no data any more; its PSN needs no VOID. */
    private void giveUpOrphan(Connection c, PathSender sender, int psn, long nowNs) {
        if (sender.isOrphan(psn)) {
            if (sender.tells(psn)) {
                sender.load(psn, context.record);
                context.streams.onCleared(c.index, context.record, c.peerAckSeq, nowNs);
            }
            sender.closeOrphan(psn);
        }
    }

    // ---- news of planes ----

    private boolean sendPlaneNews(Connection c, TxBatch tx, long nowNs) {
        if (!c.planeNewsDue) {
            return true;
        }
        CongestionControl control = c.control;
        for (Plane plane : c.planes) {
            if (!plane.newsDue()) {
                continue;
            }
            int at = control == null || !windowOpen(c, control, nowNs)
                    ? -1
                    : context.picker.pick(c.paths, eligible(c, control, nowNs), PICK_CHOICES, control);
            if (at < 0) {
                return true; // an ACK makes room
            }
            Path path = c.paths[at];
            long frame = tx.begin(path.destination);
            if (frame == 0) {
                return false;
            }
            Record record = context.record;
            record.type = FrameType.PATH_CTL;
            record.stream = plane.index;
            record.life = 0;
            record.space = 0;
            record.spsn = 0;
            record.segments = 1;
            record.ref = 0;
            plane.newsTold();
            sendRecord(c, path, tx, frame, record, 0, writePlaneNews(plane, frame + CommonHeader.LENGTH), nowNs);
            pathLife.arm(c, path);
        }
        c.planeNewsDue = false;
        return true;
    }

    /** What is known of the plane now: a resend must not tell what was true once. */
    private static int writePlaneNews(Plane plane, long out) {
        int kind = plane.down() ? PathCtlKind.PLANE_DOWN : PathCtlKind.PLANE_UP;
        PathCtlBody.put(out, kind, plane.localPlane, plane.peerPlane, 0, 0, 0);
        return PathCtlBody.LENGTH;
    }

    private int sendRecord(
            Connection c, Path path, TxBatch tx, long frame, Record record, int flags, int body, long nowNs) {
        int headers = headers(record.type, frame);
        int bytes = CommonHeader.LENGTH + body + trailer(c);
        PathSender sender = path.sender();
        int psn = sender.nextPsn();
        sender.send(record, bytes, nowNs);
        finish(c, path, tx, frame, record.type, flags, psn, headers, body, bytes, nowNs);
        c.updateFull(path);
        return bytes;
    }

    // ---- new packets ----

    /** Control and data of the streams, in bursts over the paths, while windows allow. */
    private boolean sendNew(Connection c, TxBatch tx, long nowNs) {
        CongestionControl control = c.control;
        if (control == null) {
            return true;
        }
        int choices = FIRST_PICK_CHOICES;
        emptyAnswers = 0;
        while ((c.controlDue || c.hasWork()) && emptyAnswers < MAX_EMPTY_ANSWERS) {
            if (!windowOpen(c, control, nowNs)) {
                return true;
            }
            int at = context.picker.pick(c.paths, eligible(c, control, nowNs), choices, control);
            if (at < 0) {
                return true;
            }
            choices = PICK_CHOICES;
            Path path = c.paths[at];
            boolean full = false;
            for (int burst = 0;
                    burst < PathPicker.BURST && !full && (c.fullMask & 1L << at) == 0 && !control.waits(path, nowNs);
                    burst++) {
                if (!(c.controlDue || c.hasWork()) || !windowOpen(c, control, nowNs)) {
                    break;
                }
                full = !sendOneNew(c, path, tx, nowNs);
            }
            pathLife.arm(c, path);
            if (full) {
                return false;
            }
        }
        return true;
    }

    /** One frame, unless the stream whose turn it is has none. False: the batch is full. */
    private boolean sendOneNew(Connection c, Path path, TxBatch tx, long nowNs) {
        long frame = tx.begin(path.destination);
        if (frame == 0) {
            return false;
        }
        Record record = context.record;
        long out = frame + CommonHeader.LENGTH;
        if (c.controlDue) {
            c.controlDue = false;
            int body = context.streams.nextCtl(c.index, out, room(c), record, nowNs);
            if (body == 0) {
                emptyAnswers++;
            } else {
                c.controlDue = true;
                sendRecord(c, path, tx, frame, record, 0, body, nowNs);
            }
            return true;
        }
        int body = context.streams.nextFrame(c.index, c.firstWork(), out, room(c), record, nowNs);
        if (body == 0) {
            c.removeFirstWork();
            emptyAnswers++;
        } else {
            boolean newest = c.onlyServedWorks() && context.streams.nothingFollows(c.index, record.stream);
            int flags = newest ? FrameFlag.NEWEST : 0;
            c.chargeFirstWork(sendRecord(c, path, tx, frame, record, flags, body, nowNs));
        }
        return true;
    }
}
