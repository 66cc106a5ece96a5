package io.metaroce.provider.engine.stream;

import io.metaroce.provider.engine.Record;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.BlockKind;
import io.metaroce.wire.DataLayout;
import io.metaroce.wire.MetaRoce;
import io.metaroce.wire.Serial;
import io.metaroce.wire.Space;
import io.metaroce.wire.StreamBlock;
import io.metaroce.wire.Syndrome;

/**
 * The sending side of one stream's request space: cuts work requests into segments, learns from stream blocks how far the responder has come, and places the answers
 * to READs and atomics.
 */
final class Requester {
    private static final long LEAST_BUDGET_NS = 500_000_000;

    /**
     * A peer that is silent gets the longest time that the IBTA specification allows for an ACK timeout, four times the nominal one (C9-142): a process of software may
     * lose its core for longer than the half second of perftest's attributes, seen on a busy machine of 2 cores. One that answers that its QP is gone gets one time.
     */
    private static final int SILENCE_FACTOR = 4;

    private final Stream stream;
    private final Shared shared;
    final SendQueue queue;
    private final RnrState rnr = new RnrState();
    final Replies replies;

    private int nextSpsn; // given to the next WR
    private int cum; // the responder has all before it
    private int nextRqIndex;
    private int parked; // WRs before queue.next that wait for a receive
    private int parkedFrom;
    private int resends; // WRs flagged RESEND, at most
    private int blockSeq;
    private int blockCum;
    private int blockKind;
    private boolean blockSeen;
    private long progressNs;
    private int asked; // queries since the last progress
    private long askedNs;
    private long goneSinceNs; // 0: not gone
    private final RequestWriter writer;

    Requester(Stream stream) {
        this.stream = stream;
        this.shared = stream.shared;
        this.queue = new SendQueue(stream);
        this.writer = new RequestWriter(stream, queue);
        this.replies = new Replies(stream, this);
    }

    /** RTR. */
    void start(int firstSpsn) {
        queue.start();
        nextSpsn = firstSpsn;
        cum = firstSpsn;
        nextRqIndex = 0;
        rnr.start(0);
        parked = 0;
        resends = 0;
        blockSeen = false;
        blockKind = BlockKind.ACK;
        asked = 0;
        goneSinceNs = 0;
    }

    /** The peer has told where its answers begin, and how many receives it has posted. */
    void beginResponses(int spsn, int rqLimit) {
        replies.begin(spsn);
        blockSeen = false;
        goneSinceNs = 0;
        rnr.start(rqLimit);
    }

    /** Nothing was sent, and no answer placed, in this life. */
    boolean untouched() {
        return nextSpsn == stream.binds.firstRequest() && replies.untouched();
    }

    /** Gives back what it holds of the pools. */
    void stop() {
        replies.stop();
        parked = 0;
        resends = 0;
        rnr.settled();
    }

    /** The doorbell rang. What was posted may have been seen already. */
    void onPosted() {
        boolean wasEmpty = queue.isEmpty();
        if (queue.refresh() && wasEmpty) {
            progressNs = shared.nowNs;
            asked = 0;
        }
        if (queue.next != queue.tail) {
            stream.arm();
            stream.kick();
        }
    }

    /** RTS: work that waited in SQD is outstanding from now on. */
    void resume() {
        queue.outstandingSinceNs = shared.nowNs;
        onPosted();
    }

    /** Data may flow: what was posted meanwhile goes. */
    void onReady() {
        queue.refresh();
        progressNs = shared.nowNs;
        stream.arm();
    }

    boolean hasWork() {
        return queue.next != queue.tail || parked > 0 || resends > 0;
    }

    // ---- sending ---------------------------------------------------------------------------------------------------

    /** Writes the next packet; 0 when none can go now. */
    int next(long out, int room, Record record) {
        if (resends > 0) {
            int bytes = nextResend(out, room, record);
            if (bytes > 0) {
                return bytes;
            }
        }
        if (parked > 0) {
            int bytes = nextParked(out, room, record);
            if (bytes > 0) {
                return bytes;
            }
        }
        while (stream.sends()) {
            if (queue.next == queue.tail && !queue.refresh()) {
                return 0;
            }
            if (queue.failedBefore(queue.next) || (!queue.begun && !begin(queue.next))) {
                return 0;
            }
            int index = queue.next;
            int bytes = send(index, out, room, record);
            if (bytes > 0) {
                if (queue.get(index, SendQueue.SENT) == queue.get(index, SendQueue.SEGMENTS)) {
                    queue.pass();
                }
                return bytes;
            }
            if (!stream.sends()
                    || queue.failedBefore(index)
                    || !Verbs.consumes(SendSlot.opcode(queue.slot(index)))
                    || rnr.beyond(queue.get(index, SendQueue.RQ_INDEX)) < 0) {
                return 0;
            }
            if (parked++ == 0) {
                parkedFrom = index;
            }
            queue.pass(); // only what takes a receive waits for one
        }
        return 0;
    }

    /** Whether {@link #next} would find nothing to send. */
    boolean nothingFollows() {
        return resends == 0 && parked == 0 && queue.next == queue.tail && !queue.refresh();
    }

    /** Gives a WR its place in the stream, after the checks that come before its first packet. False: it cannot begin now. */
    private boolean begin(int index) {
        if (stream.state == Verbs.SQD) {
            return false;
        }
        long slot = queue.slot(index);
        int opcode = SendSlot.opcode(slot);
        if (opcode > Verbs.WR_FETCH_ADD) {
            fail(index, Verbs.LOC_QP_OP_ERR);
            return false;
        }
        int readsOpen = queue.readsBegun - queue.readsDone;
        if ((SendSlot.flags(slot) & SendSlot.FENCE) != 0 && readsOpen > 0) {
            return false;
        }
        boolean answer = Verbs.answered(opcode);
        long length = SendSlot.length(slot) & 0xffff_ffffL;
        if (length > MetaRoce.MAX_MESSAGE_BYTES || (opcode > Verbs.WR_READ && length < Long.BYTES)) {
            fail(index, Verbs.LOC_LEN_ERR);
            return false;
        }
        if (answer) {
            int bad = stream.attr.maxRdAtomic == 0
                    ? Verbs.LOC_QP_OP_ERR
                    : stream.binds.peerRdAtomic() == 0 ? Verbs.REM_INV_REQ_ERR : 0;
            if (bad != 0) {
                fail(index, bad);
                return false;
            }
            if (readsOpen >= Math.min(stream.attr.maxRdAtomic, stream.binds.peerRdAtomic())) {
                return false;
            }
        }
        int status = shared.placement.check(slot, stream.pd, answer ? Verbs.LOCAL_WRITE : 0);
        if (status != Verbs.SUCCESS) {
            fail(index, status);
            return false;
        }
        int segments = DataLayout.segments(length, stream.binds.segmentBytes());
        int rqIndex = Verbs.consumes(opcode) ? nextRqIndex++ : 0;
        queue.begin(nextSpsn, answer ? 1 : segments, rqIndex, answer ? opcode == Verbs.WR_READ ? segments : 1 : 0);
        nextSpsn += answer ? 1 : segments;
        return true;
    }

    /** Writes the next unsent segments of a WR; 0 when none can go now. */
    private int send(int index, long out, int room, Record record) {
        int sent = queue.get(index, SendQueue.SENT);
        int left = queue.get(index, SendQueue.SEGMENTS) - sent;
        int opcode = SendSlot.opcode(queue.slot(index));
        int most = Math.min(left, cum + stream.binds.peerWindow() - queue.get(index, SendQueue.FIRST) - sent);
        boolean probe = false;
        if (Verbs.consumes(opcode)) {
            int beyond = rnr.beyond(queue.get(index, SendQueue.RQ_INDEX));
            if (beyond >= 0) {
                if (opcode == Verbs.WR_WRITE_IMM) {
                    most = beyond > 0 ? Math.min(most, left - 1) : most; // its last packet takes the receive
                } else if (beyond > 0 || sent > 0) {
                    return 0;
                }
                probe = beyond == 0;
            }
        }
        if (most <= 0) {
            return 0;
        }
        int bytes = build(index, sent, most, out, room);
        if (bytes <= 0) {
            return 0;
        }
        queue.set(index, SendQueue.SENT, sent + writer.segments());
        if (probe && (opcode != Verbs.WR_WRITE_IMM || writer.segments() == left)) {
            rnr.probe(index);
        }
        fill(record, index, sent);
        return bytes;
    }

    private int nextParked(long out, int room, Record record) {
        int index = parkedFrom;
        while (index != queue.next && queue.get(index, SendQueue.SENT) == queue.get(index, SendQueue.SEGMENTS)) {
            index++;
        }
        parkedFrom = index;
        if (index == queue.next) {
            parked = 0;
            return 0;
        }
        if (queue.failedBefore(index)) {
            return 0;
        }
        int bytes = send(index, out, room, record);
        if (bytes > 0 && queue.get(index, SendQueue.SENT) == queue.get(index, SendQueue.SEGMENTS)) {
            parked--;
        }
        return bytes;
    }

    private int nextResend(long out, int room, Record record) {
        for (int index = queue.acked; index != queue.begunEnd(); index++) {
            if (!queue.has(index, SendQueue.RESEND)) {
                continue;
            }
            queue.unflag(index, SendQueue.RESEND);
            resends--;
            int at = Math.max(0, cum - queue.get(index, SendQueue.FIRST));
            int most = queue.get(index, SendQueue.SENT) - at;
            int bytes = most <= 0 || queue.failedBefore(index) ? 0 : build(index, at, most, out, room);
            if (bytes > 0) {
                shared.count(Counter.TX_RESENT);
                fill(record, index, at);
                return bytes;
            }
            if (!stream.sends()) {
                return 0;
            }
        }
        resends = 0;
        return 0;
    }

    private void fill(Record record, int index, int at) {
        record.space = Space.REQUEST;
        record.spsn = queue.get(index, SendQueue.FIRST) + at;
        record.segments = writer.segments();
        record.ref = index;
        queue.set(index, SendQueue.IN_FLIGHT, queue.get(index, SendQueue.IN_FLIGHT) + 1);
        stream.arm();
    }

    /** Writes a packet again; 0 when its work is done or its memory gone. */
    int rebuild(Record record, long out, int room) {
        int index = record.ref;
        if (index - queue.acked < 0
                || index - queue.begunEnd() >= 0
                || queue.failedBefore(index)
                || record.spsn + record.segments - cum <= 0) {
            return 0;
        }
        int bytes = writer.write(index, record.spsn - queue.get(index, SendQueue.FIRST), record.segments, out, room);
        return bytes > 0 && writer.segments() == record.segments ? bytes : 0;
    }

    /** As {@link RequestWriter#write}, and a WR whose memory is gone fails. */
    private int build(int index, int at, int most, long out, int room) {
        int bytes = writer.write(index, at, most, out, room);
        if (bytes < 0) {
            fail(index, -bytes);
            return 0;
        }
        return bytes;
    }

    // ---- acknowledgements ------------------------------------------------------------------------------------------

    void onCleared(Record record, int ackSeq) {
        progressNs = shared.nowNs;
        asked = 0;
        int index = record.ref;
        if (index - queue.acked < 0 || index - queue.begunEnd() >= 0) {
            return;
        }
        int flying = queue.get(index, SendQueue.IN_FLIGHT);
        if (flying > 0) {
            queue.set(index, SendQueue.IN_FLIGHT, flying - 1);
        }
        if (!queue.has(index, SendQueue.HAS_CLEARED) || ackSeq - queue.get(index, SendQueue.CLEARED) > 0) {
            queue.set(index, SendQueue.CLEARED, ackSeq);
            queue.flag(index, SendQueue.HAS_CLEARED);
        }
        if (flying <= 1) {
            if (queue.has(index, SendQueue.RESEND_ON_CLEAR)) {
                queue.unflag(index, SendQueue.RESEND_ON_CLEAR);
                markResend(index);
            } else {
                checkStuck();
            }
        }
    }

    private void markResend(int index) {
        if (!queue.has(index, SendQueue.RESEND)) {
            queue.flag(index, SendQueue.RESEND);
            resends++;
        }
        stream.kick();
    }

    /**
     * Sends the first missing segment again when a block names it that is not older than the ACK which cleared it, and no packet with it is in flight: its
     * path has received it, its stream has not.
     */
    private void checkStuck() {
        int index = queue.acked;
        if (index == queue.begunEnd() || !blockSeen || blockCum != cum || blockKind == BlockKind.GONE) {
            return;
        }
        int at = cum - queue.get(index, SendQueue.FIRST);
        if (at < 0
                || at >= queue.get(index, SendQueue.SENT)
                || queue.get(index, SendQueue.IN_FLIGHT) != 0
                || !queue.has(index, SendQueue.HAS_CLEARED)
                || queue.has(index, SendQueue.RESEND)
                || blockSeq - queue.get(index, SendQueue.CLEARED) < 0) {
            return;
        }
        boolean waits = Verbs.consumes(SendSlot.opcode(queue.slot(index)))
                && rnr.beyond(queue.get(index, SendQueue.RQ_INDEX)) >= 0;
        if (waits && blockKind == BlockKind.RNR) {
            return; // the timer or a new limit sends it
        }
        markResend(index);
    }

    /** The lowest SPSN that was never sent. */
    private int sentEnd() {
        if (parked > 0) {
            for (int index = parkedFrom; index != queue.next; index++) {
                int sent = queue.get(index, SendQueue.SENT);
                if (sent < queue.get(index, SendQueue.SEGMENTS)) {
                    return queue.get(index, SendQueue.FIRST) + sent;
                }
            }
        }
        return queue.begun ? queue.get(queue.next, SendQueue.FIRST) + queue.get(queue.next, SendQueue.SENT) : nextSpsn;
    }

    /**
     * A block of the responder, of our generation.
     *
     * @param numbered false for a FINAL's, which has no number: nothing follows it
     */
    void onBlock(long block, int ackSeq, boolean numbered) {
        int kind = StreamBlock.kind(block);
        boolean known = kind != BlockKind.GONE || StreamBlock.rqLimit(block) == Outbox.GONE_KNOWN;
        if (known) {
            int cumSpsn = StreamBlock.cumSpsn(block);
            int messages = Serial.distance24(StreamBlock.cumMsn(block), queue.msn(queue.acked));
            if (cumSpsn - cum < 0
                    || cumSpsn - sentEnd() > 0
                    || messages < 0
                    || messages > queue.begunEnd() - queue.acked
                    || (numbered && blockSeen && ackSeq - blockSeq < 0)) {
                shared.count(Counter.RX_STALE);
                return;
            }
            if (numbered) {
                blockSeen = true;
                blockSeq = ackSeq;
                blockCum = cumSpsn;
                blockKind = kind;
            }
            if (messages > 0 || cumSpsn != cum) {
                progressed(cumSpsn, queue.acked + messages);
            }
        }
        switch (kind) {
            case BlockKind.ERROR -> {
                if (queue.acked != queue.begunEnd()) {
                    fail(queue.acked, statusOf(StreamBlock.code(block)));
                    return;
                }
            }
            case BlockKind.GONE -> {
                if (goneSinceNs == 0) {
                    goneSinceNs = Math.max(1, shared.nowNs);
                    stream.arm();
                }
            }
            default -> {
                goneSinceNs = 0;
                onLimit(StreamBlock.rqLimit(block));
                if (kind == BlockKind.RNR) {
                    shared.count(Counter.RX_RNR);
                    if (rnr.refused(StreamBlock.code(block), shared.nowNs)) {
                        stream.armAt(rnr.retryNs());
                    }
                }
            }
        }
        advance();
        if (stream.sends()) {
            checkStuck();
            if (hasWork()) {
                stream.kick();
            }
        }
    }

    /** An answer to a WR is proof that the responder has executed it, and completed all before it. */
    void onAnswered(int index, boolean executed) {
        if (index - queue.acked >= 0) {
            progressed(queue.get(index, SendQueue.FIRST) + 1, executed ? index + 1 : index);
        }
        progressNs = shared.nowNs;
    }

    private void progressed(int newCum, int newAcked) {
        if (newCum - cum > 0) {
            cum = newCum;
        }
        if (newAcked - queue.acked > 0) {
            queue.acked = newAcked;
        }
        progressNs = shared.nowNs;
        asked = 0;
        if (rnr.probing() && rnr.probe() - queue.acked < 0) {
            rnr.settled();
        }
    }

    private void onLimit(int limit) {
        if (!rnr.raise(limit) || !rnr.probing()) {
            return;
        }
        int index = rnr.probe();
        rnr.settled();
        if (queue.get(index, SendQueue.IN_FLIGHT) == 0) {
            markResend(index);
        } else {
            queue.flag(index, SendQueue.RESEND_ON_CLEAR); // it may have been refused, or may land yet
        }
    }

    static int statusOf(int syndrome) {
        return switch (syndrome) {
            case Syndrome.REM_ACCESS -> Verbs.REM_ACCESS_ERR;
            case Syndrome.REM_OP -> Verbs.REM_OP_ERR;
            default -> Verbs.REM_INV_REQ_ERR;
        };
    }

    void fail(int index, int status) {
        queue.fail(index, status);
        advance();
    }

    /** Writes the CQEs that are due; the stream fails when a failed WR's turn has come. */
    void advance() {
        if (queue.complete()) {
            stream.toError();
        } else if (stream.state == Verbs.SQD) {
            stream.checkDrained();
        }
    }

    /** Whether work that was begun is not complete. */
    boolean draining() {
        return queue.head != queue.begunEnd();
    }

    // ---- timers ----------------------------------------------------------------------------------------------------

    /** The retry budget: max(500 ms, 4.096 us * 2^timeout * (retry_cnt + 1)); 0: never give up. */
    private long budgetNs() {
        int timeout = stream.attr.timeout & 31;
        return timeout == 0 ? 0 : Math.max(LEAST_BUDGET_NS, (4096L << timeout) * ((stream.attr.retryCnt & 7) + 1));
    }

    /** Looks at all timers; answers the next time to look. */
    long onTimer(long nowNs) {
        if (queue.refresh()) {
            stream.kick(); // seen before its doorbell, which will find nothing new
        }
        if (queue.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long nextNs = Long.MAX_VALUE;
        long budgetNs = budgetNs();
        boolean ready = stream.binds.ready();
        if (budgetNs != 0 && (stream.state != Verbs.SQD || draining())) {
            long fromNs = queue.outstandingSinceNs;
            if (goneSinceNs != 0) {
                fromNs = Math.max(fromNs, goneSinceNs);
            } else {
                budgetNs *= SILENCE_FACTOR;
                if (ready) {
                    fromNs = Math.max(fromNs, shared.connections().lastHeardNs(stream.conn()));
                }
            }
            if (nowNs - fromNs >= budgetNs) {
                giveUp(Verbs.RETRY_EXC_ERR, whatIsMissing());
                return Long.MAX_VALUE;
            }
            nextNs = fromNs + budgetNs;
        }
        if (rnr.waiting() && nowNs >= rnr.retryNs()) {
            int index = rnr.probe();
            if (rnr.expired(stream.attr.rnrRetry)) {
                fail(index, Verbs.RNR_RETRY_EXC_ERR);
                return stream.sends() ? nextNs : Long.MAX_VALUE;
            }
            markResend(index);
        }
        nextNs = Math.min(nextNs, rnr.retryNs());
        if (ready && draining()) {
            nextNs = Math.min(nextNs, query(nowNs));
        }
        return nextNs;
    }

    /** Why nothing has come of the oldest work request within the retry budget. */
    private String whatIsMissing() {
        if (goneSinceNs != 0) {
            return "its peer QP is gone";
        }
        if (stream.binds.ready()) {
            return "nothing heard within the retry budget";
        }
        if (stream.conn() == Shared.NONE) {
            return "there is no way to the peer's process";
        }
        if (!shared.connections().isOpen(stream.conn())) {
            return "the peer's process does not answer";
        }
        String qpn = "0x" + Integer.toHexString(stream.attr.destQpn);
        return stream.binds.known()
                ? "the peer's QP " + qpn + " has not acknowledged our BIND"
                : "the peer's QP " + qpn + " has not answered: it is not in RTR, or not connected to this one";
    }

    /**
     * Asks the responder when work is out, nothing of the oldest message is in flight, and nothing was heard for a PTO. What follows that message may be in
     * flight for as long as the responder has no room for it.
     */
    private long query(long nowNs) {
        long ptoNs = shared.ptoNs(stream.conn());
        if (queue.acked != queue.begunEnd() && queue.get(queue.acked, SendQueue.IN_FLIGHT) > 0) {
            return nowNs + ptoNs;
        }
        long dueNs = Stream.queryDueNs(progressNs, askedNs, asked, ptoNs);
        if (nowNs < dueNs) {
            return dueNs;
        }
        asked++;
        askedNs = nowNs;
        stream.ctlDue(Stream.CTL_QUERY_REQUESTS);
        return Stream.queryDueNs(progressNs, askedNs, asked, ptoNs);
    }

    /** Fails the oldest work request that is outstanding; the others are flushed. */
    void giveUp(int status, String why) {
        queue.refresh();
        if (queue.isEmpty()) {
            return;
        }
        shared.events.log("QP 0x" + Integer.toHexString(stream.qpn) + " gives up: " + why
                + (stream.conn() == Shared.NONE
                        ? ""
                        : "; " + shared.connections().describe(stream.conn(), shared.nowNs)));
        queue.fail(queue.head, status);
        stream.toError();
    }
}
