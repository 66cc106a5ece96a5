package io.metaroce.provider.engine.stream;

import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;

/**
 * The send queue of one QP: which work requests are posted, begun, acknowledged and complete, and what is known of each. CQEs are written strictly in order.
 *
 * <p>Work requests are named by the ring's free-running counter: {@code head <= acked <= next <= tail}. MSN 0 is the WR at {@link #base}.
 */
final class SendQueue {
    /** First SPSN. */
    static final int FIRST = 0;
    /** Segments of its request. */
    static final int SEGMENTS = 1;
    /** Segments sent at least once. */
    static final int SENT = 2;
    /** Index of the receive that it takes. */
    static final int RQ_INDEX = 3;
    /** Segments of its answer still to come. */
    static final int LEFT = 4;
    /** Packets of its request in flight. */
    static final int IN_FLIGHT = 5;
    /** The latest ACK that cleared one of them. */
    static final int CLEARED = 6;
    /** A set of the flags below. */
    static final int FLAGS = 7;

    /** A segment is to be sent again. */
    static final int RESEND = 1;
    /** The same, when its packets in flight have come back. */
    static final int RESEND_ON_CLEAR = 2;
    /** CLEARED is valid. */
    static final int HAS_CLEARED = 4;

    private static final int INTS = 8;
    private static final int[] NOTHING = {};

    private final Stream stream;
    private final long ring;
    private int[] meta = NOTHING;
    private final int mask;
    private final int stride;

    int base;
    int head;
    int acked;
    int next;
    int tail;
    /** The WR at {@link #next} has its SPSNs, and part of it may have been sent. */
    boolean begun;

    int readsBegun;
    int readsDone;
    /** When the queue last went from empty to not empty. */
    long outstandingSinceNs;

    private int failAt;
    private int failStatus;

    SendQueue(Stream stream) {
        this.stream = stream;
        this.ring = stream.sqRing;
        mask = Ring.entries(ring) - 1;
        stride = Ring.stride(ring);
    }

    /** RTR. */
    void start() {
        base = Ring.head(ring);
        head = base;
        acked = base;
        next = base;
        tail = base;
        begun = false;
        readsBegun = 0;
        readsDone = 0;
        failStatus = 0;
    }

    /** Looks for new work requests. */
    boolean refresh() {
        int was = tail;
        tail = Ring.tailAcquire(ring);
        if (was != tail && head == was) {
            outstandingSinceNs = stream.shared.nowNs;
        }
        return was != tail;
    }

    boolean isEmpty() {
        return head == tail;
    }

    /** The first WR that has no SPSNs. */
    int begunEnd() {
        return begun ? next + 1 : next;
    }

    long slot(int index) {
        return Ring.slot(ring, index, mask + 1, stride);
    }

    int msn(int index) {
        return index - base & 0xffffff;
    }

    int get(int index, int field) {
        return meta[(index & mask) * INTS + field];
    }

    void set(int index, int field, int value) {
        meta[(index & mask) * INTS + field] = value;
    }

    boolean has(int index, int flag) {
        return (get(index, FLAGS) & flag) != 0;
    }

    void flag(int index, int flag) {
        meta[(index & mask) * INTS + FLAGS] |= flag;
    }

    void unflag(int index, int flag) {
        meta[(index & mask) * INTS + FLAGS] &= ~flag;
    }

    /** The WR at {@code next} gets its place in the stream. */
    void begin(int firstSpsn, int segments, int rqIndex, int answerSegments) {
        if (meta == NOTHING) {
            meta = new int[(mask + 1) * INTS]; // once in a QP's life: a QP that never sends has none
        }
        int at = (next & mask) * INTS;
        meta[at + FIRST] = firstSpsn;
        meta[at + SEGMENTS] = segments;
        meta[at + SENT] = 0;
        meta[at + RQ_INDEX] = rqIndex;
        meta[at + LEFT] = answerSegments;
        meta[at + IN_FLIGHT] = 0;
        meta[at + CLEARED] = 0;
        meta[at + FLAGS] = 0;
        begun = true;
        if (answerSegments > 0) {
            readsBegun++;
        }
    }

    /** All of the WR at {@code next} that can be sent now has been. */
    void pass() {
        next++;
        begun = false;
    }

    /** This WR fails when all before it are complete; of two the earlier one counts. */
    void fail(int index, int status) {
        if (failStatus == 0 || index - failAt < 0) {
            failAt = index;
            failStatus = status;
        }
    }

    /** Whether this WR, or one before it, is going to fail: nothing of it is sent any more. */
    boolean failedBefore(int index) {
        return failStatus != 0 && index - failAt >= 0;
    }

    /** Writes the CQEs that are due. True: it is the failed WR's turn. */
    boolean complete() {
        while (head != acked) {
            if (failStatus != 0 && head == failAt) {
                return true;
            }
            long slot = slot(head);
            int opcode = SendSlot.opcode(slot);
            if (Verbs.answered(opcode)) {
                if (get(head, LEFT) != 0) {
                    return false;
                }
                readsDone++;
            }
            finish(slot, opcode, Verbs.SUCCESS);
        }
        return failStatus != 0 && head == failAt;
    }

    /** The failed WR with its status, then all others with WR_FLUSH_ERR. */
    void failHead() {
        if (failStatus != 0 && head == failAt && head != tail) {
            int status = failStatus;
            failStatus = 0;
            finish(slot(head), SendSlot.opcode(slot(head)), status);
        }
        flush();
    }

    /** Completes everything with WR_FLUSH_ERR. */
    void flush() {
        failStatus = 0;
        tail = Ring.tailAcquire(ring);
        while (head != tail) {
            finish(slot(head), SendSlot.opcode(slot(head)), Verbs.FLUSH_ERR);
        }
        acked = head;
        next = head;
        begun = false;
    }

    private void finish(long slot, int opcode, int status) {
        long wrId = SendSlot.wrId(slot);
        boolean report = status != Verbs.SUCCESS || (SendSlot.flags(slot) & SendSlot.SIGNALED) != 0;
        int length = opcode == Verbs.WR_CMP_SWP || opcode == Verbs.WR_FETCH_ADD ? Long.BYTES : SendSlot.length(slot);
        head++;
        Ring.publishHead(ring, head);
        if (report) {
            stream.shared.complete(
                    stream.sendCq, stream, wrId, status, Verbs.completionOf(opcode), length, 0, 0, false);
        }
    }

    /** RESET: posted work requests vanish without CQEs. */
    void discard() {
        tail = Ring.tailAcquire(ring);
        head = tail;
        acked = tail;
        next = tail;
        begun = false;
        failStatus = 0;
        Ring.publishHead(ring, tail);
    }
}
