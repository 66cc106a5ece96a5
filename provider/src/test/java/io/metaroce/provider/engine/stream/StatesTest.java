package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.Record;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.CtlKind;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.Space;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** States, flush, drain, destruction, and memory that goes while packets are on their way (protocol sections 11, rule 7, and 14). */
final class StatesTest {
    private static final int QP = 5;
    private static final int SIGNALED = SendSlot.SIGNALED;

    private final Pair pair = new Pair(8).connected(QP, 16, 16);
    private final Peer a = pair.a;
    private final Peer b = pair.b;
    private final TestMemory.Region from = a.memory.register(Peer.PD, 50_000, Verbs.LOCAL_WRITE);
    private final TestMemory.Region to = b.memory.register(Peer.PD, 50_000, 15);

    StatesTest() {
        pair.settle();
        from.fill(3);
    }

    private void write(long wrId, int flags, int length) {
        a.write(QP, wrId, flags, from, 0, length, to.addr, to.key, pair.nowNs);
    }

    private static List<Integer> statuses(List<Peer.Wc> completions) {
        return completions.stream().map(Peer.Wc::status).toList();
    }

    private static List<Long> ids(List<Peer.Wc> completions) {
        return completions.stream().map(Peer.Wc::wrId).toList();
    }

    private static List<Long> range(long from, long end) {
        return LongStream.range(from, end).boxed().toList();
    }

    private void reconnect() {
        for (Peer p : List.of(a, b)) {
            QpAttributes attributes = Peer.attributes(p == a ? b.qpn(QP) : a.qpn(QP));
            p.toInit(QP, attributes, pair.nowNs);
            p.toRtr(QP, attributes, pair.nowNs);
            p.toRts(QP, attributes, pair.nowNs);
        }
    }

    // ---- ERR -------------------------------------------------------------------------------------------------------

    @Test
    void err_flushes_everything_in_order_signalled_or_not() {
        pair.dropData = f -> true;
        for (int i = 0; i < 10; i++) {
            write(i, i % 2 == 0 ? SIGNALED : 0, 3000);
            a.recv(QP, 100 + i, pair.nowNs);
        }
        pair.forNs(100_000);
        a.toState(QP, Verbs.ERR, pair.nowNs);
        assertEquals(range(0, 10), ids(a.sends(QP)));
        assertEquals(range(100, 110), ids(a.recvs(QP)));
        assertEquals(Collections.nCopies(20, Verbs.FLUSH_ERR), statuses(a.completions));
        assertTrue(a.completions.stream().allMatch(Peer.Wc::solicited));
        assertEquals(10, Ring.head(a.sq(QP)));
        assertEquals(10, Ring.head(a.rq(QP)));
    }

    @Test
    void what_is_posted_in_err_is_flushed_too() {
        a.toState(QP, Verbs.ERR, pair.nowNs);
        write(1, 0, 100);
        a.recv(QP, 2, pair.nowNs); // the ring asks for a doorbell
        assertEquals(List.of(1L, 2L), ids(a.completions));
        assertEquals(List.of(Verbs.FLUSH_ERR, Verbs.FLUSH_ERR), statuses(a.completions));
    }

    @Test
    void receives_posted_before_rtr_are_flushed_by_err() {
        a.create(30, 4, 4);
        a.toInit(30, Peer.attributes(b.qpn(30)), pair.nowNs);
        a.recv(30, 1, pair.nowNs);
        a.toState(30, Verbs.ERR, pair.nowNs);
        assertEquals(List.of(1L), ids(a.recvs(30)));
    }

    @Test
    void the_peer_of_a_queue_pair_in_err_gives_up_after_its_budget() {
        b.toState(QP, Verbs.ERR, pair.nowNs);
        pair.settle();
        write(1, 0, 100);
        long postedNs = pair.nowNs;
        pair.until(() -> a.completions.size() == 1);
        assertEquals(List.of(Verbs.RETRY_EXC_ERR), statuses(a.completions));
        assertTrue(pair.nowNs - postedNs >= 536_870_912L && pair.nowNs - postedNs < 560_000_000L);
        assertArrayEquals(new byte[100], to.bytes(0, 100));
    }

    @Test
    void a_queue_pair_in_err_places_nothing() {
        write(1, SIGNALED, 3000);
        List<Peer.Frame> frames = a.transmit(pair.nowNs);
        b.toState(QP, Verbs.ERR, pair.nowNs);
        for (Peer.Frame f : frames) {
            b.arrive(f, pair.nowNs);
        }
        assertArrayEquals(new byte[3000], to.bytes(0, 3000));
    }

    // ---- RESET and destroy -----------------------------------------------------------------------------------------

    @Test
    void reset_leaves_no_completion_and_the_queue_pair_can_be_connected_again() {
        pair.dropData = f -> f.type == FrameType.DATA;
        for (int i = 0; i < 5; i++) {
            write(i, SIGNALED, 3000);
            a.recv(QP, i, pair.nowNs);
            b.recv(QP, i, pair.nowNs);
        }
        pair.forNs(100_000);
        a.toState(QP, Verbs.RESET, pair.nowNs);
        b.toState(QP, Verbs.RESET, pair.nowNs);
        pair.settle();
        assertEquals(List.of(), a.completions);
        assertEquals(List.of(), b.completions);
        assertEquals(Ring.tail(a.sq(QP)), Ring.head(a.sq(QP)));
        assertEquals(Ring.tail(a.rq(QP)), Ring.head(a.rq(QP)));
        assertEquals(0, a.inFlight());
        assertEquals(0, a.attached);
        pair.dropData = f -> false;
        reconnect();
        b.recv(QP, 77, pair.nowNs, to.addr, 5000, to.key);
        a.send(QP, 78, SIGNALED, from, 0, 5000, pair.nowNs);
        pair.until(() -> a.completions.size() == 1);
        assertEquals(List.of(0), statuses(a.completions));
        assertEquals(List.of(77L), ids(b.recvs(QP)));
        assertArrayEquals(from.bytes(0, 5000), to.bytes(0, 5000));
        assertEquals(1, a.attached);
    }

    /** The last acknowledgement is lost and the program is gone: FINAL says that all is well. */
    @Test
    void a_program_that_exits_after_its_last_completion_does_not_fail_its_peer() {
        b.recv(QP, 1, pair.nowNs, to.addr, 100, to.key);
        pair.dropAck = k -> {
            k.dropBlocks(Space.REQUEST);
            k.ids = new long[0];
            return true;
        };
        a.send(QP, 2, SIGNALED, from, 0, 100, pair.nowNs);
        pair.until(() -> b.completions.size() == 1);
        b.streams.destroy(QP, pair.nowNs);
        assertTrue(b.streams.finalsPending());
        pair.dropAck = k -> false;
        pair.until(() -> a.completions.size() == 1, 20_000_000);
        assertEquals(List.of(0), statuses(a.completions));
        pair.settle();
        assertFalse(b.streams.finalsPending());
        assertEquals(0, b.attached);
    }

    @Test
    void last_words_are_kept_for_20_ms_at_most() {
        pair.dropData = f -> f.ctl() == CtlKind.FINAL;
        b.streams.destroy(QP, pair.nowNs);
        pair.forNs(19_000_000);
        assertTrue(b.streams.finalsPending());
        pair.forNs(2_000_000);
        assertFalse(b.streams.finalsPending());
        assertEquals(0, b.attached);
        pair.until(() -> b.inFlight() == 0, 1_000_000_000); // as a VOID
    }

    @Test
    void a_final_tells_how_far_the_answers_came() {
        a.window = 1;
        a.read(QP, 1, SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        pair.dropAck = k -> {
            k.dropBlocks(Space.RESPONSE);
            return false;
        };
        pair.until(() -> a.completions.size() == 1);
        assertFalse(b.stream(QP).responder.answers.delivered());
        a.streams.destroy(QP, pair.nowNs);
        pair.settle();
        assertTrue(b.stream(QP).responder.answers.delivered());
    }

    // ---- SQD -------------------------------------------------------------------------------------------------------

    @Test
    void a_drained_send_queue_is_told_and_new_work_waits() {
        QpAttributes notify = new QpAttributes();
        notify.enSqdAsyncNotify = true;
        write(1, SIGNALED, 20_000);
        a.transmit(pair.nowNs).forEach(f -> pair.launch(b, f)); // it has begun
        write(2, SIGNALED, 100);
        a.window = 0;
        a.streams.modify(QP, Verbs.SQD, 1 | Verbs.MASK_SQD_NOTIFY, notify, pair.nowNs);
        assertTrue(a.streams.draining(QP));
        a.window = 256;
        write(3, SIGNALED, 100);
        pair.until(() -> a.completions.size() == 1);
        pair.forNs(2_000_000_000); // longer than the retry budget: what waits in SQD has no time-out
        assertEquals(List.of(1L), ids(a.completions));
        assertFalse(a.streams.draining(QP));
        assertEquals(List.of(QP + ":" + Verbs.EVENT_SQ_DRAINED), a.events);
        // It still answers its peer.
        b.read(QP, 9, SIGNALED, to, 0, 100, from.addr, a.memory.alias(from, 15).key, pair.nowNs);
        pair.until(() -> b.completions.size() == 1);
        a.toState(QP, Verbs.RTS, pair.nowNs);
        pair.until(() -> a.completions.size() == 3);
        assertEquals(List.of(0, 0, 0), statuses(a.completions));
        assertEquals(1, a.events.size());
    }

    @Test
    void nobody_is_told_of_the_drain_who_did_not_ask() {
        a.toState(QP, Verbs.SQD, pair.nowNs);
        assertFalse(a.streams.draining(QP));
        assertEquals(List.of(), a.events);
    }

    // ---- giving up -------------------------------------------------------------------------------------------------

    @Test
    void silence_beyond_the_retry_budget_fails_the_work_and_names_the_peer() {
        pair.dropData = f -> true;
        write(1, 0, 100);
        write(2, 0, 100);
        long postedNs = pair.nowNs;
        pair.until(() -> a.completions.size() == 2);
        assertEquals(List.of(Verbs.RETRY_EXC_ERR, Verbs.FLUSH_ERR), statuses(a.completions));
        assertTrue(pair.nowNs - postedNs >= 4 * 536_870_912L && pair.nowNs - postedNs < 2_160_000_000L);
        assertEquals(1, a.log.size());
        assertTrue(a.log.get(0).contains("a's peer"), a.log.get(0));
    }

    @Test
    void timeout_zero_never_gives_up() {
        QpAttributes attributes = Peer.attributes(0);
        attributes.timeout = 0;
        pair.connected(20, 4, 4, attributes);
        pair.settle();
        pair.dropData = f -> true;
        a.write(20, 1, SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        a.resendNs = 100_000_000;
        pair.forNs(60_000_000_000L);
        assertEquals(List.of(), a.completions);
        pair.dropData = f -> false;
        pair.until(() -> a.completions.size() == 1);
        assertEquals(List.of(0), statuses(a.completions));
    }

    @Test
    void an_idle_pause_before_the_post_does_not_count() {
        pair.forNs(5_000_000_000L);
        write(1, SIGNALED, 100);
        a.streams.onTime(pair.nowNs);
        pair.until(() -> a.completions.size() == 1);
        assertEquals(List.of(0), statuses(a.completions));
    }

    @Test
    void a_full_completion_queue_ends_its_queue_pairs() {
        a.cqRoom = 3;
        for (int i = 0; i < 5; i++) {
            write(i, SIGNALED, 100);
        }
        pair.until(() -> a.streams.state(QP) == Verbs.ERR);
        assertEquals(range(0, 3), ids(a.sends(QP)));
        assertEquals(List.of(0, 0, 0), statuses(a.sends(QP)));
        assertEquals(List.of(QP + ":" + Verbs.EVENT_QP_FATAL), a.events);
        assertEquals(5, Ring.head(a.sq(QP)));
    }

    @Test
    void the_first_message_before_rts_raises_communication_established() {
        Pair other = new Pair(9);
        for (Peer p : List.of(other.a, other.b)) {
            p.create(QP, 4, 4);
            QpAttributes attributes = Peer.attributes(p == other.a ? other.b.qpn(QP) : other.a.qpn(QP));
            p.toInit(QP, attributes, other.nowNs);
            p.toRtr(QP, attributes, other.nowNs);
        }
        other.a.toRts(QP, Peer.attributes(0), other.nowNs);
        TestMemory.Region src = other.a.memory.register(Peer.PD, 10, 0);
        TestMemory.Region dst = other.b.memory.register(Peer.PD, 10, 15);
        for (int i = 0; i < 2; i++) {
            other.a.write(QP, i, SIGNALED, src, 0, 10, dst.addr, dst.key, other.nowNs);
        }
        other.until(() -> other.a.completions.size() == 2);
        assertEquals(List.of(QP + ":" + Verbs.EVENT_COMM_EST), other.b.events);
    }

    // ---- rule 7: nothing reads memory that the program has back
    // ------------------------------------------------------

    private Peer.Frame firstWrite() {
        return a.transmit(pair.nowNs).stream()
                .filter(f -> f.opcode() == Opcode.WRITE)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_packet_of_completed_work_becomes_void() {
        write(1, SIGNALED, 100);
        Peer.Frame frame = firstWrite();
        pair.dropAck = k -> {
            k.ids = new long[0];
            return false;
        };
        pair.launch(b, frame);
        pair.until(() -> a.completions.size() == 1, 200_000);
        from.fill(9);
        assertEquals(1, a.inFlight());
        assertEquals(FrameType.VOID, a.again(frame.id, pair.nowNs).type);
    }

    @Test
    void a_packet_of_flushed_work_becomes_void() {
        write(1, SIGNALED, 100);
        Peer.Frame frame = firstWrite();
        assertEquals(FrameType.DATA, a.again(frame.id, pair.nowNs).type);
        a.toState(QP, Verbs.ERR, pair.nowNs);
        assertEquals(FrameType.VOID, a.again(frame.id, pair.nowNs).type);
    }

    @Test
    void a_packet_of_a_reset_queue_pair_becomes_void_though_it_is_connected_again() {
        write(1, SIGNALED, 100);
        Peer.Frame frame = firstWrite();
        a.toState(QP, Verbs.RESET, pair.nowNs);
        b.toState(QP, Verbs.RESET, pair.nowNs);
        reconnect();
        write(2, SIGNALED, 100);
        assertEquals(FrameType.VOID, a.again(frame.id, pair.nowNs).type);
    }

    /** Tickets are numbered anew in each life: neither their number nor the SPSN tells for sure whose answer a packet is. */
    @Test
    void a_packet_of_a_former_lifes_answer_becomes_void() {
        int former = b.stream(QP).life;
        a.toState(QP, Verbs.RESET, pair.nowNs);
        b.toState(QP, Verbs.RESET, pair.nowNs);
        reconnect();
        pair.dropData = f -> f.opcode() == Opcode.READ_RSP;
        pair.forNs(200_000);
        a.read(QP, 2, SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        pair.forNs(50_000);
        Record record = new Record();
        record.type = FrameType.DATA;
        record.stream = QP;
        record.space = Space.RESPONSE;
        record.segments = 1;
        record.spsn = b.stream(QP).binds.firstResponse();
        record.life = b.stream(QP).life;
        long out = Mem.alloc(2000);
        assertTrue(b.streams.rebuild(Peer.CONN, record, out, 1452, pair.nowNs) > 0, "the answer is under way");
        record.life = former;
        assertEquals(0, b.streams.rebuild(Peer.CONN, record, out, 1452, pair.nowNs));
        Mem.free(out);
    }

    @Test
    void a_packet_whose_region_is_gone_becomes_void_and_its_work_fails() {
        int[] lost = new int[1];
        pair.dropData = f -> f.opcode() == Opcode.WRITE && f.spsn() == first() + 1 && lost[0]++ == 0;
        write(1, SIGNALED, 3000);
        pair.forNs(50_000);
        assertEquals(1, lost[0]);
        a.memory.deregister(from);
        pair.until(() -> a.completions.size() == 1, 100_000_000);
        assertEquals(List.of(Verbs.LOC_PROT_ERR), statuses(a.completions));
        assertTrue(a.voids > 0);
    }

    @Test
    void work_that_had_landed_succeeds_though_its_region_is_gone() {
        pair.dropAck = k -> pair.nowNs < 1_006_000_000L;
        write(1, SIGNALED, 3000);
        pair.forNs(100_000);
        a.memory.deregister(from);
        pair.until(() -> a.completions.size() == 1, 100_000_000);
        assertEquals(List.of(0), statuses(a.completions));
        assertTrue(a.voids > 0, "no packet had to be sent again");
        assertArrayEquals(from.bytes(0, 3000), to.bytes(0, 3000));
    }

    private int first() {
        return a.stream(QP).binds.firstRequest();
    }
}
