package io.metaroce.conformance.scenario;

import io.metaroce.provider.slots.Ring;
import java.util.Arrays;

/** RDMA Writes of one size from a host to another, a number of them outstanding, and how long each took. */
final class Flow implements Work {
    private static final int MOST_OUTSTANDING = 16;
    private static final int PLACE_BYTES = (1 << FlowHost.FLOW_BITS) / MOST_OUTSTANDING;

    private final FlowHost from;
    private final FlowHost to;
    private final int bytes;
    private final int outstanding;
    private final long limit;
    private final QpPair qps;
    private final long[] postedNs;
    private long posted;
    private long done;
    private long timesFrom;
    private long lastDoneNs;
    private long gapNs;
    private long[] tookNs = new long[1];

    /** @param limit messages to send; Long.MAX_VALUE for ever */
    Flow(FlowHost from, FlowHost to, int bytes, int outstanding, long limit) {
        this.from = from;
        this.to = to;
        if (bytes > PLACE_BYTES) {
            throw new IllegalArgumentException(bytes + " bytes are more than a place holds, " + PLACE_BYTES);
        }
        this.bytes = bytes;
        this.outstanding = Math.min(outstanding, MOST_OUTSTANDING);
        int entries = Ring.entriesFor(this.outstanding);
        postedNs = new long[entries];
        this.limit = limit;
        qps = new QpPair(this, from, to, entries, 1);
    }

    @Override
    public int qp(FlowHost side) {
        return qps.qp(side);
    }

    void start(long nowNs) {
        lastDoneNs = nowNs;
        refill(nowNs);
    }

    @Override
    public void refill(long nowNs) {
        boolean any = false;
        while (posted - done < outstanding && posted < limit) {
            // a place of its own: bytes that a later message has written already are not placed, and would not count
            qps.post(posted, 0, bytes, 1, FlowHost.memory(qps.qpTo) + posted % MOST_OUTSTANDING * PLACE_BYTES);
            postedNs[(int) (posted % postedNs.length)] = nowNs;
            posted++;
            any = true;
        }
        if (any) {
            from.ring(this);
        }
    }

    @Override
    public void completed(FlowHost side, long wrId, int status, long nowNs) {
        if (status != 0) {
            return;
        }
        int times = (int) (done - timesFrom);
        if (times == tookNs.length) {
            tookNs = Arrays.copyOf(tookNs, tookNs.length * 2);
        }
        tookNs[times] = nowNs - postedNs[(int) (wrId % postedNs.length)];
        gapNs = Math.max(gapNs, nowNs - lastDoneNs);
        lastDoneNs = nowNs;
        done++;
    }

    boolean finished() {
        return done == limit;
    }

    /** Messages completed. */
    long done() {
        return done;
    }

    /** Longest time without a completion. */
    long gapNs() {
        return gapNs;
    }

    void clearGap(long nowNs) {
        gapNs = 0;
        lastDoneNs = nowNs;
    }

    long lastDoneNs() {
        return lastDoneNs;
    }

    /** Forgets how long the messages so far took. */
    void clearTimes() {
        timesFrom = done;
    }

    /** Completion times of all messages since {@link #clearTimes}, sorted, nanoseconds. */
    long[] sortedNs() {
        long[] all = Arrays.copyOf(tookNs, (int) (done - timesFrom));
        Arrays.sort(all);
        return all;
    }

    /** Bytes landed at the target. */
    long landedBytes() {
        return to.landedBytes(qps.qpTo);
    }

    FlowHost to() {
        return to;
    }

    FlowHost from() {
        return from;
    }

    void free() {
        qps.free();
    }
}
