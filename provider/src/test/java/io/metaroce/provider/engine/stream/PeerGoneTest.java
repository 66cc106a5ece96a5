package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.CtlKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The peer process goes away. */
final class PeerGoneTest {
    private static final int QP = 5;

    private final Pair pair = new Pair(1);
    private final Peer a = pair.a;
    private final Peer b = pair.b;
    private final TestMemory.Region from = a.memory.register(Peer.PD, 100, 0);
    private final TestMemory.Region to = b.memory.register(Peer.PD, 100, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);

    private Peer.Wc wc(int status) {
        return new Peer.Wc(QP * 2, QP, 1, status, Verbs.WC_RDMA_WRITE, 100, 0, 0, status != 0);
    }

    /** Our QP is connected while the old process of the peer has just died: its QP is that of the new process. */
    @Test
    void a_qp_whose_bind_was_never_answered_is_bound_to_the_next_process() {
        pair.dropData = f -> true;
        pair.connected(QP, 16, 16);
        a.write(QP, 1, SendSlot.SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        pair.forNs(5_000_000);
        assertEquals(1, a.attached);
        a.streams.onPeerGone(Peer.CONN, Verbs.RETRY_EXC_ERR, "the peer process has restarted", pair.nowNs);
        assertEquals(List.of(), a.completions);
        assertEquals(Verbs.RTS, a.streams.state(QP));
        pair.dropData = f -> false;
        pair.until(() -> !a.completions.isEmpty(), 400_000_000);
        assertEquals(List.of(wc(Verbs.SUCCESS)), a.completions);
        assertEquals(2, a.attached);
    }

    @Test
    void a_bound_qp_fails_with_the_process_it_was_bound_to() {
        pair.connected(QP, 16, 16);
        pair.forNs(5_000_000);
        pair.dropData = f -> true;
        a.write(QP, 1, SendSlot.SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        pair.forNs(1_000_000);
        a.streams.onPeerGone(Peer.CONN, Verbs.RETRY_EXC_ERR, "the peer process has restarted", pair.nowNs);
        assertEquals(List.of(wc(Verbs.RETRY_EXC_ERR)), a.completions);
        assertEquals(Verbs.ERR, a.streams.state(QP));
    }

    /** The peer's offer is here, our own was never acknowledged: it may be an offer of a process that was dead by the time of our RTR. Its generation is the next one's, too. */
    @Test
    void a_qp_that_has_only_heard_the_offer_of_a_dead_process_is_bound_to_the_next_one() {
        pair.dropData = f -> f.ctl() == CtlKind.BIND_ACK;
        pair.connected(QP, 16, 16);
        a.write(QP, 1, SendSlot.SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        pair.forNs(5_000_000);
        assertTrue(a.stream(QP).binds.known() && !a.stream(QP).binds.ready());
        a.streams.onPeerGone(Peer.CONN, Verbs.RETRY_EXC_ERR, "the peer process has restarted", pair.nowNs);
        assertEquals(List.of(), a.completions);
        pair.dropData = f -> false;
        pair.until(() -> !a.completions.isEmpty(), 400_000_000);
        assertEquals(List.of(wc(Verbs.SUCCESS)), a.completions);
    }

    /** A process that has placed data here was alive, and knew our QP: what it has done does not belong to the one that follows. */
    @Test
    void a_qp_into_which_the_dead_process_has_written_is_not_bound_to_the_next_one() {
        TestMemory.Region back = a.memory.register(Peer.PD, 100, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        TestMemory.Region out = b.memory.register(Peer.PD, 100, 0);
        pair.dropData = f -> f.ctl() == CtlKind.BIND_ACK && (f.bytes[5] & 0xff) == b.qpn(QP) >>> 8; // b's
        pair.connected(QP, 16, 16);
        a.write(QP, 1, SendSlot.SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        out.fill(7);
        b.write(QP, 9, SendSlot.SIGNALED, out, 0, 100, back.addr, back.key, pair.nowNs);
        pair.forNs(5_000_000);
        assertEquals(7, back.bytes(0, 100)[99]);
        assertTrue(a.stream(QP).binds.known() && !a.stream(QP).binds.ready());
        a.streams.onPeerGone(Peer.CONN, Verbs.RETRY_EXC_ERR, "the peer process has restarted", pair.nowNs);
        assertEquals(List.of(wc(Verbs.RETRY_EXC_ERR)), a.completions);
    }

    /** Whoever waits for a process that never comes is told when the retry budget of its work is used up. */
    @Test
    void the_wait_for_the_next_process_ends_with_the_retry_budget() {
        pair.dropData = f -> true;
        pair.connected(QP, 16, 16);
        long postedNs = pair.nowNs;
        a.write(QP, 1, SendSlot.SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        pair.forNs(5_000_000);
        a.streams.onPeerGone(Peer.CONN, Verbs.RETRY_EXC_ERR, "the peer process has restarted", pair.nowNs);
        pair.until(() -> !a.completions.isEmpty());
        assertEquals(List.of(wc(Verbs.RETRY_EXC_ERR)), a.completions);
        // timeout 14, retry_cnt 7: 4 * 4.096 us * 2^14 * 8 = 2147.48 ms
        assertEquals(2147.5, (pair.nowNs - postedNs) / 1e6, 51);
    }
}
