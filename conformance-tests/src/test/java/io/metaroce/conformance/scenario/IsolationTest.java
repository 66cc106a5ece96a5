package io.metaroce.conformance.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code mroce sim isolation} for 2 ms of virtual time each: a QP hardly notices what its neighbours on the same connection are up to. */
final class IsolationTest {
    /** Eight messages are a turn; two turns of a neighbour (32 KB and a packet each) at 100 Gb/s in front of them, and as much in the queue of the switch. */
    private static final double MOST_US = 2 * 2 * (32_768 + 4_200) * 8 / 100e3;

    @Test
    void neighbours_in_trouble_delay_small_messages_by_their_turn_at_most() {
        Figures figures = new Figures();
        new IsolationScenario(2_000_000, 64 << 20).run(1, figures);
        double alone = figures.mean("alone_p99_us");
        for (String neighbour : List.of("rnr", "slow", "errors", "huge")) {
            double beside = figures.mean(neighbour + "_p99_us");
            assertTrue(beside <= alone + MOST_US, neighbour + ": " + beside + " us, alone " + alone);
        }
        assertEquals(0, figures.mean("rnr_neighbour"));
        assertEquals(20, figures.mean("slow_neighbour"), 1);
        assertTrue(figures.mean("errors_neighbour") > 10, figures::lines);
        assertTrue(figures.mean("huge_neighbour") > 70, figures::lines);
    }
}
