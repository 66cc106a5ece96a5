package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.StreamBlock;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The data path allocates nothing: posts, frames, losses, acknowledgements, completions. */
final class NoAllocationTest {
    private static final int QP = DirectSide.QP;
    private static final int FRAMES = DirectSide.FRAMES;

    private final DirectSide a = new DirectSide(1);
    private final DirectSide b = new DirectSide(2);
    private int ackSeq;
    private long nowNs = 1_000;
    private int turn;

    /** One batch from one side to the other. Every 7th frame is lost at first, and comes after all others. */
    private void exchange(DirectSide from, DirectSide to) {
        int n = 0;
        while (n < FRAMES) {
            int bytes = from.streams.nextCtl(0, from.frames[n], 1452, from.records[n], nowNs);
            if (bytes == 0 && from.wants) {
                bytes = from.streams.nextFrame(0, QP, from.frames[n], 1452, from.records[n], nowNs);
                from.wants = bytes > 0;
            }
            if (bytes == 0) {
                break;
            }
            from.lengths[n++] = bytes;
        }
        for (int i = 0; i < n; i++) {
            if (i % 7 != 0) {
                deliver(from, to, i);
            }
        }
        for (int i = 0; i < n; i += 7) {
            int bytes = from.streams.rebuild(0, from.records[i], from.frames[i], 1452, nowNs);
            if (bytes > 0) {
                from.lengths[i] = bytes;
                deliver(from, to, i);
            }
        }
        ackSeq++;
        for (int i = 0; i < n; i++) {
            from.streams.onCleared(0, from.records[i], ackSeq, nowNs);
        }
        int blocks = to.streams.blocks(0, to.blocks, 15, nowNs);
        for (int i = 0; i < blocks; i++) {
            from.streams.onBlock(0, to.blocks + (long) i * StreamBlock.LENGTH, ackSeq, nowNs);
        }
    }

    private void deliver(DirectSide from, DirectSide to, int i) {
        boolean taken = from.records[i].type == FrameType.DATA
                ? to.streams.onData(0, from.frames[i], from.lengths[i], nowNs)
                : to.streams.onStreamCtl(0, from.frames[i], from.lengths[i], nowNs);
        if (!taken) {
            throw new AssertionError("a pool ran out");
        }
    }

    private void round() {
        turn++;
        nowNs += 10_000;
        b.receives();
        int kind = turn % 5;
        int length = kind == 3 ? 8 : kind == 1 ? 100 : 9_000;
        int opcode = switch (kind) {
            case 0 -> Verbs.WR_SEND;
            case 1 -> Verbs.WR_WRITE;
            case 2 -> Verbs.WR_READ;
            case 3 -> Verbs.WR_FETCH_ADD;
            default -> Verbs.WR_WRITE_IMM;
        };
        for (int i = 0; i < 3; i++) {
            a.post(opcode, length);
        }
        a.streams.doorbell(QP, nowNs);
        exchange(a, b);
        exchange(b, a);
        a.streams.onTime(nowNs);
        b.streams.onTime(nowNs);
    }

    @Test
    void the_data_path_allocates_nothing() {
        a.open(2);
        b.open(1);
        for (int i = 0; i < 20_000; i++) {
            round();
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long doneBefore = a.completed;
        for (int i = 0; i < 50_000; i++) {
            round();
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        long done = a.completed - doneBefore;
        assertTrue(done > 100_000, "completed only " + done);
        assertEquals(0, a.failed);
        assertEquals(0, b.failed);
        assertTrue(b.counters.get(Counter.RX_OUT_OF_ORDER) > 50_000);
        assertTrue(allocated < 4096, allocated + " bytes allocated over " + done + " messages"); // the meter's own
    }
}
