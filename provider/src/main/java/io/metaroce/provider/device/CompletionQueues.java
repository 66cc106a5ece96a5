package io.metaroce.provider.device;

import io.metaroce.provider.engine.QpControl;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.EventSignal;
import io.metaroce.provider.slots.ChannelSlot;
import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.Control;
import io.metaroce.provider.slots.Cqe;
import io.metaroce.provider.slots.Ring;
import io.metaroce.wire.Mem;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Completion queues and their channels. CQEs are written during a duty cycle and become visible at its end, in {@link #publish}, which also fires the channels of
 * armed queues. Numbers of CQs start at 1.
 */
public final class CompletionQueues implements Completions {
    private final long control;
    private final EventSignal signal;
    private final AsyncEvents async;
    private final QpTable qps;
    private final Counters counters;
    private final LongSupplier clock;

    private @Nullable Cq[] cqs = new @Nullable Cq[64];
    private int[] freed = new int[16];
    private int freedCount;
    private int next = 1;
    private int count;

    private int[] dirty = new int[64];
    private int dirtyCount;
    private long batchNs;
    private int[] failed = new int[4];
    private int failedCount;
    private @Nullable QpControl engine;

    private long[] channelRings = new long[4];
    private int[] channelUsers = new int[4];
    private int channels;

    CompletionQueues(
            long control, EventSignal signal, AsyncEvents async, QpTable qps, Counters counters, LongSupplier clock) {
        this.control = control;
        this.signal = signal;
        this.async = async;
        this.qps = qps;
        this.counters = counters;
        this.clock = clock;
    }

    /** One queue. */
    static final class Cq {
        long ring;
        int entries;
        int stride;
        int tail; // written; published at the end of the batch
        int head; // last seen
        long cookie;
        int channelFd;
        long channelRing;
        /** QPs that use it: a queue counts twice that is a QP's send and receive CQ. */
        int users;

        boolean failed;
        boolean dirty;
        boolean solicited;
    }

    /**
     * Creates a queue over a ring that the caller owns.
     *
     * @param channelFd descriptor of the completion channel, or -1
     * @return its number, or a negative errno: EINVAL for a ring that is none or too large, ENOMEM for too many queues
     */
    int create(long ring, int channelFd, long channelRing, long cookie) {
        if (!isCqRing(ring) || (channelFd >= 0 && channelRing == 0)) {
            return -Errno.EINVAL;
        }
        if (count == Commands.MAX_CQ) {
            return -Errno.ENOMEM;
        }
        if (channelFd >= 0 && !joinChannel(channelRing)) {
            return -Errno.ENOMEM;
        }
        int number = freedCount > 0 ? freed[--freedCount] : next++;
        if (number >= cqs.length) {
            cqs = Arrays.copyOf(cqs, cqs.length * 2);
        }
        Cq cq = new Cq();
        cq.ring = ring;
        cq.entries = Ring.entries(ring);
        cq.stride = Ring.stride(ring);
        cq.tail = Ring.tail(ring);
        cq.head = Ring.headAcquire(ring);
        cq.cookie = cookie;
        cq.channelFd = channelFd;
        cq.channelRing = channelRing;
        cqs[number] = cq;
        count++;
        return number;
    }

    @Nullable
    Cq get(int number) {
        return number > 0 && number < cqs.length ? cqs[number] : null;
    }

    int count() {
        return count;
    }

    /**
     * Moves a queue to another ring, with the CQEs not yet read and the counters, the armed word and the events pending. Whoever consumes must stand back until this
     * has returned (the caller marks the queue under its own lock first), and takes the new ring from then on.
     *
     * @return 0, or EINVAL: no such queue, no ring, or the CQEs not yet read do not fit
     */
    int resize(int number, long ring) {
        Cq cq = get(number);
        if (cq == null || !isCqRing(ring) || ring == cq.ring) {
            return Errno.EINVAL;
        }
        publish();
        int head = Ring.headAcquire(cq.ring);
        int entries = Ring.entries(ring);
        int stride = Ring.stride(ring);
        if (cq.tail - head > entries) {
            return Errno.EINVAL;
        }
        for (int i = head; i != cq.tail; i++) {
            Mem.copy(Ring.slot(cq.ring, i, cq.entries, cq.stride), Ring.slot(ring, i, entries, stride), Cqe.SIZE);
        }
        Ring.overflow(ring, Ring.overflow(cq.ring));
        Ring.addPending(ring, Ring.pending(cq.ring));
        Ring.waiting(ring, Ring.waiting(cq.ring));
        Ring.publishHead(ring, head);
        Ring.publishTail(ring, cq.tail);
        cq.ring = ring;
        cq.entries = entries;
        cq.stride = stride;
        cq.head = head;
        return 0;
    }

    /** Takes a queue away: nothing is written to its ring or for it to its channel's ring after this. Answers 0, EINVAL, or EBUSY while QPs use it. */
    int destroy(int number) {
        Cq cq = get(number);
        if (cq == null) {
            return Errno.EINVAL;
        }
        if (cq.users > 0) {
            return Errno.EBUSY;
        }
        publish();
        if (Ring.waiting(cq.ring) != 0 && takeArmed(cq.ring)) {
            Control.addArmedCqs(control, -1);
        }
        if (cq.channelFd >= 0) {
            leaveChannel(cq.channelRing);
        }
        cqs[number] = null;
        if (freedCount == freed.length) {
            freed = Arrays.copyOf(freed, freedCount * 2);
        }
        freed[freedCount++] = number;
        count--;
        return 0;
    }

    @Override
    public boolean hasNews() {
        return dirtyCount > 0;
    }

    @Override
    public boolean add(
            int number,
            int qp,
            long wrId,
            int status,
            int opcode,
            int byteLen,
            int imm,
            int wcFlags,
            int srcQpn,
            boolean solicited) {
        Cq cq = cqs[number];
        if (cq == null || cq.failed) {
            return false;
        }
        if (cq.tail - cq.head == cq.entries) {
            cq.head = Ring.headAcquire(cq.ring);
            if (cq.tail - cq.head == cq.entries) {
                fail(cq, number);
                return false;
            }
        }
        if (!cq.dirty) {
            markDirty(cq, number);
        }
        long cqe = Ring.slot(cq.ring, cq.tail, cq.entries, cq.stride);
        Cqe.wrId(cqe, wrId);
        Cqe.status(cqe, status);
        Cqe.opcode(cqe, opcode);
        Cqe.vendorErr(cqe, 0);
        Cqe.byteLen(cqe, byteLen);
        Cqe.imm(cqe, imm);
        Cqe.qpNum(cqe, qps.qpn(qp));
        Cqe.srcQp(cqe, srcQpn);
        Cqe.wcFlags(cqe, wcFlags);
        Cqe.pkeyIndex(cqe, 0);
        Cqe.slid(cqe, 0);
        Cqe.sl(cqe, 0);
        Cqe.dlidPathBits(cqe, 0);
        Cqe.timestampNs(cqe, batchNs);
        Cqe.qpCookie(cqe, qps.cqeCookie(qp));
        cq.tail++;
        cq.solicited |= solicited || status != 0;
        counters.inc(Counter.CQES);
        return true;
    }

    @Override
    public int room(int number) {
        Cq cq = get(number);
        if (cq == null || cq.failed) {
            return 0;
        }
        cq.head = Ring.headAcquire(cq.ring);
        return cq.entries - (cq.tail - cq.head);
    }

    void connect(QpControl qpControl) {
        engine = qpControl;
    }

    @Override
    public void publish() {
        while (failedCount > 0) {
            int number = failed[--failedCount];
            if (engine != null) {
                engine.cqFailed(number, clock.getAsLong());
            }
        }
        for (int i = 0; i < dirtyCount; i++) {
            Cq cq = cqs[dirty[i]];
            if (cq != null && cq.dirty) {
                cq.dirty = false;
                Ring.publishTail(cq.ring, cq.tail);
                fire(cq);
            }
        }
        dirtyCount = 0;
        async.flush();
    }

    /**
     * The tail is published. Either the program that arms sees these CQEs in its next look, or this sees its armed word: a full fence stands between the store and
     * the load on both sides, else both may miss each other.
     */
    private void fire(Cq cq) {
        boolean solicited = cq.solicited;
        cq.solicited = false;
        VarHandle.fullFence();
        while (true) {
            int armed = Ring.waiting(cq.ring);
            if (armed == 0 || (armed == 1 && !solicited)) {
                return;
            }
            if (Ring.casWaiting(cq.ring, armed, 0)) {
                break;
            }
        }
        Control.addArmedCqs(control, -1);
        if (cq.channelFd < 0) {
            return;
        }
        if (Ring.addPending(cq.ring, 1) == 0) {
            int tail = Ring.tail(cq.channelRing);
            ChannelSlot.cqCookie(Ring.slot(cq.channelRing, tail), cq.cookie);
            Ring.publishTail(cq.channelRing, tail + 1);
        }
        signal.signal(cq.channelFd);
    }

    private static boolean takeArmed(long ring) {
        while (true) {
            int armed = Ring.waiting(ring);
            if (armed == 0) {
                return false;
            }
            if (Ring.casWaiting(ring, armed, 0)) {
                return true;
            }
        }
    }

    private void markDirty(Cq cq, int number) {
        if (dirtyCount == 0) {
            batchNs = clock.getAsLong();
        }
        if (dirtyCount == dirty.length) {
            dirty = Arrays.copyOf(dirty, dirtyCount * 2);
        }
        dirty[dirtyCount++] = number;
        cq.dirty = true;
    }

    /** The QPs of the queue go to ERR; the engine hears of it at the end of the batch, and not in the middle of its own work. */
    private void fail(Cq cq, int number) {
        cq.failed = true;
        if (failedCount == failed.length) {
            failed = Arrays.copyOf(failed, failedCount * 2);
        }
        failed[failedCount++] = number;
        Ring.overflow(cq.ring, 1);
        async.cqEvent(cq.cookie);
    }

    private static boolean isCqRing(long ring) {
        return ring != 0
                && Ring.validGeometry(Ring.entries(ring), Ring.stride(ring))
                && Ring.stride(ring) >= Cqe.SIZE
                && Ring.entries(ring) <= Commands.MAX_CQE;
    }

    /** A channel's ring holds one entry a CQ, and one more while its consumer stands between lowering {@code pending} and moving the head. */
    private boolean joinChannel(long ring) {
        int at = channelIndex(ring);
        if (at < 0) {
            if (channels == channelRings.length) {
                channelRings = Arrays.copyOf(channelRings, channels * 2);
                channelUsers = Arrays.copyOf(channelUsers, channels * 2);
            }
            at = channels++;
            channelRings[at] = ring;
            channelUsers[at] = 0;
        }
        if (channelUsers[at] + 1 >= Ring.entries(ring)) {
            if (channelUsers[at] == 0) {
                channels--;
            }
            return false;
        }
        channelUsers[at]++;
        return true;
    }

    private void leaveChannel(long ring) {
        int at = channelIndex(ring);
        if (at >= 0 && --channelUsers[at] == 0) {
            channels--;
            channelRings[at] = channelRings[channels];
            channelUsers[at] = channelUsers[channels];
        }
    }

    private int channelIndex(long ring) {
        for (int i = 0; i < channels; i++) {
            if (channelRings[i] == ring) {
                return i;
            }
        }
        return -1;
    }
}
