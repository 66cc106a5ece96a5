package io.metaroce.provider.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.slots.Control;
import io.metaroce.provider.slots.Cqe;
import io.metaroce.provider.slots.Ring;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * The lost wake-up: the engine publishes a CQE and looks at the armed word, the program arms and looks at the tail. If both looks may pass both stores, the program
 * sleeps over its completion. Two threads run into each other {@link #ROUNDS} times, at offsets drawn from a seed; in every round the program must see the CQE or get
 * an event. Without the full fence in {@code CompletionQueues.fire} some rounds in a million are lost.
 */
final class ArmingRaceTest {
    private static final int ROUNDS = 300_000;
    private static final long SEED = Long.getLong("metaroce.seed", 20261202L);

    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger finished = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @Test
    void no_completion_is_slept_over() throws InterruptedException {
        try (DeviceBench bench = new DeviceBench()) {
            long ring = bench.ring(8, Cqe.SIZE);
            int cq = bench.cq(ring, DeviceBench.CHANNEL_FD, 0xc0);
            int qp = bench.qp(bench.pd(), cq, cq);
            Thread engine = new Thread(() -> engine(bench, cq, qp), "engine");
            engine.start();
            int seen = 0;
            int woken = 0;
            int lost = 0;
            long random = SEED | 1;
            for (int round = 1; round <= ROUNDS && failure.get() == null; round++) {
                started.set(round);
                random = next(random);
                spin((int) (random & 63));
                // as req_notify does: raise the word (a CAS is a full fence), then look at the queue again
                if (Ring.waiting(ring) == 0 && Ring.casWaiting(ring, 0, 2)) {
                    Control.addArmedCqs(bench.control, 1);
                }
                boolean look = Ring.tailAcquire(ring) == round;
                while (finished.get() != round && failure.get() == null) {
                    Thread.onSpinWait();
                }
                boolean event = bench.permits.get(DeviceBench.CHANNEL_FD) > 0;
                if (look) {
                    seen++;
                }
                if (event) {
                    woken++;
                    bench.permits.set(DeviceBench.CHANNEL_FD, 0);
                    assertEquals(1, Ring.addPending(ring, -1));
                    Ring.publishHead(bench.channelRing, Ring.head(bench.channelRing) + 1);
                }
                if (!look && !event) {
                    lost++;
                }
                Ring.publishHead(ring, round);
            }
            engine.join();
            String counts =
                    "seed " + SEED + ": " + ROUNDS + " rounds, seen " + seen + ", woken " + woken + ", lost " + lost;
            assertEquals(null, failure.get(), counts);
            assertEquals(0, lost, counts);
            assertTrue(seen > 100 && woken > 100, "the threads did not meet; " + counts);
            assertEquals(Ring.waiting(ring) == 0 ? 0 : 1, Control.armedCqs(bench.control));
            assertEquals(0, Ring.pending(ring));
        }
    }

    private void engine(DeviceBench bench, int cq, int qp) {
        try {
            long random = ~SEED | 1;
            for (int round = 1; round <= ROUNDS; round++) {
                while (started.get() != round) {
                    Thread.onSpinWait();
                }
                random = next(random);
                spin((int) (random & 63));
                bench.add(cq, qp, round);
                bench.device.completions().publish();
                finished.set(round);
            }
        } catch (RuntimeException | Error e) {
            failure.set(e);
        }
    }

    private static long next(long random) {
        long r = random;
        r ^= r << 13;
        r ^= r >>> 7;
        return r ^ r << 17;
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }
}
