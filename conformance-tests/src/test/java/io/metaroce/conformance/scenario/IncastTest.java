package io.metaroce.conformance.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the receiver's hints are for, in simulated time: each sender has its fair share within three round trips, and keeps it; nobody else is hurt. */
final class IncastTest {
    private static final long SEED = 20_251;

    @ParameterizedTest
    @ValueSource(ints = {8, 16, 32, 64})
    void senders_settle_within_three_round_trips_for_good(int senders) {
        Figures figures = new Figures();
        IncastScenario.incast(SEED, senders, true, "n", figures);
        String all = "seed " + SEED + "\n" + figures.lines();
        assertTrue(figures.mean("n_settled_rtts") <= 3, all);
        assertTrue(figures.mean("n_jain") >= 0.98, all);
        assertTrue(figures.mean("n_utilisation") >= 0.95, all);
        assertTrue(figures.mean("n_victim") >= 0.97, all);
        assertEquals(0, figures.mean("n_drops"), all);
    }
}
