package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Building, tagging, reading and dropping packets leaves nothing for the garbage collector. */
class AllocationTest {
    private static final int ROUNDS = 1_000_000;

    private static long rounds(long frame, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            CommonHeader.put(frame, FrameType.DATA, 0, i, 0, 1, i, i, 8, 0, TrailerLevel.TAG);
            StreamHeader.put(frame + 20, 5, Opcode.WRITE, 0, i, i, StreamFlag.LAST, 0);
            WriteExt.put(frame + 36, i, i, 8);
            FrameTag.seal(frame, 52, 8, i, i);
            long read = FrameReader.read(frame, 64 - (i & 1));
            sum += read >= 0 ? FrameReader.payloadLength(read) : 0;
            sum += read >= 0 && FrameTag.matches(frame, read, i, i) ? 1 : 0;
            Mem.copy(frame, frame + 128, 64);
            sum += Mem.getAndAddLong(frame + 256, 1) & 1;
        }
        return sum;
    }

    @Test
    void aMillionPacketsAllocateNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long frame = Mem.alloc(512);
        try {
            for (int i = 0; i < 20; i++) {
                rounds(frame, 10_000);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            long sum = rounds(frame, ROUNDS);
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;
            assertEquals(9L * ROUNDS / 2 + ROUNDS / 2, sum);
            // The counter's own call may cost a few bytes; one byte per hundred packets would be 10,000.
            assertTrue(bytes < 1024, bytes + " bytes allocated");
        } finally {
            Mem.free(frame);
        }
    }
}
