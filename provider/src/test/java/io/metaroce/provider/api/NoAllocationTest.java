package io.metaroce.provider.api;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.metaroce.verbs.AccessFlags;
import io.metaroce.verbs.CompletionQueue;
import io.metaroce.verbs.DeviceContext;
import io.metaroce.verbs.MemoryRegion;
import io.metaroce.verbs.ProtectionDomain;
import io.metaroce.verbs.QpCapacity;
import io.metaroce.verbs.QueuePair;
import io.metaroce.verbs.SendFlags;
import io.metaroce.verbs.WorkCompletion;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Posting, driving and polling allocate nothing: a million messages in one process, every byte on the heap counted. The least object has 16 bytes, so that one for every
 * hundredth message would be seen. What is allowed is what the JDK's downcalls allocate until they are compiled, a few dozen times in a run, and what paths allocate when more is in flight than ever before
 * (18 KB a path in all, so there are two here). Needs CAP_NET_RAW.
 */
final class NoAllocationTest {
    private static final int DEPTH = 64;
    private static final int WARM_UP = 200_000;
    private static final int COUNTED = 1_000_000;
    private static final long ALLOWED_BYTES = COUNTED / 100 * 16;

    private final JavaDevice device = new JavaDevice(
            "lo0",
            (signals, ring, fd) -> RunningDevice.open(
                    Map.of("METAROCE_IFACE", "lo", "METAROCE_LOG", "off", "METAROCE_PATHS", "2"), signals, ring, fd));
    private final WorkCompletion wc = new WorkCompletion();

    @Test
    void a_million_sends_and_receives_allocate_nothing() {
        try (DeviceContext context = device.open();
                ProtectionDomain pd = context.allocateProtectionDomain();
                MemoryRegion from = pd.allocate(4096, AccessFlags.ALL);
                MemoryRegion to = pd.allocate(4096, AccessFlags.ALL);
                CompletionQueue sent = context.createCompletionQueue(DEPTH);
                CompletionQueue received = context.createCompletionQueue(DEPTH);
                QueuePair a = pd.createQueuePair(sent, sent, QpCapacity.of(DEPTH, DEPTH));
                QueuePair b = pd.createQueuePair(received, received, QpCapacity.of(DEPTH, DEPTH))) {
            a.connect(context.gid(0), b.qpNumber());
            b.connect(context.gid(0), a.qpNumber());
            run(a, b, sent, received, from, to, WARM_UP);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long daemon = daemon();
            long mine = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            long its = threads.getThreadAllocatedBytes(daemon);
            run(a, b, sent, received, from, to, COUNTED);
            long its2 = threads.getThreadAllocatedBytes(daemon);
            long mine2 = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            assertTrue(mine > 0 && mine2 - mine < ALLOWED_BYTES, mine2 - mine + " bytes on the application's thread");
            assertTrue(its > 0 && its2 - its < ALLOWED_BYTES, its2 - its + " bytes on the daemon's thread");
        }
    }

    private static long daemon() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("mroce-daemon")) {
                return thread.getId();
            }
        }
        throw new AssertionError("no thread is called mroce-daemon");
    }

    private void run(
            QueuePair a,
            QueuePair b,
            CompletionQueue sent,
            CompletionQueue received,
            MemoryRegion from,
            MemoryRegion to,
            int messages) {
        int posted = 0;
        int gotSent = 0;
        int gotReceived = 0;
        int receives = 0;
        while (gotSent < messages || gotReceived < messages) {
            while (receives < messages && receives - gotReceived < DEPTH) {
                b.receives().begin(receives++).sge(to, 0, 64).commit();
            }
            while (posted < messages && posted - gotSent < DEPTH && posted < receives) {
                a.sends().begin(posted++, SendFlags.SIGNALED).sge(from, 0, 64).commit();
            }
            while (sent.poll(wc)) {
                check(gotSent++);
            }
            while (received.poll(wc)) {
                check(gotReceived++);
            }
        }
    }

    private void check(int expected) {
        if (!wc.isSuccess() || (int) wc.wrId() != expected) {
            throw new AssertionError("expected work request " + expected + ", got " + wc);
        }
    }
}
