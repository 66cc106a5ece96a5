package io.metaroce.provider.run;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class DeferralTest {
    private final Deferral deferral = new Deferral();

    @Test
    void a_few_cycles_in_a_row_leave_their_transmission_to_the_next() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 3; i++) {
                deferral.cycleBegins(i * 1_000L);
                assertTrue(deferral.defers(i * 1_000L));
            }
            deferral.cycleBegins(3_000);
            assertFalse(deferral.defers(3_000));
            deferral.transmits();
        }
    }

    @Test
    void an_application_that_comes_back_late_is_not_waited_for_again_for_a_while() {
        deferral.cycleBegins(0);
        assertTrue(deferral.defers(0));
        deferral.cycleBegins(5_001);
        deferral.transmits();
        for (int i = 0; i < 64; i++) {
            assertFalse(deferral.defers(6_000));
        }
        assertTrue(deferral.defers(6_000));
        deferral.cycleBegins(11_000);
        deferral.transmits();
        assertTrue(deferral.defers(11_000));
    }
}
