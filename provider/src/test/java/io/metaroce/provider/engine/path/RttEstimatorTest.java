package io.metaroce.provider.engine.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class RttEstimatorTest {
    private final RttEstimator rtt = new RttEstimator();

    @Test
    void first_sample_and_gains_are_those_of_rfc_6298() {
        rtt.sample(800_000, 0);
        assertEquals(800_000, rtt.srttNs());
        assertEquals(400_000, rtt.rttvarNs());
        rtt.sample(1_200_000, 0);
        assertEquals(850_000, rtt.srttNs()); // 7/8 * 800 + 1/8 * 1200
        assertEquals(400_000, rtt.rttvarNs()); // 3/4 * 400 + 1/4 * |800 - 1200|
        assertEquals(1_275_000 + 1_600_000 + 25_000, rtt.ptoNs(25_000, 200_000));
        assertEquals(9_000_000, rtt.ptoNs(25_000, 9_000_000));
    }

    @Test
    void acknowledgement_delay_is_taken_off_unless_less_than_the_minimum_would_remain() {
        rtt.sample(100_000, 0);
        rtt.sample(180_000, 80_000);
        assertEquals(100_000, rtt.srttNs());
        rtt.sample(100_000, 80_000);
        assertEquals(100_000, rtt.srttNs());
        assertEquals(100_000, rtt.minNs());
    }

    @Test
    void a_guess_holds_until_there_is_a_sample() {
        assertEquals(RttEstimator.INITIAL_RTT_NS, rtt.srttNs());
        rtt.guess(70_000);
        assertEquals(70_000, rtt.srttNs());
        rtt.sample(50_000, 0);
        rtt.guess(70_000);
        assertEquals(50_000, rtt.srttNs());
    }

    @Test
    void one_second_of_silence_counts_as_four_round_trips() {
        rtt.sample(100_000, 0);
        rtt.sample(1_000_000_000, 0);
        assertEquals(100_000 + 300_000 / 8, rtt.srttNs());
        for (int i = 0; i < 40; i++) {
            rtt.sample(50_000_000, 0);
        }
        assertTrue(rtt.srttNs() > 40_000_000, "but what stays is believed: " + rtt.srttNs());
    }
}
