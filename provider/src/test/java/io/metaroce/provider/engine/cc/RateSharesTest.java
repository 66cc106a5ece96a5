package io.metaroce.provider.engine.cc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.wire.RateHint;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shares of a 100 Gb/s plane, of which 95 are given away; packets of 4000 bytes (4066 on the wire), RTT 20 us. A hint is rounded down by less than 1/2048. */
final class RateSharesTest {
    private static final double GBPS = 1e9;
    private static final int MSS = 4000;
    private static final long RTT = 20_000;

    private final RateShares shares = new RateShares(2);
    private boolean marked;

    @BeforeEach
    void setUp() {
        shares.link(0, 100_000_000_000L);
    }

    private void packet(int sender, long nowNs) {
        shares.onPacket(0, sender, MSS, false, marked, RTT, MSS, nowNs);
    }

    private double hint(int sender) {
        return RateHint.decode(shares.hint(0, sender));
    }

    private static void assertHint(double expectedBps, double bps) {
        assertTrue(bps <= expectedBps && bps > expectedBps * (1 - 1.0 / 2047), expectedBps / 1e9 + ": " + bps / 1e9);
    }

    /** Senders at steady rates, packet by packet. */
    private long drive(long fromNs, long durationNs, double... gbps) {
        double[] next = new double[gbps.length];
        for (long now = fromNs; now < fromNs + durationNs; now += 100) {
            for (int i = 0; i < gbps.length; i++) {
                while (gbps[i] > 0 && next[i] <= now - fromNs) {
                    packet(i, now);
                    next[i] += (MSS + 66) * 8 / gbps[i];
                }
            }
        }
        return fromNs + durationNs;
    }

    @Test
    void a_lone_sender_gets_all_that_is_given_away_from_its_first_packet() {
        assertHint(95 * GBPS, hint(7));
        packet(7, 0);
        assertHint(95 * GBPS, hint(7));
        assertEquals(1, shares.senders(0));
    }

    @Test
    void a_new_sender_lowers_the_share_of_all_at_once() {
        packet(0, 0);
        packet(1, 10);
        assertHint(47.5 * GBPS, hint(0));
        assertHint(47.5 * GBPS, hint(1));
        packet(2, 20);
        assertHint(95 * GBPS / 3, hint(0));
    }

    @Test
    void in_a_storm_of_new_senders_half_as_many_again_are_expected_until_it_is_over() {
        for (int i = 0; i < 8; i++) {
            packet(i, i * 325L);
        }
        assertHint(95 * GBPS / 12, hint(3));
        // 16 packets of 4000 bytes at 95 Gb/s are 5390 ns
        packet(0, 7 * 325 + 5_000);
        assertHint(95 * GBPS / 12, hint(3));
        packet(0, 7 * 325 + 5_500);
        assertHint(95 * GBPS / 8, hint(3));
    }

    /** What an ACK told is told anew when there are half as many senders again, and when the storm is over. */
    @Test
    void in_a_storm_who_was_told_something_else_is_told_its_share_at_once() {
        for (int i = 0; i < 5; i++) {
            packet(i, i * 325L);
            hint(i); // in the ACK of its packet: 95, 47.5, 31.7, 23.8 and, with two more expected, 13.6 Gb/s
            assertToldAnew(0);
        }
        packet(5, 5 * 325); // 6 of 4; 95/9 = 10.6 Gb/s
        assertToldAnew(5); // the sixth is told by the ACK of its own packet
        hint(5);
        packet(0, 5 * 325 + 5_500); // over: 95/6
        assertToldAnew(6);
        assertHint(95 * GBPS / 6, hint(0));
    }

    /** Senders 0, 1, 2 ... are told, each once. */
    private void assertToldAnew(int senders) {
        for (int i = 0; i < senders; i++) {
            assertEquals(i, shares.nextToTell(0));
            hint(i);
        }
        assertEquals(-1, shares.nextToTell(0));
    }

    /** [V] What two senders or more fill a link with, the hints take care of; a lone sender's marks come from elsewhere, as do those of a link that is not full. */
    @Test
    void marks_are_the_links_own_while_two_senders_fill_it() {
        long now = drive(0, 50_000, 47.5, 47.5);
        assertTrue(shares.full(0));
        now = drive(now, 50_000, 45, 45); // 90 of 100
        assertFalse(shares.full(0));
        now = drive(now, 50_000, 95, 5);
        assertTrue(shares.full(0));
        drive(now, 300_000, 100);
        assertFalse(shares.full(0));
    }

    @Test
    void two_percent_less_is_given_away_while_most_packets_of_a_full_link_are_marked() {
        marked = true;
        long now = drive(0, 200_000, 47.5, 47.5);
        assertEquals(93, shares.capacityBps(0) / GBPS, 0.001);
        assertHint(46.5 * GBPS, hint(0));
        now = drive(now, 200_000, 40, 40); // not full: the marks are not its own
        assertEquals(95, shares.capacityBps(0) / GBPS, 0.001);
        now = drive(now, 200_000, 47.5, 47.5);
        assertEquals(93, shares.capacityBps(0) / GBPS, 0.001);
        marked = false;
        drive(now, 200_000, 47.5, 47.5);
        assertEquals(95, shares.capacityBps(0) / GBPS, 0.001);
    }

    /** A sender whose queue runs empty after every message comes and goes within the packet times of a storm. */
    @Test
    void one_sender_that_comes_and_goes_is_no_storm() {
        for (int i = 0; i < 100; i++) {
            packet(0, i * 1_000L);
            assertHint(95 * GBPS, hint(0));
            shares.onPacket(0, 0, MSS, true, false, RTT, MSS, i * 1_000L + 325);
            assertHint(95 * GBPS, hint(0));
        }
    }

    @Test
    void who_takes_less_than_its_share_leaves_the_rest_to_the_others() {
        // sender 1 at 20 Gb/s demands 30: 65 are left for sender 0
        drive(0, 500_000, 65, 20);
        assertEquals(65, hint(0) / GBPS, 0.7);
        assertEquals(30, hint(1) / GBPS, 0.7);
        // when it wants more it has more within a few RTTs
        drive(500_000, 200_000, 65, 30);
        assertEquals(47.5, hint(1) / GBPS, 0.1);
    }

    @Test
    void a_demand_counts_as_a_quarter_of_an_equal_share_at_least() {
        drive(0, 500_000, 90, 1);
        // 0.25 x 47.5
        assertEquals(11.875, hint(1) / GBPS, 0.02);
        assertEquals(83.125, hint(0) / GBPS, 0.05);
    }

    @Test
    void what_nobody_demands_is_divided_evenly() {
        drive(0, 500_000, 20, 20);
        // 30 each, and half of the 35 that are left
        assertEquals(47.5, hint(0) / GBPS, 0.7);
        assertEquals(47.5, hint(1) / GBPS, 0.7);
    }

    @Test
    void a_sender_leaves_with_the_packet_after_which_nothing_follows() {
        packet(0, 0);
        packet(1, 10);
        shares.onPacket(0, 1, 24, true, false, RTT, MSS, 20);
        assertEquals(1, shares.senders(0));
        assertHint(47.5 * GBPS, hint(1)); // what it could have
        drive(30, 60_000, 40);
        assertHint(95 * GBPS, hint(0));
        // a marker alone makes nobody active
        shares.onPacket(0, 1, 24, true, false, RTT, MSS, 100_000);
        assertEquals(1, shares.senders(0));
    }

    @Test
    void a_sender_leaves_when_it_is_silent_for_four_RTTs() {
        packet(1, 0);
        drive(0, 80_000, 40);
        assertEquals(2, shares.senders(0));
        drive(80_000, 101_000, 40);
        assertEquals(1, shares.senders(0));
    }

    /** [V] At 1,000 to 1 four RTTs are over before the next packet of a share may come: silence counts from four packets at the share. */
    @Test
    void a_sender_with_a_small_share_is_not_silent_between_its_packets() {
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 1000; i++) {
                packet(i, round * 350_000L + i * 340L);
            }
        }
        assertEquals(1000, shares.senders(0));
        assertEquals(0.095, hint(5) / GBPS, 0.001);
    }

    @Test
    void a_connection_that_ends_leaves() {
        packet(0, 0);
        packet(1, 10);
        shares.remove(0);
        shares.remove(0);
        assertEquals(1, shares.senders(0));
        shares.remove(500);
    }

    @Test
    void a_host_that_falls_behind_takes_less_and_comes_back() {
        for (int i = 0; i < 16; i++) {
            shares.onBatch(true);
        }
        packet(0, 0);
        assertEquals(0.875 * 95, shares.capacityBps(0) / GBPS, 0.001);
        packet(0, 50_000);
        assertEquals(0.875 * 0.875 * 95, shares.capacityBps(0) / GBPS, 0.001);
        shares.onBatch(false);
        packet(0, 100_000);
        assertEquals((0.765625 + 1.0 / 32) * 95, shares.capacityBps(0) / GBPS, 0.001);
        drive(100_000, 2_000_000, 10);
        assertEquals(95, shares.capacityBps(0) / GBPS, 0.001);
    }

    @Test
    void on_a_link_of_unknown_speed_nobody_is_limited_before_the_host_falls_behind() {
        shares.onPacket(1, 3, MSS, false, false, RTT, MSS, 0);
        assertEquals(0, shares.hint(1, 3));
        assertEquals(0, shares.capacityBps(1));
        for (int i = 0; i < 64; i++) {
            shares.onBatch(true);
        }
        // two senders, 2033 bytes of wire a microsecond in all: 16.264 Gb/s
        for (int i = 1; i <= 3_000; i++) {
            shares.onPacket(1, i & 1, MSS, false, false, RTT, MSS, i * 2_000L);
        }
        assertEquals(0.95 * 16.264, shares.capacityBps(1) / GBPS, 0.05);
        assertEquals(0.95 * 8.132, RateHint.decode(shares.hint(1, 0)) / GBPS, 0.05);
        shares.onBatch(false);
        for (int i = 3_000; i <= 60_000; i++) {
            shares.onPacket(1, i & 1, MSS, false, false, RTT, MSS, i * 2_000L);
        }
        assertEquals(0, shares.hint(1, 0));
    }

    @Test
    void I9_shares_never_add_up_to_more_than_is_given_away() {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            RateShares some = new RateShares(1);
            some.link(0, 1_000_000_000L * (1 + random.nextInt(100)));
            int senders = 1 + random.nextInt(40);
            long now = 0;
            for (int i = 0; i < 20_000; i++) {
                now += random.nextInt(random.nextInt(100) == 0 ? 200_000 : 1_000);
                int sender = (int) (senders * random.nextDouble() * random.nextDouble());
                some.onBatch(random.nextInt(20) != 0);
                some.onPacket(
                        0,
                        sender,
                        random.nextInt(MSS),
                        random.nextInt(50) == 0,
                        random.nextBoolean(),
                        1 + random.nextInt(50_000),
                        MSS,
                        now);
                if (random.nextInt(500) == 0) {
                    some.remove(random.nextInt(senders));
                }
                assertTrue(some.sumOfHintsBps(0) <= some.capacityBps(0), "seed " + seed + ", packet " + i);
            }
        }
    }
}
