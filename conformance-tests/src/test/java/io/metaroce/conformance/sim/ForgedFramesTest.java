package io.metaroce.conformance.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Frames that nobody who holds the key has sent, against a live connection. {@code mroce chaos --forged N --seed S} plays such a run again. */
final class ForgedFramesTest {
    private static final int MILLION = 1_000_000;

    @Test
    void of_a_million_forged_frames_none_is_accepted_and_the_traffic_is_unhurt() {
        ForgedRun run = ForgedRun.play(1, MILLION, false); // throws when a message is lost, late for ever or wrong
        assertEquals(0, run.forger().accepted(), () -> run.forger().firstAccepted());
        assertEquals(MILLION, run.forger().total());
        for (Forger.Kind kind : Forger.Kind.values()) {
            assertTrue(run.forger().sent(kind) > 50_000, () -> kind + ": " + run);
        }
        assertEquals(32_000, run.messages());
    }

    @Test
    void the_judge_sees_a_frame_that_was_accepted() {
        ForgedRun run = ForgedRun.play(1, 10_000, true);
        assertTrue(run.forger().accepted() > 10, run::toString);
    }
}
