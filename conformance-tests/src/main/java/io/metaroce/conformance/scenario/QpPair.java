package io.metaroce.conformance.scenario;

import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;

/** Two QPs that are connected, one at each of two hosts, and their rings. Requests are posted at the first. */
final class QpPair {
    private final FlowHost from;
    private final FlowHost to;
    private final long[] rings;
    private final long sq;

    /** Index of each QP at its host. */
    final int qpFrom;

    final int qpTo;

    /**
     * @param work what is told of completions
     * @param receives receives that the second QP can hold
     */
    QpPair(Work work, FlowHost from, FlowHost to, int requests, int receives) {
        this.from = from;
        this.to = to;
        rings = new long[] {
            Ring.allocate(requests, 64), Ring.allocate(1, 64), Ring.allocate(1, 64), Ring.allocate(receives, 64)
        };
        sq = rings[0];
        qpFrom = from.createQp(work, sq, rings[1]);
        qpTo = to.createQp(work, rings[2], rings[3]);
        connect();
    }

    void connect() {
        from.connect(qpFrom, to, qpTo);
        to.connect(qpTo, from, qpFrom);
    }

    int qp(FlowHost side) {
        return side == from ? qpFrom : qpTo;
    }

    /** Requests in the ring. */
    int posted() {
        return Ring.tail(sq) - Ring.headAcquire(sq);
    }

    /** The ring of receives of the second QP. */
    long receives() {
        return rings[3];
    }

    /** A signalled request with one SGE of the sender's memory; the host is to be rung. */
    void post(long wrId, int opcode, int bytes, int rkey, long remoteAddress) {
        int tail = Ring.tail(sq);
        long slot = Ring.slot(sq, tail);
        SendSlot.wrId(slot, wrId);
        SendSlot.opcode(slot, opcode);
        SendSlot.flags(slot, SendSlot.SIGNALED);
        SendSlot.numSge(slot, 1);
        SendSlot.length(slot, bytes);
        SendSlot.rkey(slot, rkey);
        SendSlot.remoteAddr(slot, remoteAddress);
        Sge.set(SendSlot.sge(slot, 0), 3 * FlowHost.MEMORY, bytes, 1);
        Ring.publishTail(sq, tail + 1);
    }

    void free() {
        for (long ring : rings) {
            Ring.free(ring);
        }
    }
}
