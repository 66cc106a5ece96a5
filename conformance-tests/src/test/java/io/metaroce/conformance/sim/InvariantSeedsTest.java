package io.metaroce.conformance.sim;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Invariants I1 to I9 over 20,000 seeds. A failure names its seed; {@code mroce chaos --seed S --trace} plays it again. */
final class InvariantSeedsTest {
    private static final int SEEDS = Integer.getInteger("mroce.sim.seeds", 20_000);

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void hold_over_many_seeds() throws InterruptedException {
        Throwable failure = SimRun.seeds(1, SEEDS);
        if (failure != null) {
            throw new AssertionError(failure.getMessage(), failure);
        }
    }
}
