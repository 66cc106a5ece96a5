package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.FrameType;
import org.junit.jupiter.api.Test;

/** Messages of 2^31 bytes, the longest (IBTA 9.7.1): 1,597,831 segments of 1344, far more than the window. The bytes are counted, not copied. */
final class LargeMessageTest {
    private static final int QP = DirectSide.QP;
    private static final int LONGEST = 1 << 31; // as an unsigned number

    /** Counts what would be written into application memory, and checks that no two pieces overlap or leave a hole. */
    private static final class Counting extends DirectSide {
        long placed;
        long nextAddress;

        Counting(int slot) {
            super(slot);
        }

        @Override
        public boolean copy(long destination, long source, long bytes) {
            if (destination == nextAddress) {
                placed += bytes;
                nextAddress += bytes;
            }
            return true;
        }

        @Override
        public boolean storeRelease(long destination, long source, int bytes) {
            return copy(destination, source, bytes);
        }

        void expectFrom(long address) {
            placed = 0;
            nextAddress = address;
        }
    }

    private final Counting a = new Counting(1);
    private final Counting b = new Counting(2);
    private int ackSeq;
    private long sent;

    private void exchange(Counting from, Counting to) {
        int n = 0;
        while (n < DirectSide.FRAMES) {
            int bytes = from.streams.nextCtl(0, from.frames[n], 1452, from.records[n], 1_000);
            if (bytes == 0 && from.wants) {
                bytes = from.streams.nextFrame(0, QP, from.frames[n], 1452, from.records[n], 1_000);
                from.wants = bytes > 0;
                sent += bytes > 0 ? 1 : 0;
            }
            if (bytes == 0) {
                break;
            }
            from.lengths[n++] = bytes;
        }
        for (int i = 0; i < n; i++) {
            boolean data = from.records[i].type == FrameType.DATA;
            assertTrue(
                    data
                            ? to.streams.onData(0, from.frames[i], from.lengths[i], 1_000)
                            : to.streams.onStreamCtl(0, from.frames[i], from.lengths[i], 1_000));
        }
        ackSeq++;
        for (int i = 0; i < n; i++) {
            from.streams.onCleared(0, from.records[i], ackSeq, 1_000);
        }
        int blocks = to.streams.blocks(0, to.blocks, 15, 1_000);
        for (int i = 0; i < blocks; i++) {
            from.streams.onBlock(0, to.blocks + 16L * i, ackSeq, 1_000);
        }
    }

    private void run(int opcode, Counting placing) {
        long before = a.completed;
        placing.expectFrom(placing == a ? a.memory : opcode == Verbs.WR_SEND ? b.memory : a.memory);
        a.post(opcode, LONGEST);
        a.streams.doorbell(QP, 1_000);
        for (int i = 0; a.completed == before; i++) {
            exchange(a, b);
            exchange(b, a);
            assertTrue(i < 100_000, "not done after " + sent + " frames");
        }
        assertEquals(LONGEST, a.lastBytes);
        assertEquals(0, a.failed + b.failed);
        assertEquals(1L << 31, placing.placed);
    }

    @Test
    void the_longest_messages_pass() {
        a.open(2);
        b.open(1);
        for (int i = 0; i < 4; i++) {
            exchange(a, b);
            exchange(b, a);
        }
        run(Verbs.WR_WRITE, b); // to the address that the WR names, here a's
        assertTrue(sent >= 1_597_831, "frames " + sent);
        long slot = Ring.slot(b.rq, Ring.tail(b.rq));
        RecvSlot.numSge(slot, 1);
        RecvSlot.length(slot, LONGEST);
        Sge.set(RecvSlot.sge(slot, 0), b.memory, LONGEST, 1);
        Ring.publishTail(b.rq, Ring.tail(b.rq) + 1);
        run(Verbs.WR_SEND, b);
        assertEquals(1, b.completed);
        assertEquals(LONGEST, b.lastBytes);
        run(Verbs.WR_READ, a);
    }
}
