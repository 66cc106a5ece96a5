package io.metaroce.provider.api;

import io.metaroce.provider.slots.Control;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.Sge;
import io.metaroce.verbs.Errno;
import io.metaroce.verbs.QpCapacity;
import io.metaroce.verbs.QpState;
import io.metaroce.verbs.ReceiveQueue;
import java.lang.invoke.VarHandle;

/** The writing side of a receive ring. */
final class JavaReceiveQueue extends JavaWorkQueue implements ReceiveQueue {
    private static final long MAX_BYTES = 0xffff_ffffL;

    JavaReceiveQueue(JavaQp qp, long ring, QpCapacity capacity) {
        super(qp, ring, "post_recv", "receive", capacity.receiveWr(), capacity.receiveSge());
    }

    @Override
    public ReceiveQueue begin(long wrId) {
        forget();
        if (qp.isClosed() || qp.lastState() == QpState.RESET.value()) {
            throw error(Errno.EINVAL, "the queue pair is in RESET");
        }
        if (room() == 0) {
            throw error(Errno.ENOMEM, "the receive queue is full");
        }
        open();
        RecvSlot.wrId(slot, wrId);
        return this;
    }

    @Override
    public ReceiveQueue sge(long address, int bytes, int lkey) {
        requireBegun();
        if (numSge == maxSge) {
            throw refused("more than " + maxSge + " scatter/gather entries");
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
        end();
        return this;
    }

    /** The engine raises {@code waiting} and looks at the tail again; this publishes the tail and looks at {@code waiting}: one of them sees the other. */
    @Override
    public void commit() {
        more();
        publish();
        VarHandle.fullFence();
        if (Ring.waiting(ring) != 0) {
            Control.ring(runtime.control(), qp.number);
            runtime.drive();
        }
    }
}
