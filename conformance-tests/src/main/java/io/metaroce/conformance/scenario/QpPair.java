package io.metaroce.conformance.scenario;

import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.Mem;

/** Two QPs that are connected, one at each of two hosts, and their rings. Requests are posted at the first. */
final class QpPair {
    private static final int SLOT = 64;

    private final FlowHost from;
    private final FlowHost to;
    private final long memory;
    private final long sq;
    private final long receives;

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
        memory = Mem.alloc(Ring.bytes(requests, SLOT) + 2 * Ring.bytes(1, SLOT) + Ring.bytes(receives, SLOT));
        sq = ring(memory, requests);
        long noReceives = ring(sq + Ring.bytes(requests, SLOT), 1);
        long noRequests = ring(noReceives + Ring.bytes(1, SLOT), 1);
        this.receives = ring(noRequests + Ring.bytes(1, SLOT), receives);
        qpFrom = from.createQp(work, sq, noReceives);
        qpTo = to.createQp(work, noRequests, this.receives);
        connect();
    }

    private static long ring(long at, int entries) {
        Ring.init(at, entries, SLOT);
        return at;
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
        return receives;
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
        Mem.free(memory);
    }
}
