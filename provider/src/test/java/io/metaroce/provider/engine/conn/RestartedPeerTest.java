package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.conn.TestNet.Flight;
import io.metaroce.provider.engine.conn.VerbsSide.Wc;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.CtlKind;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A process dies and another one with the same address, slot and QPNs follows; what the first one has sent is still under way. */
final class RestartedPeerTest {
    private static final long MS = TestNet.MS;

    private final TestNet net = new TestNet();
    private final VerbsSide a = new VerbsSide(net, 1, 1);
    private final List<Flight> held = new ArrayList<>();

    /** The connection between the first processes is open; the BINDs of the peer's QP are held up on their way. */
    private void firstLife() {
        VerbsSide first = new VerbsSide(net, 2, 1, 0x2001);
        a.node.attach(first.node);
        net.run(5 * MS);
        net.drop = f -> {
            boolean bind = f.from == first.node && f.type() == FrameType.STREAM_CTL && f.bytes[20] == CtlKind.BIND;
            if (bind) {
                held.add(f);
            }
            return bind;
        };
        first.connect(1, net.nowNs);
        net.run(1000);
        assertEquals(1, held.size());
        net.nodes.remove(first.node);
        net.drop = f -> false;
    }

    /** Our QP may take the late offer: it cannot know better. It sends nothing before the answer to its own, which only a living process gives. */
    @Test
    void a_late_bind_of_the_process_before_does_not_fail_the_qp_that_is_meant_for_the_next_one() {
        for (long gapNs = 0; gapNs < 200_000; gapNs += 5_000) {
            RestartedPeerTest other = new RestartedPeerTest();
            other.play(gapNs);
        }
    }

    private void play(long gapNs) {
        firstLife();
        VerbsSide second = new VerbsSide(net, 2, 1, 0x2002);
        a.connect(2, net.nowNs);
        net.run(1000);
        Mem.fill(a.buffer, 5000, 0x5a);
        a.write(1, a.buffer, 5000, second.buffer, net.nowNs);
        Flight late = held.get(0);
        net.inject(late.bytes, late.from, 0, a.node, late.sourcePort);
        net.run(gapNs);
        second.connect(1, net.nowNs);
        assertTrue(net.runUntil(() -> !a.wcs.isEmpty(), 5_000 * MS), "gap " + gapNs);
        assertEquals(List.of(new Wc(1, 0, 1)), a.wcs, () -> "gap " + gapNs + ": " + a.node.log);
        assertTrue(Mem.equal(a.buffer, second.buffer, 5000));
        assertEquals(1, second.node.count(Counter.CONNECTIONS_OPEN));
    }
}
