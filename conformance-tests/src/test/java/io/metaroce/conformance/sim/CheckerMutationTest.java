package io.metaroce.conformance.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.link.sim.SimFabric;
import io.metaroce.provider.link.sim.StarTopology;
import io.metaroce.provider.port.Counter;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Each checker, alone, reports the fault that its mutation makes, and is content with the same runs without it. */
final class CheckerMutationTest {
    private static final int SEEDS = 300;

    /** Runs seeds until the checker speaks. The run that it complains of must pass unmutated. */
    private static void reports(Mutation mutation, String invariant, Function<Profile, Checker> checker) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Profile profile = Profile.random(new SplittableRandom(seed ^ 0x5eed));
            try (SimWorld world = new SimWorld(seed, profile, List.of(checker.apply(profile)), mutation)) {
                world.run();
            } catch (Checker.Violation v) {
                assertTrue(String.valueOf(v.getMessage()).contains(invariant + ": "), "seed " + seed + ": " + v);
                try (SimWorld world = new SimWorld(seed, profile, List.of(checker.apply(profile)), Mutation.NONE)) {
                    world.run();
                }
                return;
            }
        }
        throw new AssertionError(invariant + " never reported " + mutation + " in " + SEEDS + " seeds");
    }

    @Test
    void i1_sees_a_byte_that_is_placed_twice() {
        reports(Mutation.PLACE_TWICE, "I1", p -> new PlacementChecker());
    }

    @Test
    void i2_sees_completions_out_of_order() {
        reports(Mutation.SWAP_COMPLETIONS, "I2", p -> new CompletionChecker());
    }

    @Test
    void i2_sees_a_completion_shown_twice() {
        reports(Mutation.DOUBLE_COMPLETION, "I2", p -> new CompletionChecker());
    }

    @Test
    void i3_sees_an_atomic_that_ran_twice() {
        reports(Mutation.ATOMIC_TWICE, "I3", p -> new AtomicChecker());
    }

    @Test
    void i4_sees_a_window_that_is_too_wide() {
        reports(Mutation.WIDE_WINDOW, "I4", p -> new WindowChecker(p.windowBytes()));
    }

    @Test
    void i5_sees_a_resend_that_never_leaves() {
        reports(Mutation.SWALLOW_RESENDS, "I5", RecoveryChecker::new);
    }

    @Test
    void i6_sees_a_qp_that_waits_while_others_are_served() {
        reports(Mutation.STARVE_QP, "I6", p -> new ShareChecker());
    }

    @Test
    void i6_sees_a_qp_that_waits_while_nothing_is_in_flight() {
        reports(Mutation.HIDE_POSTS, "I6", p -> new ShareChecker());
    }

    /** Three QPs wait for room in a window of 20 KB when the only plane dies for 3 s: once its paths have been moved nothing is in flight, and nobody is to blame. */
    @Test
    void i6_does_not_blame_a_qp_for_a_network_that_is_dead() {
        long waited = 0;
        for (long seed = 1; seed <= 20; seed++) {
            Profile calm = Profile.named("calm", new SplittableRandom(seed));
            Profile profile = new Profile(
                    1,
                    1500,
                    1.0,
                    30_000,
                    1 << 20,
                    20_000,
                    calm.loss(),
                    calm.duplicate(),
                    calm.corrupt(),
                    calm.reorder(),
                    calm.mark(),
                    calm.reorderNs(),
                    calm.stall(),
                    3,
                    30,
                    20_000,
                    calm.slowReceiver(),
                    calm.forbidden(),
                    calm.fault(),
                    calm.nextLife());
            try (SimWorld world = new SimWorld(seed, profile, List.of(new ShareChecker()), Mutation.NONE)) {
                SimFabric fabric = world.fabric();
                StarTopology star = (StarTopology) fabric.topology();
                fabric.at(
                        fabric.nowNs() + 1_000_000,
                        () -> star.port(star.nic(0, 0)).down(true));
                fabric.at(
                        fabric.nowNs() + 3_001_000_000L,
                        () -> star.port(star.nic(0, 0)).down(false));
                world.run();
                waited += world.node(1).counters().get(Counter.PATHS_MOVED);
            }
        }
        assertTrue(waited > 100, "paths were moved " + waited + " times");
    }

    @Test
    void i7_sees_an_effect_of_a_stale_frame() {
        reports(Mutation.CALL_IT_STALE, "I7", p -> new StaleChecker());
    }

    @Test
    void i8_sees_work_that_never_ends() {
        reports(Mutation.SWALLOW_SEGMENT, "I8", p -> new DeliveryChecker());
    }

    @Test
    void i9_sees_a_hint_that_gives_more_than_there_is() {
        reports(Mutation.GENEROUS_HINT, "I9", HintChecker::new);
    }
}
