package io.metaroce.provider.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.slots.Control;
import io.metaroce.wire.Mem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class IdlePolicyTest {
    private final long control = Control.allocate();
    private final IdlePolicy policy = new IdlePolicy(control);
    private long now = 1_000_000_000;

    @AfterEach
    void free() {
        Mem.free(control);
    }

    private boolean drainBatches(int n) {
        boolean kick = false;
        for (int i = 0; i < n; i++) {
            kick = policy.applicationDrove(3, now += 1000);
        }
        return kick;
    }

    @Test
    void sixteen_batches_drained_by_the_application_move_a_watching_daemon_to_patrol() {
        Control.daemonState(control, Control.DAEMON_WATCH);
        assertFalse(drainBatches(15));
        assertFalse(policy.patrols(now));
        assertTrue(drainBatches(1), "it is kicked out of its sleep on the link");
        assertTrue(policy.patrols(now));
        assertFalse(drainBatches(1), "once");
    }

    @Test
    void empty_polls_are_no_batches_but_say_that_somebody_drives() {
        Control.daemonState(control, Control.DAEMON_WATCH);
        drainBatches(15);
        for (int i = 0; i < 100; i++) {
            assertFalse(policy.applicationDrove(0, now += 1000));
        }
        assertFalse(policy.patrols(now));
        assertEquals(now, Control.lastDriveNs(control));
        drainBatches(1);
        for (int i = 0; i < 100; i++) {
            policy.applicationDrove(0, now += IdlePolicy.TICK_NS);
            assertTrue(policy.patrols(now));
        }
    }

    @Test
    void an_application_that_stops_driving_moves_the_daemon_back_to_watch() {
        drainBatches(16);
        assertTrue(policy.patrols(now + IdlePolicy.TICK_NS));
        assertFalse(policy.patrols(now + IdlePolicy.TICK_NS + 1));
        assertFalse(policy.patrols(now), "sixteen batches anew");
    }

    @Test
    void an_armed_cq_makes_the_tick_fine() {
        assertEquals(4_000_000, policy.tickNs());
        Control.addArmedCqs(control, 1);
        assertEquals(50_000, policy.tickNs());
        drainBatches(16);
        assertFalse(policy.patrols(now + 50_001));
    }

    /** A program that spins on memory drives by its posts; what it waits for is found by the daemon. */
    @Test
    void a_frame_that_the_daemon_finds_begins_the_count_anew() {
        for (int i = 0; i < 100; i++) {
            drainBatches(15);
            policy.daemonDrove(1);
            assertFalse(policy.patrols(now));
        }
        drainBatches(15);
        policy.daemonDrove(0);
        drainBatches(1);
        assertTrue(policy.patrols(now), "an empty cycle of the daemon does not count");
    }

    /** In a real-time class a yield never comes back late: a daemon that polled on would starve its own application. */
    @Test
    void a_real_time_daemon_never_polls_on() {
        policy.realTime(true);
        assertFalse(policy.keepsPolling(now, now, 0));
        policy.realTime(false);
        assertTrue(policy.keepsPolling(now, now, 0));
    }

    @Test
    void a_daemon_of_the_default_class_polls_on_until_a_yield_is_late_or_the_last_frame_is_old() {
        assertTrue(policy.keepsPolling(now, now - 99_999, 20_000));
        assertFalse(policy.keepsPolling(now, now - 100_000, 20_000));
        assertFalse(policy.keepsPolling(now, now - 1, 20_001));
        policy.applicationDrove(0, now);
        assertFalse(policy.keepsPolling(now + 1, now, 0), "an application polls already");
        assertTrue(policy.keepsPolling(now + 100_000, now + 100_000, 0));
    }

    @Test
    void a_watch_ends_at_the_deadline_and_after_a_second_at_the_latest() {
        Control.nextDeadlineNs(control, now + 5);
        assertEquals(now + 5, policy.watchUntilNs(now));
        Control.nextDeadlineNs(control, Long.MAX_VALUE);
        assertEquals(now + 1_000_000_000, policy.watchUntilNs(now));
    }
}
