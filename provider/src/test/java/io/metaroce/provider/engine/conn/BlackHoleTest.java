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
}
