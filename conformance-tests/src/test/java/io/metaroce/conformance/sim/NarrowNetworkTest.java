package io.metaroce.conformance.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Counter;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A black hole: interfaces with jumbo frames, and between them a network that silently drops what does not fit 1500 bytes. Everything is delivered all the same. */
final class NarrowNetworkTest {
    private static final int SEEDS = 400;

    @Test
    void large_packets_that_vanish_are_cut_anew_and_all_is_delivered() {
        play(Mutation.NARROW_NETWORK);
    }

    @Test
    void also_when_large_packets_have_passed_before() {
        play(Mutation.NARROWING_NETWORK);
    }

    private static void play(Mutation network) {
        int hit = 0;
        long steps = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Profile profile = Profile.random(new SplittableRandom(seed ^ 0x5eed));
            if (profile.mtuBytes() <= 1500 || profile.nextLife() != Profile.NextLife.NONE) {
                continue;
            }
            List<Checker> checkers = List.of(
                    new PlacementChecker(), new CompletionChecker(), new AtomicChecker(), new DeliveryChecker());
            try (SimWorld world = new SimWorld(seed, profile, checkers, network)) {
                world.run();
                hit += world.mutated() > 40 ? 1 : 0;
                for (int i = 0; i < 2; i++) {
                    steps += world.node(i).counters().get(Counter.MTU_STEPS_DOWN);
                }
            }
        }
        assertTrue(hit > 20, "only " + hit + " runs lost large packets");
        assertTrue(steps >= hit, steps + " steps in " + hit + " runs");
    }
}
