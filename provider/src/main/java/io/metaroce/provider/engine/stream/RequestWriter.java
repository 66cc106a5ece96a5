package io.metaroce.provider.engine.stream;

import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.AtomicExt;
import io.metaroce.wire.AtomicOp;
import io.metaroce.wire.ImmediateTail;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.SendExt;
import io.metaroce.wire.StreamFlag;
import io.metaroce.wire.StreamHeader;
import io.metaroce.wire.WriteExt;

/** Writes request packets of one stream: headers from the work request, payload from the memory that it names, which is checked each time. */
final class RequestWriter {
    private final Stream stream;
    private final Shared shared;
    private final SendQueue queue;
    private int segments;

    RequestWriter(Stream stream, SendQueue queue) {
        this.stream = stream;
        this.shared = stream.shared;
        this.queue = queue;
    }

    /** Segments in the packet written last. */
    int segments() {
        return segments;
    }

    /** Writes up to {@code most} segments of a WR from its segment {@code at} on; leaves their number in {@link #segments}. Negative: a status. */
    int write(int index, int at, int most, long out, int room) {
        long slot = queue.slot(index);
        int wr = SendSlot.opcode(slot);
        int spsn = queue.get(index, SendQueue.FIRST) + at;
        int msn = queue.msn(index);
        int qpn = stream.attr.destQpn;
        int generation = stream.binds.peerGeneration();
        long ext = out + StreamHeader.LENGTH;
        long length = SendSlot.length(slot) & 0xffff_ffffL;
        segments = 1;
        if (wr == Verbs.WR_READ) {
            StreamHeader.put(out, qpn, Opcode.READ_REQ, generation, spsn, msn, StreamFlag.LAST, 0);
            WriteExt.put(ext, SendSlot.remoteAddr(slot), SendSlot.rkey(slot), length);
            return StreamHeader.LENGTH + WriteExt.LENGTH;
        }
        if (wr > Verbs.WR_READ) {
            StreamHeader.put(out, qpn, Opcode.ATOMIC_REQ, generation, spsn, msn, StreamFlag.LAST, 0);
            boolean swap = wr == Verbs.WR_CMP_SWP;
            AtomicExt.put(
                    ext,
                    SendSlot.remoteAddr(slot),
                    SendSlot.rkey(slot),
                    swap ? AtomicOp.CMP_AND_SWP : AtomicOp.FETCH_AND_ADD,
                    swap ? SendSlot.swap(slot) : SendSlot.compareAdd(slot),
                    swap ? SendSlot.compareAdd(slot) : 0);
            return StreamHeader.LENGTH + AtomicExt.LENGTH;
        }
        boolean isWrite = wr <= Verbs.WR_WRITE_IMM;
        boolean imm = wr == Verbs.WR_WRITE_IMM || wr == Verbs.WR_SEND_IMM;
        int segment = stream.binds.segmentBytes();
        int headers = StreamHeader.LENGTH + (isWrite ? WriteExt.LENGTH : SendExt.LENGTH);
        int tail = !imm ? 0 : isWrite ? ImmediateTail.LENGTH : ImmediateTail.SEND_LENGTH;
        long offset = (long) at * segment;
        long left = length - offset;
        int rest = queue.get(index, SendQueue.SEGMENTS) - at;
        int n = left + tail <= room - headers ? rest : Math.min(rest - 1, (room - headers) / segment);
        n = Math.min(n, most);
        if (n <= 0) {
            return 0;
        }
        boolean last = n == rest;
        int bytes = (int) Math.min((long) n * segment, left);
        int flags = 0;
        if (last) {
            flags = StreamFlag.LAST;
            if (Verbs.consumes(wr) && (SendSlot.flags(slot) & SendSlot.SOLICITED) != 0) {
                flags |= StreamFlag.SE;
            }
            if (imm) {
                flags |= StreamFlag.IMM;
                Mem.putInt(out + headers, SendSlot.imm(slot)); // the program's bytes, unchanged
                if (isWrite) {
                    ImmediateTail.rqIndex(out + headers, queue.get(index, SendQueue.RQ_INDEX));
                }
                headers += tail;
            }
        }
        if (isWrite) {
            StreamHeader.put(out, qpn, Opcode.WRITE, generation, spsn, msn, flags, offset);
            WriteExt.put(ext, SendSlot.remoteAddr(slot), SendSlot.rkey(slot), length);
        } else {
            StreamHeader.put(out, qpn, Opcode.SEND, generation, spsn, msn, flags, offset);
            SendExt.put(ext, queue.get(index, SendQueue.RQ_INDEX), length);
        }
        int status = shared.placement.gather(slot, stream.pd, offset, bytes, out + headers);
        segments = n;
        return status == Verbs.SUCCESS ? headers + bytes : -status;
    }
}
