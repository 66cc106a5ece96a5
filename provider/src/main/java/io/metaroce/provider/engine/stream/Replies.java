package io.metaroce.provider.engine.stream;

import io.metaroce.provider.port.Counter;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.AtomicRspExt;
import io.metaroce.wire.BlockKind;
import io.metaroce.wire.DataLayout;
import io.metaroce.wire.ErrorTail;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.ReadRspExt;
import io.metaroce.wire.Serial;
import io.metaroce.wire.Space;
import io.metaroce.wire.StreamBlock;
import io.metaroce.wire.StreamFlag;
import io.metaroce.wire.StreamHeader;

/** The receiving side of one stream's response space: places READ data and results of atomics where the work request wants them, each segment once. */
final class Replies {
    private final Stream stream;
    private final Shared shared;
    private final Requester requester;
    private final SendQueue queue;
    private final SpsnWindow window;
    private int firstSpsn;

    Replies(Stream stream, Requester requester) {
        this.stream = stream;
        this.shared = stream.shared;
        this.requester = requester;
        this.queue = requester.queue;
        this.window = new SpsnWindow(shared.bitmaps);
    }

    /** The peer has told where its answers begin. */
    void begin(int spsn) {
        firstSpsn = spsn;
        window.start(spsn);
    }

    boolean untouched() {
        return window.cum() == firstSpsn && window.inOrder();
    }

    void stop() {
        window.stop();
    }

    /** A packet of READ data or an atomic's result. */
    boolean onResponse(long header, int bytes) {
        int opcode = StreamHeader.opcode(header);
        int flags = StreamHeader.flags(header);
        int spsn = StreamHeader.spsn(header);
        int headers = DataLayout.headersLength(opcode, flags);
        int payload = bytes - headers;
        int segment = stream.binds.segmentBytes();
        int n = DataLayout.segments(payload, segment);
        int ahead = spsn - window.cum();
        if (ahead + n <= 0 && ahead <= 0) {
            stream.blockDue(Space.RESPONSE, false);
            return true;
        }
        int index = queue.acked + Serial.distance24(StreamHeader.msn(header), queue.msn(queue.acked));
        if (ahead + n > shared.bitmaps.bits()
                || ahead < -shared.bitmaps.bits()
                || index - queue.head < 0
                || index - queue.begunEnd() >= 0
                || queue.get(index, SendQueue.SENT) == 0
                || !matches(header, index, opcode, payload)) {
            shared.count(Counter.RX_STALE);
            return true;
        }
        if (ahead > 0 && !window.reserve()) {
            return false;
        }
        requester.onAnswered(index, (flags & StreamFlag.ERR) == 0);
        if ((flags & StreamFlag.ERR) != 0) {
            window.absorb();
            requester.fail(index, Requester.statusOf(ErrorTail.syndrome(DataLayout.tail(header))));
            return true;
        }
        int i = 0;
        while (i < n) {
            int s = spsn + i;
            int behind = window.cum() - s;
            int run = behind > 0 ? 0 : window.missingRun(s, n - i);
            if (run <= 0) {
                i++;
                continue;
            }
            int status = place(header, index, opcode, i, run, n, payload, header + headers);
            if (status != Verbs.SUCCESS) {
                window.absorb();
                requester.fail(index, status);
                return true;
            }
            queue.set(index, SendQueue.LEFT, queue.get(index, SendQueue.LEFT) - run);
            if (s == window.cum()) {
                window.advance(run);
                window.absorb();
            } else {
                window.markAhead(s, run);
            }
            i += run;
        }
        window.absorb();
        stream.blockDue(Space.RESPONSE, false);
        requester.advance();
        if (stream.sends() && requester.hasWork()) {
            stream.kick();
        }
        return true;
    }

    private boolean matches(long header, int index, int opcode, int payload) {
        long slot = queue.slot(index);
        int wr = SendSlot.opcode(slot);
        if (opcode == Opcode.ATOMIC_RSP) {
            return wr == Verbs.WR_CMP_SWP || wr == Verbs.WR_FETCH_ADD;
        }
        return wr == Verbs.WR_READ
                && ReadRspExt.messageLength(DataLayout.extension(header)) == (SendSlot.length(slot) & 0xffff_ffffL)
                && ((StreamHeader.flags(header) & StreamFlag.ERR) != 0
                        || DataLayout.cutAtSegments(header, payload, stream.binds.segmentBytes()));
    }

    private int place(long header, int index, int opcode, int i, int run, int n, int payload, long from) {
        long slot = queue.slot(index);
        if (opcode == Opcode.ATOMIC_RSP) {
            Mem.putLong(shared.scratch, AtomicRspExt.original(DataLayout.extension(header)));
            return shared.placement.scatter(slot, stream.pd, 0, Long.BYTES, shared.scratch);
        }
        int segment = stream.binds.segmentBytes();
        long at = (long) i * segment;
        long piece = (i + run == n ? payload : (long) (i + run) * segment) - at;
        return shared.placement.scatter(slot, stream.pd, StreamHeader.offset(header) + at, piece, from + at);
    }

    /** What of the answers has come. */
    void putBlock(long block) {
        StreamBlock.put(
                block,
                stream.attr.destQpn,
                Space.RESPONSE,
                stream.receives() ? BlockKind.ACK : BlockKind.GONE,
                stream.binds.peerGeneration(),
                queue.msn(queue.head),
                0,
                stream.receives() ? 0 : Outbox.GONE_KNOWN,
                window.cum());
    }
}
