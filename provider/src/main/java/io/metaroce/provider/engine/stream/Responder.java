package io.metaroce.provider.engine.stream;

import io.metaroce.provider.port.Counter;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.wire.AtomicExt;
import io.metaroce.wire.BlockKind;
import io.metaroce.wire.DataLayout;
import io.metaroce.wire.ImmediateTail;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.SendExt;
import io.metaroce.wire.Serial;
import io.metaroce.wire.Space;
import io.metaroce.wire.StreamBlock;
import io.metaroce.wire.StreamFlag;
import io.metaroce.wire.StreamHeader;
import io.metaroce.wire.Syndrome;
import io.metaroce.wire.WriteExt;

/**
 * The receiving side of one stream's request space: places what arrives at once, wherever it belongs, and completes messages in order. READs and atomics go to
 * {@link Answers} when everything before them has landed.
 */
final class Responder {
    private static final int NONE = -1;
    private static final int TAKEN = 0;
    private static final int REFUSED = 1;
    private static final int DROPPED = 2;

    private final Stream stream;
    private final Shared shared;
    final SpsnWindow window;
    final Answers answers;
    private final LandedRanges.List landed = new LandedRanges.List();
    private final PendingEnds.List ends = new PendingEnds.List();

    private int firstSpsn;
    private int cumMsn;
    private final int rqMask;
    private final int rqStride;
    private int rqBase;
    private int rqDone;
    private int rqPosted;
    private boolean refused; // a peer waits for receive refusedIndex
    private int refusedIndex;
    private boolean failing; // message failMsn is bad; it is reported when everything before it has completed
    private int failSpsn;
    private int failSyndrome;
    private int failReceiveStatus;
    private int errorSyndrome; // reported; 0 none
    private boolean established;

    Responder(Stream stream) {
        this.stream = stream;
        this.shared = stream.shared;
        this.window = new SpsnWindow(shared.bitmaps);
        this.answers = new Answers(stream);
        rqMask = Ring.entries(stream.rqRing) - 1;
        rqStride = Ring.stride(stream.rqRing);
    }

    /** RTR: receives posted so far are numbered from 0. */
    void start() {
        rqBase = Ring.head(stream.rqRing);
        rqDone = 0;
        rqPosted = Ring.tailAcquire(stream.rqRing) - rqBase;
        cumMsn = 0;
        refused = false;
        failing = false;
        errorSyndrome = 0;
        established = false;
        answers.start(stream.attr.maxDestRdAtomic);
    }

    /** The peer has told where its requests begin. */
    void begin(int spsn) {
        firstSpsn = spsn;
        window.start(spsn);
    }

    /** Nothing has been placed in this life. */
    boolean untouched() {
        return window.cum() == firstSpsn && window.inOrder();
    }

    /** Gives back what it holds of the pools. */
    void stop() {
        window.stop();
        shared.placement.forget(landed);
        while (!ends.isEmpty()) {
            int end = shared.ends.first(ends);
            if (shared.ends.opcode(end) == Opcode.WRITE && shared.ends.extra(end) != NONE) {
                shared.placement.dropTail(shared.ends.extra(end));
            }
            shared.ends.removeFirst(ends);
        }
        answers.stop();
    }

    int posted() {
        rqPosted = Ring.tailAcquire(stream.rqRing) - rqBase;
        return rqPosted;
    }

    /** A request packet of this stream and generation. */
    boolean onRequest(long header, int bytes) {
        int opcode = StreamHeader.opcode(header);
        int flags = StreamHeader.flags(header);
        int spsn = StreamHeader.spsn(header);
        int headers = DataLayout.headersLength(opcode, flags);
        int payload = bytes - headers;
        int n = DataLayout.segments(payload, stream.binds.segmentBytes());
        int ahead = spsn - window.cum();
        if (ahead + n <= 0 && ahead <= 0) {
            stream.blockDue(Space.REQUEST, false);
            return true; // all of it has landed before
        }
        if (ahead + n > shared.bitmaps.bits() || ahead < -shared.bitmaps.bits()) {
            shared.count(Counter.RX_STALE);
            return true;
        }
        if (failing && spsn - failSpsn >= 0) {
            return true;
        }
        if (ahead > 0 && !(window.reserve() && shared.placement.hasRoom() && shared.ends.available() > 0)) {
            window.absorb(); // gives an unused bitmap back
            stream.blockDue(Space.REQUEST, false); // the peer may lack the news that lets it fill the gap
            return false;
        }
        int answer = DataLayout.cutAtSegments(header, payload, stream.binds.segmentBytes())
                ? take(header, opcode, flags, spsn, n, payload, header + headers)
                : refuse(header, Syndrome.REM_INV_REQ, Verbs.SUCCESS);
        if (answer == TAKEN && ahead > 0) {
            shared.counters.add(Counter.RX_OUT_OF_ORDER, n);
        }
        if (!established && stream.state == Verbs.RTR && answer == TAKEN) {
            established = true;
            shared.events.qpEvent(stream.qp, Verbs.EVENT_COMM_EST);
        }
        window.absorb();
        settle();
        stream.blockDue(Space.REQUEST, false);
        return answer != DROPPED;
    }

    private int take(long header, int opcode, int flags, int spsn, int n, int payload, long from) {
        return switch (opcode) {
            case Opcode.WRITE -> takeWrite(header, flags, spsn, n, payload, from);
            case Opcode.SEND -> takeSend(header, flags, spsn, n, payload, from);
            default -> takeTicket(header, opcode, spsn);
        };
    }

    private int takeWrite(long header, int flags, int spsn, int n, int payload, long from) {
        long ext = DataLayout.extension(header);
        long length = WriteExt.messageLength(ext);
        int rkey = WriteExt.rkey(ext);
        long va = WriteExt.va(ext);
        long base = 0;
        if ((stream.attr.accessFlags & Verbs.REMOTE_WRITE) == 0) {
            return refuse(header, Syndrome.REM_INV_REQ, Verbs.SUCCESS);
        }
        if (length != 0) {
            base = shared.regions.remote(rkey, stream.pd, va, length, Verbs.REMOTE_WRITE);
            if (base < 0) {
                shared.count(Counter.REMOTE_ACCESS_ERRORS);
                return refuse(header, Syndrome.REM_ACCESS, Verbs.SUCCESS);
            }
        }
        int imm = 0;
        int rqIndex = 0;
        if ((flags & StreamFlag.IMM) != 0) {
            long tail = DataLayout.tail(header);
            imm = Mem.getInt(tail);
            rqIndex = ImmediateTail.rqIndex(tail);
            if (!hasReceive(rqIndex)) {
                return REFUSED;
            }
        }
        long offset = StreamHeader.offset(header);
        int segment = stream.binds.segmentBytes();
        boolean last = (flags & StreamFlag.LAST) != 0;
        int i = 0;
        while (i < n) {
            int s = spsn + i;
            int run = missing(s, n - i);
            if (run <= 0) {
                i++;
                continue;
            }
            long at = (long) i * segment;
            boolean toEnd = i + run == n;
            long piece = (toEnd ? payload : (long) (i + run) * segment) - at;
            int tail = toEnd && last ? tailOf(payload, n, segment) : 0;
            if (s == window.cum()) {
                if (!shared.placement.write(landed, s, base + offset + at, from + at, piece, tail)) {
                    return refuse(header, Syndrome.REM_OP, Verbs.SUCCESS);
                }
                window.advance(run);
                if (toEnd && last) {
                    end(s + run - 1, StreamHeader.msn(header), Opcode.WRITE, flags, imm, rqIndex, (int) length, NONE);
                }
                if (!passEnds()) {
                    return TAKEN;
                }
            } else {
                if (!shared.placement.writeAhead(landed, s, run, base + offset + at, from + at, piece - tail)) {
                    return refuse(header, Syndrome.REM_OP, Verbs.SUCCESS);
                }
                if (toEnd && last) {
                    int kept = tail == 0
                            ? NONE
                            : shared.placement.keepTail(
                                    rkey, va + offset + at + piece - tail, from + at + piece - tail, tail);
                    addEnd(header, s + run - 1, Opcode.WRITE, flags, imm, rqIndex, (int) length, kept);
                }
                window.markAhead(s, run);
            }
            i += run;
        }
        return TAKEN;
    }

    /** Bytes of a WRITE's last segment that are held back until everything older has landed: at most 64. */
    private static int tailOf(int payload, int n, int segment) {
        return Math.min(HeldTails.BYTES, payload - (n - 1) * segment);
    }

    private int takeSend(long header, int flags, int spsn, int n, int payload, long from) {
        long ext = DataLayout.extension(header);
        long length = SendExt.messageLength(ext);
        int rqIndex = SendExt.rqIndex(ext);
        if ((flags & StreamFlag.INV) != 0 || rqIndex - rqDone < 0) {
            return refuse(header, Syndrome.REM_INV_REQ, Verbs.SUCCESS);
        }
        if (!hasReceive(rqIndex)) {
            return REFUSED;
        }
        long slot = receive(rqIndex);
        if (length > (RecvSlot.length(slot) & 0xffff_ffffL)) {
            return refuse(header, Syndrome.LENGTH, Verbs.LOC_LEN_ERR);
        }
        int imm = (flags & StreamFlag.IMM) != 0 ? Mem.getInt(DataLayout.tail(header)) : 0;
        long offset = StreamHeader.offset(header);
        int segment = stream.binds.segmentBytes();
        boolean last = (flags & StreamFlag.LAST) != 0;
        int i = 0;
        while (i < n) {
            int s = spsn + i;
            int run = missing(s, n - i);
            if (run <= 0) {
                i++;
                continue;
            }
            long at = (long) i * segment;
            boolean toEnd = i + run == n;
            long piece = (toEnd ? payload : (long) (i + run) * segment) - at;
            boolean inOrder = s == window.cum();
            int status = shared.placement.scatter(
                    landed,
                    s,
                    inOrder ? 0 : run,
                    RecvSlot.sge(slot, 0),
                    RecvSlot.numSge(slot),
                    stream.pd,
                    offset + at,
                    piece,
                    from + at);
            if (status != Verbs.SUCCESS) {
                return refuse(header, Syndrome.REM_OP, status);
            }
            if (inOrder) {
                window.advance(run);
                if (toEnd && last) {
                    end(s + run - 1, StreamHeader.msn(header), Opcode.SEND, flags, imm, rqIndex, (int) length, NONE);
                }
                if (!passEnds()) {
                    return TAKEN;
                }
            } else {
                if (toEnd && last) {
                    addEnd(header, s + run - 1, Opcode.SEND, flags, imm, rqIndex, (int) length, NONE);
                }
                window.markAhead(s, run);
            }
            i += run;
        }
        return TAKEN;
    }

    private int takeTicket(long header, int opcode, int spsn) {
        if (missing(spsn, 1) <= 0) {
            return TAKEN;
        }
        if (!answers.hasRoom()) {
            return refuse(header, Syndrome.REM_INV_REQ, Verbs.SUCCESS);
        }
        int msn = StreamHeader.msn(header);
        long ext = DataLayout.extension(header);
        int ticket;
        long length = 0;
        if (opcode == Opcode.READ_REQ) {
            length = WriteExt.messageLength(ext);
            ticket = answers.take(msn, Tickets.READ, WriteExt.va(ext), WriteExt.rkey(ext), length, 0, 0);
        } else {
            ticket = answers.take(
                    msn,
                    AtomicExt.op(ext),
                    AtomicExt.va(ext),
                    AtomicExt.rkey(ext),
                    Long.BYTES,
                    AtomicExt.arg1(ext),
                    AtomicExt.arg2(ext));
        }
        int flags = StreamHeader.flags(header);
        if (spsn == window.cum()) {
            window.advance(1);
            end(spsn, msn, opcode, flags, 0, 0, (int) length, ticket);
            passEnds();
        } else {
            addEnd(header, spsn, opcode, flags, 0, 0, (int) length, ticket);
            window.markAhead(spsn, 1);
        }
        return TAKEN;
    }

    /** Segments from {@code s} on that have not landed; 0 or less: this one has. */
    private int missing(int s, int n) {
        int behind = window.cum() - s;
        return behind > 0 ? 0 : window.missingRun(s, n);
    }

    private void addEnd(
            long header, int spsn, int opcode, int flags, int imm, int rqIndex, int messageLength, int extra) {
        shared.ends.add(ends, spsn, StreamHeader.msn(header), opcode, flags, imm, rqIndex, messageLength, extra);
    }

    /** Passes over what has landed beyond cum and does what was left to do at the ends of messages. False: one of them failed. */
    private boolean passEnds() {
        window.absorb();
        while (!ends.isEmpty()) {
            int end = shared.ends.first(ends);
            int spsn = shared.ends.spsn(end);
            if (spsn - window.cum() >= 0 || (failing && spsn - failSpsn >= 0)) {
                break; // not landed, or behind the message that failed
            }
            int opcode = shared.ends.opcode(end);
            int extra = shared.ends.extra(end);
            shared.ends.removeFirst(ends);
            int bad = 0;
            if (opcode == Opcode.WRITE && extra != NONE) {
                bad = shared.placement.storeTail(landed, spsn, extra, stream.pd);
            }
            if (bad != 0) {
                fail(spsn, bad, Verbs.SUCCESS);
                break;
            }
            end(
                    spsn,
                    shared.ends.msn(end),
                    opcode,
                    shared.ends.flags(end),
                    shared.ends.imm(end),
                    shared.ends.rqIndex(end),
                    shared.ends.messageLength(end),
                    extra);
        }
        shared.placement.passed(landed, window.cum());
        return !failing;
    }

    /** Everything up to {@code spsn}, the end of this message, has landed. */
    private void end(int spsn, int msn, int opcode, int flags, int imm, int rqIndex, int messageLength, int ticket) {
        boolean takesReceive = opcode == Opcode.SEND || (flags & StreamFlag.IMM) != 0;
        int bad = msn != cumMsn || (takesReceive && rqIndex != rqDone) ? Syndrome.REM_INV_REQ : 0;
        if (bad == 0 && (opcode == Opcode.READ_REQ || opcode == Opcode.ATOMIC_REQ)) {
            bad = answers.execute(ticket);
        }
        if (bad != 0) {
            fail(spsn + 1, bad, Verbs.SUCCESS);
            return;
        }
        if (takesReceive) {
            receiveDone(
                    Verbs.SUCCESS,
                    opcode == Opcode.SEND ? Verbs.WC_RECV : Verbs.WC_RECV_WITH_IMM,
                    messageLength,
                    imm,
                    (flags & StreamFlag.IMM) != 0 ? Verbs.WC_WITH_IMM : 0,
                    (flags & StreamFlag.SE) != 0);
        }
        cumMsn = Serial.add24(cumMsn, 1);
    }

    private void receiveDone(int status, int opcode, int length, int imm, int wcFlags, boolean solicited) {
        long wrId = RecvSlot.wrId(receive(rqDone));
        rqDone++;
        Ring.publishHead(stream.rqRing, rqBase + rqDone);
        shared.complete(stream.recvCq, stream, wrId, status, opcode, length, imm, wcFlags, solicited);
    }

    private long receive(int index) {
        return Ring.slot(stream.rqRing, rqBase + index, rqMask + 1, rqStride);
    }

    /** Whether receive {@code index} is posted. If not, the peer is told that it waits, and the next post rings the doorbell. */
    private boolean hasReceive(int index) {
        if (index - rqPosted < 0 || index - posted() < 0) {
            return true;
        }
        Ring.waiting(stream.rqRing, 1);
        Mem.fullFence();
        if (index - posted() < 0) {
            Ring.waiting(stream.rqRing, 0);
            return true;
        }
        if (!refused || index - refusedIndex < 0) {
            refusedIndex = index;
        }
        refused = true;
        shared.count(Counter.TX_RNR);
        stream.blockDue(Space.REQUEST, true);
        return false;
    }

    /** The program posted a receive for which a peer waits. */
    void onReceivesPosted() {
        if (refused && refusedIndex - posted() < 0) {
            refused = false;
            Ring.waiting(stream.rqRing, 0);
            stream.blockDue(Space.REQUEST, true);
        }
    }

    /** A packet of a message that cannot be done. Nothing of it, and nothing later, is placed any more. */
    private int refuse(long header, int syndrome, int receiveStatus) {
        int segment = stream.binds.segmentBytes();
        int first = StreamHeader.spsn(header) - (int) (StreamHeader.offset(header) / segment);
        fail(window.cum() - first > 0 ? window.cum() : first, syndrome, receiveStatus);
        return REFUSED;
    }

    private void fail(int spsn, int syndrome, int receiveStatus) {
        if (!failing || spsn - failSpsn < 0) {
            failing = true;
            failSpsn = spsn;
            failSyndrome = syndrome;
            failReceiveStatus = receiveStatus;
        }
    }

    /**
     * Reports a failed message when everything before it has completed, and the requester has the answers to what was before it: in ERR this side gives none.
     */
    void settle() {
        if (failing && errorSyndrome == 0 && stream.receives() && window.cum() - failSpsn >= 0 && answers.delivered()) {
            report(failSyndrome, failReceiveStatus);
        }
    }

    private void report(int syndrome, int receiveStatus) {
        errorSyndrome = syndrome;
        if (receiveStatus != Verbs.SUCCESS && rqDone - posted() < 0) {
            receiveDone(receiveStatus, Verbs.WC_RECV, 0, 0, 0, true);
        }
        shared.events.qpEvent(
                stream.qp, syndrome == Syndrome.REM_ACCESS ? Verbs.EVENT_QP_ACCESS_ERR : Verbs.EVENT_QP_REQ_ERR);
        stream.toError();
    }

    /** Completes all posted receives with WR_FLUSH_ERR; those posted later too, as each rings the doorbell. */
    void flush() {
        Ring.waiting(stream.rqRing, 1);
        Mem.fullFence();
        while (rqDone - posted() < 0) {
            receiveDone(Verbs.FLUSH_ERR, Verbs.WC_RECV, 0, 0, 0, true);
        }
    }

    /** RESET: posted receives vanish. */
    void discard() {
        Ring.waiting(stream.rqRing, 0);
        rqBase = Ring.tailAcquire(stream.rqRing);
        rqDone = 0;
        rqPosted = 0;
        Ring.publishHead(stream.rqRing, rqBase);
    }

    /** What the peer's requests have come to. */
    void putBlock(long block) {
        int limit = posted();
        int kind;
        int code = 0;
        if (errorSyndrome != 0) {
            kind = BlockKind.ERROR;
            code = errorSyndrome;
        } else if (!stream.receives()) {
            kind = BlockKind.GONE;
            limit = Outbox.GONE_KNOWN;
        } else if (refused && refusedIndex - limit >= 0) {
            kind = BlockKind.RNR;
            code = stream.attr.minRnrTimer & 31;
        } else {
            kind = BlockKind.ACK;
        }
        StreamBlock.put(
                block,
                stream.attr.destQpn,
                Space.REQUEST,
                kind,
                stream.binds.peerGeneration(),
                cumMsn,
                code,
                limit,
                window.cum());
    }
}
