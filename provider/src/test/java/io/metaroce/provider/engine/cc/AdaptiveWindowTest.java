package io.metaroce.provider.engine.cc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.Plane;
import io.metaroce.wire.RateHint;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Windows, alpha, hints and pace (protocol section 13). Values by hand: packets of 4000 bytes, RTT 20 us, 4 paths of one plane, first window 16384. */
final class AdaptiveWindowTest {
    private static final int MSS = 4000;
    private static final long RTT = 20_000;

    /** 8 Gb/s are one byte a nanosecond, and a multiple of the hint's unit. */
    private static final int GBPS8 = RateHint.encode(8_000_000_000L);

    private final Path[] paths = new Path[4];
    private AdaptiveWindow control;
    private int ackSeq;

    @BeforeEach
    void setUp() {
        control = make(1 << 26);
    }

    private AdaptiveWindow make(long most) {
        for (int i = 0; i < paths.length; i++) {
            paths[i] = new Path(i, new Plane(i, 0, 0, 1L << i), 0, 0, 0);
            paths[i].rtt().sample(RTT, 0);
        }
        return new AdaptiveWindow(paths, MSS, most);
    }

    private void ack(int path, int packets, int ce, int hint, long nowNs) {
        control.onAck(paths[path], packets, packets * MSS, 0, 0, ce, hint, ++ackSeq, nowNs);
    }

    private void loss(int path, int packets, int lost, int events, int ce, long nowNs) {
        control.onAck(paths[path], packets, packets * MSS, lost, events, ce, 0, ++ackSeq, nowNs);
    }

    private static void near(double expected, long value, long within) {
        assertTrue(Math.abs(expected - (double) value) <= (double) within, expected + ": " + value);
    }

    @Test
    void a_new_connection_has_16_KB_shared_by_its_paths() {
        assertEquals(16_384, control.connectionWindowBytes(0));
        assertEquals(4_096, control.pathWindowBytes(paths[3]));
        assertEquals(8_192, make(8_192).connectionWindowBytes(0));
    }

    @Test
    void without_a_hint_a_window_grows_by_what_is_acknowledged_until_the_first_mark_which_halves_it() {
        ack(0, 1, 0, 0, RTT);
        assertEquals(8_096, control.pathWindowBytes(paths[0]));
        assertEquals(20_384, control.connectionWindowBytes(RTT));
        ack(0, 1, 1, 0, 2 * RTT);
        assertEquals(4_048, control.pathWindowBytes(paths[0]));
        // once an RTT
        ack(0, 1, 1, 0, 2 * RTT + 100);
        assertEquals(4_048, control.pathWindowBytes(paths[0]));
        // only the path that saw it
        assertEquals(4_096, control.pathWindowBytes(paths[1]));
    }

    @Test
    void without_a_hint_a_connection_stops_at_1_MiB_and_at_what_was_configured() {
        for (int i = 0; i < 1000; i++) {
            ack(i & 3, 8, 0, 0, RTT + i);
        }
        near(1 << 20, control.connectionWindowBytes(RTT), 4);
        control = make(100_000);
        for (int i = 0; i < 1000; i++) {
            ack(i & 3, 8, 0, 0, RTT + i);
        }
        near(100_000, control.connectionWindowBytes(RTT), 4);
    }

    @Test
    void alpha_moves_an_eighth_of_the_way_to_the_share_of_marked_packets_once_an_RTT() {
        ack(0, 1, 0, GBPS8, RTT); // ends the first round
        assertEquals(0, control.alpha(paths[0]));
        ack(0, 5, 0, GBPS8, RTT + 1);
        ack(0, 4, 2, GBPS8, RTT + 2);
        assertEquals(0, control.alpha(paths[0]));
        ack(0, 1, 3, GBPS8, 2 * RTT); // 5 of 10
        assertEquals(0.5 / 8, control.alpha(paths[0]), 1e-12);
        ack(0, 10, 10, GBPS8, 3 * RTT); // all of 10
        assertEquals(0.0625 + 0.9375 / 8, control.alpha(paths[0]), 1e-12);
        ack(0, 10, 0, GBPS8, 4 * RTT);
        assertEquals(0.1796875 * 7 / 8, control.alpha(paths[0]), 1e-12);
    }

    @Test
    void a_mark_takes_half_of_alpha_off_the_window_of_its_path() {
        ack(0, 1, 1, GBPS8, RTT); // alpha was 0: nothing to take off; then 1/8
        long before = control.pathWindowBytes(paths[0]);
        assertEquals(4_096, before);
        ack(0, 1, 1, GBPS8, 2 * RTT);
        assertEquals(3_840, control.pathWindowBytes(paths[0])); // 4096 (1 - 0.125/2)
    }

    @Test
    void a_hint_makes_the_windows_grow_to_a_tenth_more_than_hint_times_RTT_quickly_and_a_quarter_more_at_most() {
        int last = 0;
        for (int rtt = 1; rtt <= 20; rtt++) {
            for (int p = 0; p < 4; p++) {
                int packets = (int) Math.max(1, control.pathWindowBytes(paths[p]) / MSS);
                ack(p, packets, 0, GBPS8, rtt * RTT + p);
                last = rtt;
            }
            long window = control.connectionWindowBytes(rtt * RTT) - MSS;
            // 16384 of 22000: after one RTT at least half of what is missing has been made up
            assertTrue(window >= 19_192, "RTT " + rtt + ": " + window);
            assertTrue(window <= 25_000, "RTT " + rtt + ": " + window);
        }
        near(25_000, control.connectionWindowBytes(last * RTT) - MSS, 3_000);
    }

    @Test
    void a_lower_hint_holds_from_the_ACK_that_brings_it_and_the_older_of_two_not_at_all() {
        ack(0, 1, 0, GBPS8, RTT);
        assertEquals(8.4e9, control.paceBps(paths[0]), 1e6);
        int lower = RateHint.encode(800_000_000L);
        control.onAck(paths[1], 1, MSS, 0, 0, 0, lower, 100, RTT + 5);
        assertEquals(0.84e9, control.paceBps(paths[0]), 1e5);
        // 1.25 x 0.1 B/ns x 20 us, and a packet
        near(2_500 + MSS, control.connectionWindowBytes(RTT + 5), 3);
        control.onAck(paths[2], 1, MSS, 0, 0, 0, GBPS8, 99, RTT + 6);
        assertEquals(0.84e9, control.paceBps(paths[0]), 1e5);
    }

    @Test
    void a_hint_lives_for_four_RTTs_and_then_halves_with_each_of_them_down_to_an_initial_window() {
        int gbps80 = RateHint.encode(80_000_000_000L); // 10 B/ns: 200 KB an RTT
        for (int i = 0; i < 400; i++) {
            ack(i & 3, 16, 0, gbps80, RTT + i);
        }
        long heardNs = RTT + 399;
        near(250_000 + MSS, control.connectionWindowBytes(heardNs + 4 * RTT), 100);
        near(125_000 + MSS, control.connectionWindowBytes(heardNs + 4 * RTT + 2 * RTT), 100);
        near(62_500 + MSS, control.connectionWindowBytes(heardNs + 8 * RTT + RTT), 100);
        near(20_480 + MSS, control.connectionWindowBytes(heardNs + 400 * RTT), 100); // 1.25 x 16384
    }

    /** [V] At a small share four RTTs are over before the next packet may go: the hint must outlive that, or the sender doubts its share at every packet. */
    @Test
    void a_small_hint_lives_for_four_packets() {
        int mbps80 = RateHint.encode(80_000_000L); // 0.01 B/ns: a packet every 400 us; four are 1.6 ms, four RTTs 80 us
        ack(0, 1, 0, mbps80, RTT);
        long window = control.connectionWindowBytes(RTT);
        double pace = control.paceBps(paths[0]);
        assertEquals(84e6, pace, 1e5);
        assertEquals(window, control.connectionWindowBytes(RTT + 1_500_000));
        assertEquals(pace, control.paceBps(paths[0]));
    }

    /** A hint below an initial window's rate does not rise when it lapses. */
    @Test
    void a_small_hint_that_lapses_stays() {
        int mbps80 = RateHint.encode(80_000_000L);
        ack(0, 1, 0, mbps80, RTT);
        long window = control.connectionWindowBytes(RTT);
        assertEquals(window, control.connectionWindowBytes(RTT + 1_000_000_000L));
        assertEquals(84e6, control.paceBps(paths[0]), 1e5);
    }

    @Test
    void packets_go_at_five_percent_more_than_the_hint_and_a_late_sender_catches_up_8_us() {
        ack(0, 1, 0, GBPS8, RTT);
        long now = 2 * RTT;
        assertFalse(control.waits(paths[0], now));
        // 4066 bytes of wire at 1.05 B/ns are 3872 ns
        control.onSent(paths[0], MSS, now);
        control.onSent(paths[1], MSS, now);
        assertFalse(control.waits(paths[2], now));
        control.onSent(paths[2], MSS, now);
        assertTrue(control.waits(paths[0], now)); // 3 x 3872 - 8000 ahead
        assertEquals(15, control.waitingMask(now));
        near((double) now + 3_616 + 2_000, control.paceDueNs(now), 3);
        assertFalse(control.waits(paths[0], now + 3_617));
        assertEquals(Long.MAX_VALUE, control.paceDueNs(now + 3_617));
    }

    /** [V] A path that is used once in ten RTTs has a window for an RTT of long ago: in a queue that tripled the RTT, windows of such paths held a sender at half its share. */
    @Test
    void the_window_of_a_connection_with_a_hint_is_its_rate_times_the_RTT_of_now() {
        for (int i = 0; i < 400; i++) {
            ack(i & 3, 1, 0, GBPS8, RTT + i);
        }
        near(1.25 * RTT + MSS, control.connectionWindowBytes(RTT + 400), 2);
        for (int i = 0; i < 100; i++) {
            paths[0].rtt().sample(3 * RTT, 0);
        }
        for (int i = 0; i < 40; i++) {
            ack(0, 1, 0, GBPS8, 2 * RTT + i);
        }
        // the other three still say 20 us
        near(1.25 * 3 * RTT + MSS, control.connectionWindowBytes(2 * RTT + 40), 50);
        assertEquals(8.4e9, control.paceBps(paths[0]), 1e6);
    }

    @Test
    void a_resend_may_be_50_us_ahead_of_the_pace_not_more() {
        ack(0, 1, 0, GBPS8, RTT);
        long now = 2 * RTT;
        int sent = 0;
        while (!control.resendWaits(paths[0], now)) {
            control.onSent(paths[0], MSS, now);
            sent++;
        }
        assertEquals(15, sent); // 15 x 3872 - 8000 = 50080
    }

    @Test
    void without_a_hint_only_a_window_of_less_than_two_packets_is_paced() {
        ack(0, 1, 0, 0, RTT);
        assertEquals(0, control.paceBps(paths[0]));
        for (int i = 1; i < 40; i++) {
            for (int p = 0; p < 4; p++) {
                ack(p, 1, 1, 0, RTT + i * RTT);
            }
        }
        assertTrue(control.paceBps(paths[0]) > 0);
        assertTrue(control.paceBps(paths[0]) < 2 * MSS * 8e9 / RTT);
    }

    /** [V] One frame that a link cuts into 16 packets, lost as a whole, while the RTT grows tenfold: no sign of congestion. */
    @Test
    void a_lost_super_frame_is_one_event_and_a_longer_RTT_does_not_make_it_congestion() {
        for (int i = 0; i < 100; i++) {
            paths[0].rtt().sample(10 * RTT, 0);
        }
        long before = control.pathWindowBytes(paths[0]);
        loss(0, 0, 16, 1, 0, 100 * RTT);
        loss(0, 0, 16, 1, 0, 101 * RTT);
        assertEquals(before, control.pathWindowBytes(paths[0]));
    }

    @Test
    void loss_shrinks_a_window_when_a_fifth_is_lost_in_three_places_or_more() {
        loss(0, 0, 1, 1, 0, 10 * RTT); // ends the first round
        long before = control.pathWindowBytes(paths[0]);
        loss(0, 2, 1, 1, 0, 10 * RTT + 1);
        loss(0, 0, 1, 1, 0, 10 * RTT + 2);
        long grown = control.pathWindowBytes(paths[0]);
        assertEquals(before + 2 * MSS, grown); // two events: not yet, and slow start goes on
        loss(0, 0, 1, 1, 0, 10 * RTT + 3); // 3 of 5 in 3 events
        near((grown * 0.7), control.pathWindowBytes(paths[0]), 1);
        loss(0, 0, 1, 1, 0, 10 * RTT + 4); // once an RTT
        near((grown * 0.7), control.pathWindowBytes(paths[0]), 1);
    }

    @Test
    void a_tenth_lost_in_many_places_is_no_congestion() {
        loss(0, 0, 0, 0, 0, 10 * RTT);
        long before = control.pathWindowBytes(paths[0]);
        loss(0, 40, 4, 4, 0, 10 * RTT + 1);
        assertTrue(control.pathWindowBytes(paths[0]) >= before);
    }

    @Test
    void one_loss_within_an_RTT_of_a_mark_shrinks_the_window() {
        loss(0, 1, 0, 0, 1, 10 * RTT);
        assertEquals(2_048, control.pathWindowBytes(paths[0]));
        loss(0, 0, 1, 1, 0, 10 * RTT + RTT / 2);
        assertEquals(1_433, control.pathWindowBytes(paths[0])); // 0.7 x 2048
    }

    @Test
    void a_suspect_path_is_not_part_of_the_window_and_comes_back_as_it_was() {
        control.onSuspect(paths[1], true);
        control.onSuspect(paths[1], true);
        assertEquals(12_288, control.connectionWindowBytes(RTT));
        control.onSuspect(paths[1], false);
        assertEquals(16_384, control.connectionWindowBytes(RTT));
    }

    @Test
    void marks_and_losses_make_a_path_dearer() {
        assertEquals(0, control.penaltyNs(paths[0]));
        loss(0, 1, 0, 0, 0, RTT);
        loss(0, 8, 2, 1, 4, 2 * RTT + 1); // of 8 acknowledged 4 marked, of 10 sent 2 lost
        // alpha: 1 at the first mark, then 1 + (0.5 - 1)/8 = 0.9375; loss 0.2/8 = 0.025
        near((2 * 0.9375 * RTT + 0.025 * RTT), control.penaltyNs(paths[0]), 2);
    }
}
