package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Counter;
import org.junit.jupiter.api.Test;

/** Networks between two jumbo interfaces that silently drop what exceeds 1500 bytes: from the start, from some moment on, and not any more (protocol section 14). */
final class BlackHoleTest {
    private static final long MS = TestNet.MS;
    private static final int NARROW = 1472;

    private final TestNet net = new TestNet();
    private final VerbsSide x;
    private final VerbsSide y;
    private int written;

    BlackHoleTest() {
        net.maxPayload = 4200;
        x = new VerbsSide(net, 1, 1);
        y = new VerbsSide(net, 2, 1);
        x.connect(2, net.nowNs);
        y.connect(1, net.nowNs);
        net.run(MS);
    }

    private boolean write(int messages, long withinNs) {
        for (int i = 0; i < messages; i++) {
            x.write(written++, x.buffer, 65_536, y.buffer, net.nowNs);
        }
        return net.runUntil(() -> x.wcs.size() == written, withinNs)
                && x.wcs.stream().allMatch(w -> w.status() == 0);
    }

    private void narrow() {
        net.drop = f -> f.bytes.length > NARROW;
    }

    @Test
    void a_network_that_is_narrow_from_the_start_is_found_out_within_milliseconds() {
        narrow();
        assertTrue(write(8, 20 * MS));
        assertEquals(1, x.node.count(Counter.MTU_STEPS_DOWN));
    }

    @Test
    void a_network_that_becomes_narrow_is_found_out_too() {
        assertTrue(write(8, 20 * MS));
        narrow();
        assertTrue(write(8, 20 * MS), "" + x.wcs.size());
        assertEquals(1, x.node.count(Counter.MTU_STEPS_DOWN));
    }

    @Test
    void one_narrow_route_among_others_leaves_the_connection_its_large_packets() {
        assertTrue(write(8, 20 * MS));
        net.drop = f -> f.bytes.length > NARROW && f.path() == 2;
        for (int i = 0; i < 20; i++) {
            assertTrue(write(8, 20 * MS), "" + x.wcs.size());
        }
        assertEquals(0, x.node.count(Counter.MTU_STEPS_DOWN));
    }

    @Test
    void a_queue_that_is_full_for_a_moment_is_no_narrow_network() {
        assertTrue(write(8, 20 * MS));
        for (int i = 0; i < 20; i++) {
            long fullUntilNs = net.nowNs + 200_000;
            net.drop = f -> f.bytes.length > NARROW && f.sentNs < fullUntilNs;
            assertTrue(write(16, 20 * MS), "" + x.wcs.size());
        }
        assertTrue(x.node.count(Counter.TX_RESENT) > 20 * 16, "more than a black hole needs");
        assertEquals(0, x.node.count(Counter.MTU_STEPS_DOWN));
    }

    @Test
    void a_network_that_is_wide_again_is_used_again_ten_seconds_later() {
        narrow();
        assertTrue(write(8, 20 * MS));
        net.drop = f -> false;
        net.sent.clear();
        net.run(BlackHole.FIRST_RAISE_NS - 100 * MS);
        assertTrue(write(8, 20 * MS));
        assertEquals(0, widePackets(), "not yet");
        net.run(200 * MS);
        assertTrue(write(1, 20 * MS), "its first ACK begins the trial");
        assertTrue(write(8, 20 * MS));
        assertTrue(widePackets() > 40, "" + widePackets());
        assertEquals(1, x.node.count(Counter.MTU_STEPS_UP));
        assertEquals(1, x.node.count(Counter.MTU_STEPS_DOWN));
    }

    @Test
    void a_network_that_stays_narrow_is_tried_ever_more_rarely_and_costs_milliseconds_each_time() {
        narrow();
        assertTrue(write(8, 20 * MS));
        long[] trials = {10, 20, 40, 80};
        for (int i = 0; i < trials.length; i++) {
            net.run(trials[i] * 1_000 * MS - 100 * MS);
            assertTrue(write(8, 20 * MS));
            assertEquals(i, x.node.count(Counter.MTU_STEPS_UP));
            net.run(200 * MS);
            assertTrue(write(1, 20 * MS));
            assertTrue(write(8, 20 * MS), "trial " + i);
            assertEquals(i + 1, x.node.count(Counter.MTU_STEPS_UP));
            assertEquals(i + 2, x.node.count(Counter.MTU_STEPS_DOWN));
        }
    }

    @Test
    void a_trial_ends_after_few_losses_also_when_one_packet_at_a_time_is_under_way() {
        narrow();
        assertTrue(write(8, 20 * MS));
        net.run(BlackHole.FIRST_RAISE_NS);
        net.sent.clear();
        x.write(written++, x.buffer, 64, y.buffer, net.nowNs);
        for (int i = 0; i < 4; i++) {
            x.write(written++, x.buffer, 4000, y.buffer, net.nowNs);
            assertTrue(net.runUntil(() -> x.wcs.size() == written, 20 * MS), "message " + i);
        }
        assertTrue(widePackets() <= 6, widePackets() + " were sent to be lost");
        assertEquals(2, x.node.count(Counter.MTU_STEPS_DOWN));
    }

    private long widePackets() {
        return net.sent.stream().filter(f -> f.bytes.length > NARROW).count();
    }
}
