package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.BlockKind;
import io.metaroce.wire.Space;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A message that finds no receive (protocol section 12, RNR): parked, resumed at once, given up after rnr_retry expiries. */
final class ReceivesTest {
    private static final int QP = 5;
    private static final int SIGNALED = SendSlot.SIGNALED;

    private final Pair pair = new Pair(5);
    private final Peer a = pair.a;
    private final Peer b = pair.b;
    private final TestMemory.Region from = a.memory.register(Peer.PD, 50_000, Verbs.LOCAL_WRITE);
    private final TestMemory.Region to = b.memory.register(Peer.PD, 50_000, 15);

    private void connect(int rnrRetry, int minRnrTimer) {
        QpAttributes attributes = Peer.attributes(0);
        attributes.rnrRetry = rnrRetry;
        attributes.minRnrTimer = minRnrTimer;
        pair.connected(QP, 64, 64, attributes);
        pair.settle();
        from.fill(7);
    }

    private void send(long wrId, int length) {
        a.send(QP, wrId, SIGNALED, from, 0, length, pair.nowNs);
    }

    private void recv(long wrId) {
        b.recv(QP, wrId, pair.nowNs, to.addr, 50_000, to.key);
    }

    @Test
    void a_send_waits_and_goes_on_at_once_when_a_receive_is_posted() {
        connect(7, 0); // min_rnr_timer 655 ms: it is not what resumes
        send(1, 20_000);
        pair.forNs(50_000_000);
        assertEquals(List.of(), a.completions);
        assertEquals(1, Ring.waiting(b.rq(QP)));
        int sent = a.dataSent;
        assertEquals(1, sent, "only the first packet goes beyond the limit");
        recv(9);
        long postedNs = pair.nowNs;
        pair.until(() -> a.completions.size() == 1);
        assertEquals(0, Ring.waiting(b.rq(QP)));
        // Block, data, block: three times the wire's 10 us.
        assertTrue(pair.nowNs - postedNs <= 60_000, "took " + (pair.nowNs - postedNs));
        assertArrayEquals(from.bytes(0, 20_000), to.bytes(0, 20_000));
        assertEquals(20_000, b.recvs(QP).get(0).byteLen());
    }

    @Test
    void what_takes_no_receive_goes_past_a_parked_send() {
        connect(7, 12);
        send(1, 20_000);
        a.write(QP, 2, SIGNALED, from, 0, 100, to.addr + 30_000, to.key, pair.nowNs);
        send(3, 100);
        pair.forNs(3_000_000);
        assertEquals(7, to.bytes(30_000, 1)[0]); // its body has landed
        assertEquals(List.of(), a.completions);
        recv(1);
        recv(3);
        pair.until(() -> a.completions.size() == 3);
        assertEquals(
                List.of(1L, 2L, 3L), a.completions.stream().map(Peer.Wc::wrId).toList());
    }

    /** The RNR block is lost or late; the news of the new receive comes first. */
    @Test
    void an_rnr_block_that_the_resume_has_overtaken_does_no_harm() {
        connect(7, 0);
        Peer.Ack[] late = new Peer.Ack[1];
        pair.dropAck = k -> {
            boolean rnr = k.hasBlock(Space.REQUEST, BlockKind.RNR) && late[0] == null;
            if (rnr) {
                late[0] = k;
            }
            return rnr;
        };
        send(1, 100);
        pair.forNs(30_000); // refused; the block is held
        assertTrue(late[0] != null, "no RNR block");
        recv(9);
        pair.forNs(12_000); // the resume has come
        a.onAck(late[0], pair.nowNs);
        pair.until(() -> a.completions.size() == 1, 300_000);
        assertEquals(0, a.count(Counter.TX_QUERIES));
        assertEquals(List.of(9L), b.recvs(QP).stream().map(Peer.Wc::wrId).toList());
    }

    /** The same, and the resume does not acknowledge the packet: it was another path's. */
    @Test
    void a_resume_that_comes_before_the_path_has_acknowledged_is_remembered() {
        connect(7, 0);
        Peer.Ack[] late = new Peer.Ack[1];
        pair.dropAck = k -> {
            if (k.hasBlock(Space.REQUEST, BlockKind.RNR)) {
                late[0] = late[0] == null ? k : late[0];
                return true;
            }
            if (k.hasBlock(Space.REQUEST, BlockKind.ACK)) {
                k.ids = new long[0];
            }
            return false;
        };
        send(1, 100);
        pair.forNs(30_000);
        recv(9);
        pair.forNs(12_000);
        assertEquals(1, a.inFlight());
        a.onAck(late[0], pair.nowNs);
        assertEquals(0, a.inFlight());
        pair.dropAck = k -> false;
        pair.until(() -> a.completions.size() == 1, 300_000);
        assertEquals(0, a.count(Counter.TX_QUERIES));
    }

    /** The packet is acknowledged by a later ACK than the one that brings the resume, late, on another path. */
    @Test
    void a_resume_older_than_the_paths_acknowledgement_counts() {
        connect(7, 0);
        Peer.Ack[] resume = new Peer.Ack[1];
        pair.dropAck = k -> {
            boolean held = k.hasBlock(Space.REQUEST, BlockKind.ACK) && resume[0] == null;
            if (held) {
                resume[0] = k;
            }
            return held || k.hasBlock(Space.REQUEST, BlockKind.RNR);
        };
        send(1, 100);
        pair.forNs(30_000);
        recv(9);
        pair.forNs(5_000);
        assertTrue(resume[0] != null, "no resume");
        b.ackDue = true; // an ACK of the path, with no news of the stream
        pair.forNs(15_000);
        assertEquals(0, a.inFlight());
        resume[0].ids = new long[0];
        a.onAck(resume[0], pair.nowNs);
        pair.until(() -> a.completions.size() == 1, 300_000);
        assertEquals(0, a.count(Counter.TX_QUERIES));
    }

    @Test
    void a_lost_resume_is_made_good_by_a_question() {
        connect(7, 0);
        send(1, 100);
        pair.forNs(10_000_000);
        boolean[] lost = new boolean[1];
        pair.dropAck = k -> {
            boolean drop = k.hasBlock(Space.REQUEST, BlockKind.ACK) && !lost[0];
            lost[0] |= drop;
            return drop;
        };
        recv(9);
        pair.until(() -> a.completions.size() == 1, 100_000_000);
        assertTrue(lost[0]);
        assertTrue(a.count(Counter.TX_QUERIES) > 0);
    }

    @Test
    void rnr_retry_counts_the_expiries_of_the_timer() {
        connect(2, 14); // 1.28 ms
        send(1, 100);
        send(2, 100);
        long postedNs = pair.nowNs;
        pair.until(() -> a.completions.size() == 2);
        assertEquals(
                List.of(Verbs.RNR_RETRY_EXC_ERR, Verbs.FLUSH_ERR),
                a.completions.stream().map(Peer.Wc::status).toList());
        assertEquals(3 * 1.28, (pair.nowNs - postedNs) / 1e6, 0.2);
        assertEquals(Verbs.ERR, a.streams.state(QP));
        assertEquals(Verbs.RTS, b.streams.state(QP));
        assertEquals(List.of(), b.completions);
    }

    @Test
    void rnr_retry_seven_is_for_ever() {
        connect(7, 1);
        send(1, 100);
        pair.forNs(300_000_000);
        assertEquals(List.of(), a.completions);
        assertEquals(Verbs.RTS, a.streams.state(QP));
        recv(1);
        pair.until(() -> a.completions.size() == 1, 1_000_000);
        assertEquals(Verbs.SUCCESS, a.completions.get(0).status());
    }

    @Test
    void a_new_receive_starts_the_count_anew() {
        connect(2, 14);
        for (int i = 0; i < 4; i++) {
            send(i, 100);
        }
        for (int i = 0; i < 4; i++) {
            pair.forNs(3_000_000); // two expiries
            assertEquals(Verbs.RTS, a.streams.state(QP));
            recv(i);
        }
        pair.until(() -> a.completions.size() == 4);
        assertEquals(
                List.of(0, 0, 0, 0), a.completions.stream().map(Peer.Wc::status).toList());
    }

    @Test
    void a_write_with_immediate_lands_before_its_receive_and_completes_with_it() {
        connect(7, 0);
        long slot = a.begin(QP, 1, Verbs.WR_WRITE_IMM, SIGNALED, from.addr, 5000, from.key);
        SendSlot.remoteAddr(slot, to.addr);
        SendSlot.rkey(slot, to.key);
        a.post(QP, pair.nowNs);
        pair.forNs(5_000_000);
        assertEquals(7, to.bytes(0, 1)[0]);
        assertEquals(List.of(), b.completions);
        b.recv(QP, 2, pair.nowNs);
        pair.until(() -> a.completions.size() == 1);
        assertArrayEquals(from.bytes(0, 5000), to.bytes(0, 5000));
        assertEquals(
                List.of(new Peer.Wc(QP * 2 + 1, QP, 2, 0, Verbs.WC_RECV_WITH_IMM, 5000, 0, Verbs.WC_WITH_IMM, false)),
                b.completions);
    }

    @Test
    void a_read_behind_a_parked_send_runs_when_the_send_has_landed() {
        connect(7, 0);
        send(1, 100);
        a.read(QP, 2, SIGNALED, from, 1000, 100, to.addr, to.key, pair.nowNs);
        to.fill(1);
        pair.forNs(20_000_000);
        assertEquals(List.of(), a.completions);
        assertEquals(7, from.bytes(1000, 1)[0]); // it has not read yet
        recv(1); // the SEND lands where the READ reads
        pair.until(() -> a.completions.size() == 2);
        assertArrayEquals(from.bytes(0, 100), from.bytes(1000, 100));
    }

    @Test
    void an_answer_does_not_wait_for_its_senders_own_parked_send() {
        connect(7, 0);
        TestMemory.Region other = b.memory.register(Peer.PD, 100, 0);
        b.send(QP, 1, SIGNALED, other, 0, 100, pair.nowNs); // a has no receive
        pair.forNs(1_000_000);
        a.read(QP, 2, SIGNALED, from, 0, 5000, to.addr, to.key, pair.nowNs);
        pair.until(() -> a.completions.size() == 1, 1_000_000);
        assertEquals(Verbs.SUCCESS, a.completions.get(0).status());
        assertEquals(List.of(), b.completions);
    }

    @Test
    void an_error_that_waits_for_a_receive_does_not_stop_other_queue_pairs() {
        connect(7, 0);
        pair.connected(QP + 1, 8, 8);
        send(1, 100);
        pair.forNs(1_000_000);
        a.write(QP + 1, 2, SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        pair.until(() -> a.completions.size() == 1, 10_000_000);
        assertEquals(2, a.completions.get(0).wrId());
    }

    @Test
    void a_duplicate_of_a_refused_packet_takes_no_second_receive() {
        connect(7, 0);
        send(1, 100);
        pair.forNs(30_000);
        recv(8);
        recv(9);
        pair.duplication = 1;
        send(2, 100);
        pair.until(() -> a.completions.size() == 2);
        assertEquals(List.of(8L, 9L), b.recvs(QP).stream().map(Peer.Wc::wrId).toList());
    }

    @Test
    void the_timer_codes_are_those_of_the_ibta_table() {
        assertEquals(655_360_000L, RnrState.timerNs(0));
        assertEquals(10_000L, RnrState.timerNs(1));
        assertEquals(640_000L, RnrState.timerNs(12));
        assertEquals(1_280_000L, RnrState.timerNs(14));
        assertEquals(491_520_000L, RnrState.timerNs(31));
    }
}
