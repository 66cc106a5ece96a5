package io.metaroce.provider.engine.stream;

import io.metaroce.provider.engine.Record;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.AtomicOp;
import io.metaroce.wire.AtomicRspExt;
import io.metaroce.wire.BlockKind;
import io.metaroce.wire.DataLayout;
import io.metaroce.wire.ErrorTail;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.ReadRspExt;
import io.metaroce.wire.Space;
import io.metaroce.wire.StreamFlag;
import io.metaroce.wire.StreamHeader;
import io.metaroce.wire.Syndrome;

/**
 * The sending side of one stream's response space: READ data and atomic results, which are this side's own DATA. The MR is checked at each transmission; if it is
 * gone, the same SPSN carries a syndrome. Nothing here waits for the request space, or a READ behind a SEND that finds no receive would stop both programs.
 */
final class Answers {
    private final Stream stream;
    private final Shared shared;
    private final Tickets tickets = new Tickets();

    private int nextSpsn; // given to the next answer
    private int cum; // the requester has all before it
    private int sending; // number of the ticket whose data goes out
    private int clearedBy; // latest ACK that cleared a record of this space
    private boolean cleared;
    private int blockSeq;
    private int blockCum;
    private boolean blockSeen;
    private boolean resend; // the segment at cum was received by its path but not by the stream
    private long progressNs;
    private int asked; // queries since the last progress
    private long askedNs;

    Answers(Stream stream) {
        this.stream = stream;
        this.shared = stream.shared;
    }

    /** RTR: up to {@code limit} requests at a time. */
    void start(int limit) {
        tickets.start(limit);
        sending = 0;
        cleared = false;
        blockSeen = false;
        resend = false;
        asked = 0;
    }

    /** Our first response SPSN has been chosen. */
    void begin(int spsn) {
        nextSpsn = spsn;
        cum = spsn;
    }

    /** Drops all tickets: the stream ceases to answer. */
    void stop() {
        tickets.start(0);
        sending = 0;
        resend = false;
    }

    boolean hasRoom() {
        return tickets.hasRoom();
    }

    int take(int msn, int operation, long va, int rkey, long length, long argument, long comparand) {
        return tickets.take(msn, operation, va, rkey, length, argument, comparand);
    }

    /** Everything before the request has landed. Answers 0, or the {@link Syndrome} with which it fails. */
    int execute(int slot) {
        int operation = tickets.operation(slot);
        int segments = 1;
        int bad;
        if (operation == Tickets.READ) {
            bad = checkRead(slot);
            segments = DataLayout.segments(tickets.length(slot), stream.binds.segmentBytes());
        } else {
            bad = runAtomic(slot, operation);
        }
        if (bad != 0) {
            if (bad == Syndrome.REM_ACCESS) {
                shared.count(Counter.REMOTE_ACCESS_ERRORS);
            }
            return bad;
        }
        if (sending == tickets.end() && cum == nextSpsn) {
            progressNs = shared.nowNs;
        }
        tickets.executed(slot, nextSpsn, segments);
        nextSpsn += segments;
        stream.kick();
        return 0;
    }

    private int checkRead(int slot) {
        if ((stream.attr.accessFlags & Verbs.REMOTE_READ) == 0) {
            return Syndrome.REM_INV_REQ;
        }
        return source(slot) < 0 ? Syndrome.REM_ACCESS : 0;
    }

    /** Where the bytes of a READ are now, or a negative answer of Regions. */
    private long source(int slot) {
        long length = tickets.length(slot);
        return length == 0
                ? 0
                : shared.regions.remote(tickets.rkey(slot), stream.pd, tickets.va(slot), length, Verbs.REMOTE_READ);
    }

    private int runAtomic(int slot, int operation) {
        if ((stream.attr.accessFlags & Verbs.REMOTE_ATOMIC) == 0 || (tickets.va(slot) & 7) != 0) {
            return Syndrome.REM_INV_REQ;
        }
        long at =
                shared.regions.remote(tickets.rkey(slot), stream.pd, tickets.va(slot), Long.BYTES, Verbs.REMOTE_ATOMIC);
        if (at < 0) {
            return Syndrome.REM_ACCESS;
        }
        if ((at & 7) != 0) {
            return Syndrome.REM_INV_REQ;
        }
        boolean done = operation == AtomicOp.CMP_AND_SWP
                ? shared.regions.compareSwap(at, tickets.comparand(slot), tickets.value(slot))
                : shared.regions.fetchAdd(at, tickets.value(slot));
        if (!done) {
            return Syndrome.REM_OP;
        }
        tickets.result(slot, shared.regions.old());
        return 0;
    }

    /** Whether nothing was sent in this life. */
    boolean untouched(int firstSpsn) {
        return nextSpsn == firstSpsn;
    }

    /** The requester has every answer given so far. */
    boolean delivered() {
        return cum == nextSpsn;
    }

    /** First SPSN that was never sent. */
    private int sentEnd() {
        if (sending - tickets.oldest() < 0) {
            sending = tickets.oldest();
        }
        if (sending == tickets.end()) {
            return nextSpsn;
        }
        int slot = tickets.slot(sending);
        return tickets.first(slot) + tickets.sent(slot);
    }

    /** Whether {@link #next} would find nothing to send. */
    boolean nothingFollows() {
        if (resend) {
            return false;
        }
        int at = sending - tickets.oldest() < 0 ? tickets.oldest() : sending;
        int open = tickets.end() - at;
        return open == 0 || (open == 1 && tickets.segments(tickets.slot(at)) == tickets.sent(tickets.slot(at)));
    }

    /** Writes the next packet of an answer; 0 when none can go. */
    int next(long out, int room, Record record) {
        if (sending - tickets.oldest() < 0) {
            sending = tickets.oldest();
        }
        if (resend) {
            resend = false;
            int bytes = nextResend(out, room, record);
            if (bytes > 0) {
                return bytes;
            }
        }
        while (sending != tickets.end()) {
            int slot = tickets.slot(sending);
            int sent = tickets.sent(slot);
            int left = tickets.segments(slot) - sent;
            if (left == 0) {
                sending++;
                continue;
            }
            int window = cum + stream.binds.peerWindow() - (tickets.first(slot) + sent);
            int bytes = window <= 0 ? 0 : build(slot, sent, Math.min(left, window), out, room);
            if (bytes > 0) {
                tickets.sent(slot, sent + builtSegments);
                fill(record, sending, slot, sent);
            }
            return bytes;
        }
        return 0;
    }

    private int nextResend(long out, int room, Record record) {
        if (tickets.oldest() == tickets.end()) {
            return 0;
        }
        int slot = tickets.slot(tickets.oldest());
        int at = cum - tickets.first(slot);
        if (at < 0 || at >= tickets.sent(slot)) {
            return 0;
        }
        int bytes = build(slot, at, tickets.sent(slot) - at, out, room);
        if (bytes > 0) {
            shared.count(Counter.TX_RESENT);
            fill(record, tickets.oldest(), slot, at);
        }
        return bytes;
    }

    private void fill(Record record, int number, int slot, int at) {
        record.space = Space.RESPONSE;
        record.spsn = tickets.first(slot) + at;
        record.segments = builtSegments;
        record.ref = number;
        tickets.flew(slot);
        stream.arm();
    }

    /** Writes a packet again; 0 when the requester has the answer. */
    int rebuild(Record record, long out, int room) {
        if (!tickets.alive(record.ref) || record.spsn + record.segments - cum <= 0) {
            return 0;
        }
        int slot = tickets.slot(record.ref);
        int bytes = build(slot, record.spsn - tickets.first(slot), record.segments, out, room);
        return builtSegments == record.segments || builtError ? bytes : 0;
    }

    private int builtSegments;
    private boolean builtError;

    /** Writes up to {@code most} segments of an answer from its segment {@code at} on; leaves their number in {@link #builtSegments}. */
    private int build(int slot, int at, int most, long out, int room) {
        builtError = false;
        builtSegments = 1;
        int segment = stream.binds.segmentBytes();
        int qpn = stream.attr.destQpn;
        int generation = stream.binds.peerGeneration();
        int spsn = tickets.first(slot) + at;
        if (tickets.operation(slot) != Tickets.READ) {
            StreamHeader.put(out, qpn, Opcode.ATOMIC_RSP, generation, spsn, tickets.msn(slot), StreamFlag.LAST, 0);
            AtomicRspExt.original(DataLayout.extension(out), tickets.value(slot));
            return StreamHeader.LENGTH + AtomicRspExt.LENGTH;
        }
        int headers = StreamHeader.LENGTH + ReadRspExt.LENGTH;
        long length = tickets.length(slot);
        long offset = (long) at * segment;
        long left = length - offset;
        int n = left <= room - headers ? tickets.segments(slot) - at : (room - headers) / segment;
        n = Math.min(n, most);
        if (n <= 0) {
            return 0;
        }
        int bytes = (int) Math.min((long) n * segment, left);
        int flags = offset + bytes == length ? StreamFlag.LAST : 0;
        int syndrome = 0;
        if (length != 0) {
            long from = source(slot);
            if (from < 0) {
                syndrome = Syndrome.REM_ACCESS;
            } else if (!shared.regions.copy(out + headers, from + offset, bytes)) {
                syndrome = Syndrome.REM_OP;
            }
        }
        if (syndrome != 0) {
            builtError = true;
            StreamHeader.put(out, qpn, Opcode.READ_RSP, generation, spsn, tickets.msn(slot), StreamFlag.ERR, offset);
            ReadRspExt.messageLength(DataLayout.extension(out), length);
            Mem.putInt(DataLayout.tail(out), 0);
            ErrorTail.syndrome(DataLayout.tail(out), syndrome);
            return headers + ErrorTail.LENGTH;
        }
        builtSegments = n;
        StreamHeader.put(out, qpn, Opcode.READ_RSP, generation, spsn, tickets.msn(slot), flags, offset);
        ReadRspExt.messageLength(DataLayout.extension(out), length);
        return headers + bytes;
    }

    void onCleared(Record record, int ackSeq) {
        if (!cleared || ackSeq - clearedBy > 0) {
            cleared = true;
            clearedBy = ackSeq;
        }
        progressNs = shared.nowNs;
        asked = 0;
        if (tickets.alive(record.ref)) {
            tickets.landed(tickets.slot(record.ref));
            checkStuck();
        }
    }

    /** A block of the requester: what it has of the answers. A FINAL's is not numbered. */
    void onBlock(int kind, int cumSpsn, int ackSeq, boolean numbered) {
        int ahead = cumSpsn - cum;
        if (ahead < 0 || cumSpsn - sentEnd() > 0 || (numbered && blockSeen && ackSeq - blockSeq < 0)) {
            return;
        }
        if (numbered) {
            blockSeen = true;
            blockSeq = ackSeq;
            blockCum = cumSpsn;
        }
        if (ahead > 0) {
            cum = cumSpsn;
            progressNs = shared.nowNs;
            asked = 0;
            while (tickets.oldest() != tickets.end()) {
                int slot = tickets.slot(tickets.oldest());
                if (tickets.first(slot) + tickets.segments(slot) - cum > 0) {
                    break;
                }
                tickets.releaseOldest();
            }
        }
        if (kind == BlockKind.GONE) {
            dropAll();
            return;
        }
        checkStuck();
        if (sending != tickets.end()) {
            stream.kick();
        }
    }

    /** The requester is gone: nobody waits for the answers. Later requests cannot come in this life. */
    void dropAll() {
        while (tickets.oldest() != tickets.end()) {
            tickets.releaseOldest();
        }
        sending = tickets.end();
        cum = nextSpsn;
    }

    /** Sends the segment at cum again when the requester says that it lacks it and no packet with it is under way. */
    private void checkStuck() {
        if (resend || !blockSeen || !cleared || tickets.oldest() == tickets.end()) {
            return;
        }
        int slot = tickets.slot(tickets.oldest());
        int at = cum - tickets.first(slot);
        if (at >= 0
                && at < tickets.sent(slot)
                && tickets.inFlight(slot) == 0
                && blockCum == cum
                && blockSeq - clearedBy >= 0) {
            resend = true;
            stream.kick();
        }
    }

    /** Asks the requester when answers are out, nothing is in flight and nothing was heard for a PTO. Answers the next time to look. */
    long onTimer(long nowNs) {
        if (cum == sentEnd()) {
            return Long.MAX_VALUE;
        }
        long ptoNs = shared.ptoNs(stream.conn());
        if (tickets.oldest() != tickets.end() && tickets.inFlight(tickets.slot(tickets.oldest())) > 0) {
            return nowNs + ptoNs;
        }
        long dueNs = Stream.queryDueNs(progressNs, askedNs, asked, ptoNs);
        if (nowNs < dueNs) {
            return dueNs;
        }
        asked++;
        askedNs = nowNs;
        stream.ctlDue(Stream.CTL_QUERY_RESPONSES);
        return Stream.queryDueNs(progressNs, askedNs, asked, ptoNs);
    }
}
