package io.metaroce.conformance.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Seeds through all checkers. */
public final class SimRun {
    private SimRun() {}

    /** One checker per invariant. */
    public static List<Checker> checkers(Profile profile) {
        return List.of(
                new PlacementChecker(),
                new CompletionChecker(),
                new AtomicChecker(),
                new WindowChecker(profile.windowBytes()),
                new RecoveryChecker(profile),
                new ShareChecker(),
                new StaleChecker(),
                new DeliveryChecker(),
                new HintChecker(profile));
    }

    /** One seed of the random mix with all checkers; answers the virtual time it took. */
    public static long seed(long seed) {
        return seed(seed, Profile.RANDOM, null);
    }

    /** One seed of a profile with all checkers, watched by {@code trace} if that is not null; answers the virtual time it took. */
    public static long seed(long seed, String name, @Nullable Trace trace) {
        Profile profile = Profile.named(name, new SplittableRandom(seed ^ 0x5eed));
        List<Checker> all = new ArrayList<>();
        if (trace != null) {
            all.add(trace);
        }
        all.addAll(checkers(profile));
        try (SimWorld world = new SimWorld(seed, profile, all, Mutation.NONE)) {
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
}
