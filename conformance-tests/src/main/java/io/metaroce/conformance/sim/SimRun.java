package io.metaroce.conformance.sim;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Many seeds through all checkers: {@code SimRun FIRST COUNT}. A failure prints the seed; {@code SimRun SEED 1} plays it again. */
public final class SimRun {
    private static final long WINDOW_BYTES = 1 << 20;

    private SimRun() {}

    public static List<Checker> checkers(Profile profile) {
        return List.of(
                new PlacementChecker(),
                new CompletionChecker(),
                new AtomicChecker(),
                new WindowChecker(WINDOW_BYTES),
                new RecoveryChecker(profile),
                new StaleChecker(),
                new DeliveryChecker());
    }

    /** One seed with all checkers; answers the virtual time it took. */
    public static long seed(long seed) {
        Profile profile = Profile.random(new SplittableRandom(seed ^ 0x5eed));
        try (SimWorld world = new SimWorld(seed, profile, checkers(profile), Mutation.NONE)) {
            long startNs = world.nowNs();
            world.run();
            return world.nowNs() - startNs;
        }
    }

    /** All seeds from {@code first} on, on all cores; the first failure found, or null. */
    public static @Nullable Throwable seeds(long first, int count) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread[] workers = new Thread[Runtime.getRuntime().availableProcessors()];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread(() -> {
                int n;
                while (failure.get() == null && (n = next.getAndIncrement()) < count) {
                    try {
                        seed(first + n);
                    } catch (RuntimeException | Error e) {
                        failure.compareAndSet(null, e);
                    }
                }
            });
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        return failure.get();
    }

    public static void main(String[] args) {
        long first = Long.parseLong(args[0]);
        int count = Integer.parseInt(args[1]);
        long virtualNs = 0;
        int failed = 0;
        long startNs = System.nanoTime();
        for (long s = first; s < first + count; s++) {
            try {
                virtualNs += seed(s);
            } catch (Checker.Violation v) {
                failed++;
                System.out.println("FAIL " + v.getMessage());
                if (count == 1) {
                    v.printStackTrace(System.out);
                }
            }
        }
        System.out.printf(
                "seeds %d failed %d virtual_s %.3f real_s %.1f%n",
                count, failed, virtualNs / 1e9, (System.nanoTime() - startNs) / 1e9);
        if (failed > 0) {
            System.exit(1);
        }
    }
}
