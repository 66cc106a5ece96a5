package io.metaroce.provider.api;

import io.metaroce.provider.slots.Control;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.Sge;
import io.metaroce.verbs.Errno;
import io.metaroce.verbs.QpCapacity;
import io.metaroce.verbs.QpState;
import io.metaroce.verbs.ReceiveQueue;
import io.metaroce.verbs.VerbsException;
import java.lang.invoke.VarHandle;

/** The writing side of a receive ring. */
final class JavaReceiveQueue implements ReceiveQueue {
    private static final long MAX_BYTES = 0xffff_ffffL;

    private final JavaQp qp;
    private final VerbsRuntime runtime;
    private final long ring;
    private final int entries;
    private final int stride;
    private final int limit;
    private final int maxSge;

    private int next;
    private int head;
    private boolean begun;
    private long slot;
    private int numSge;
    private long length;

    JavaReceiveQueue(JavaQp qp, long ring, QpCapacity capacity) {
        this.qp = qp;
        this.ring = ring;
        runtime = qp.runtime;
        entries = Ring.entries(ring);
        stride = Ring.stride(ring);
        limit = capacity.receiveWr();
        maxSge = capacity.receiveSge();
    }

    @Override
    public ReceiveQueue begin(long wrId) {
        begun = false;
        if (qp.isClosed() || qp.lastState() == QpState.RESET.value()) {
            throw new VerbsException("post_recv", Errno.EINVAL, "the queue pair is in RESET");
        }
        if (room() == 0) {
            throw new VerbsException("post_recv", Errno.ENOMEM, "the receive queue is full");
        }
        slot = Ring.slot(ring, next, entries, stride);
        RecvSlot.wrId(slot, wrId);
        numSge = 0;
        length = 0;
        begun = true;
        return this;
    }

    @Override
    public ReceiveQueue sge(long address, int bytes, int lkey) {
        requireBegun();
        if (numSge == maxSge) {
            begun = false;
            throw new VerbsException("post_recv", Errno.EINVAL, "more than " + maxSge + " scatter/gather entries");
        }
        Sge.set(RecvSlot.sge(slot, numSge++), address, bytes, lkey);
        length += Integer.toUnsignedLong(bytes);
        return this;
    }

    @Override
    public ReceiveQueue more() {
        requireBegun();
        RecvSlot.numSge(slot, numSge);
        RecvSlot.length(slot, (int) Math.min(length, MAX_BYTES));
        next++;
        begun = false;
        return this;
    }

    /** The engine raises {@code waiting} and looks at the tail again; this publishes the tail and looks at {@code waiting}: one of them sees the other. */
    @Override
    public void commit() {
        more();
        Ring.publishTail(ring, next);
        VarHandle.fullFence();
        if (Ring.waiting(ring) != 0) {
            Control.ring(runtime.control(), qp.number);
            runtime.drive();
        }
    }

    @Override
    public int room() {
        if (next - head >= limit) {
            head = Ring.headAcquire(ring);
        }
        return limit - (next - head);
    }

    void reset() {
        begun = false;
        next = Ring.tail(ring);
        head = Ring.headAcquire(ring);
    }

    void free() {
        begun = false;
        Ring.free(ring);
    }

    private void requireBegun() {
        if (!begun) {
            throw new VerbsException("post_recv", Errno.EINVAL, "no receive was begun");
        }
    }
}
