package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.CtlKind;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Opcode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Binds (protocol section 14): no data before both sides know each other, one generation a RTR, and nothing of a former life has an effect. */
final class BindsTest {
    private static final int QP = 5;

    private final Pair pair = new Pair(3);
    private final Peer a = pair.a;
    private final Peer b = pair.b;
    private final TestMemory.Region from = a.memory.register(Peer.PD, 5000, 0);
    private final TestMemory.Region to = b.memory.register(Peer.PD, 5000, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);

    private void rts(Peer p, Peer other) {
        QpAttributes attributes = Peer.attributes(other.qpn(QP));
        p.toInit(QP, attributes, pair.nowNs);
        p.toRtr(QP, attributes, pair.nowNs);
        p.toRts(QP, attributes, pair.nowNs);
    }

    private void post(long wrId) {
        a.write(QP, wrId, SendSlot.SIGNALED, from, 0, 5000, to.addr, to.key, pair.nowNs);
    }

    @Test
    void no_data_goes_before_the_other_program_has_reached_rtr() {
        a.create(QP, 16, 16);
        b.create(QP, 16, 16);
        rts(a, b);
        post(1);
        b.toInit(QP, Peer.attributes(a.qpn(QP)), pair.nowNs);
        pair.forNs(30_000_000);
        assertEquals(0, a.dataSent);
        assertEquals(0, b.shared.outbox(Peer.CONN).blocksDue() ? 1 : 0);
        b.toRtr(QP, Peer.attributes(a.qpn(QP)), pair.nowNs);
        long rtrNs = pair.nowNs;
        pair.until(() -> a.completions.size() == 1);
        assertEquals(Verbs.SUCCESS, a.completions.get(0).status());
        // The BIND of the late one answers at once; a's own timer (50 ms by now) is not waited for.
        assertTrue(pair.nowNs - rtrNs < 1_000_000, "took " + (pair.nowNs - rtrNs));
    }

    @Test
    void no_data_goes_before_our_own_bind_is_acknowledged() {
        pair.dropData = f -> f.ctl() == CtlKind.BIND_ACK && pair.nowNs < 1_020_000_000L;
        pair.connected(QP, 16, 16);
        post(1);
        pair.forNs(15_000_000);
        assertTrue(a.stream(QP).binds.known(), "the peer's BIND has come");
        assertEquals(0, a.dataSent);
        pair.until(() -> a.completions.size() == 1);
        assertEquals(Verbs.SUCCESS, a.completions.get(0).status());
    }

    @Test
    void a_bind_is_repeated_until_it_is_acknowledged() {
        int[] binds = new int[1];
        pair.dropData = f -> {
            binds[0] += f.ctl() == CtlKind.BIND ? 1 : 0;
            return false;
        };
        a.create(QP, 16, 16);
        rts(a, b); // there is no QP at b
        pair.forNs(200_000_000);
        // 0, 1, 3, 7, 15, 31 ms, then every 50 ms (5 to 10 with the resends of a lossless wire: none)
        assertEquals(9, binds[0]);
        b.create(QP, 16, 16);
        rts(b, a);
        pair.settle();
        int before = binds[0];
        assertTrue(a.stream(QP).binds.ready() && b.stream(QP).binds.ready());
        pair.forNs(200_000_000);
        assertEquals(before, binds[0]);
    }

    @Test
    void a_qp_without_a_way_to_its_peer_asks_again() {
        a.reachable = false;
        pair.connected(QP, 16, 16);
        post(1);
        pair.forNs(10_000_000);
        assertEquals(0, a.attached);
        a.reachable = true;
        pair.until(() -> a.completions.size() == 1, 100_000_000);
        assertEquals(1, a.attached);
    }

    @Test
    void binds_wait_for_the_connection_to_open() {
        a.open = false;
        pair.connected(QP, 16, 16);
        post(1);
        pair.forNs(3_000_000);
        a.open = true;
        a.streams.onOpen(Peer.CONN, pair.nowNs);
        long openNs = pair.nowNs;
        pair.until(() -> a.completions.size() == 1);
        assertTrue(pair.nowNs - openNs < 1_000_000, "took " + (pair.nowNs - openNs));
    }

    @Test
    void the_smaller_segment_size_holds() {
        a.segmentBytes = 1344;
        b.segmentBytes = 1152;
        pair.connected(QP, 16, 16);
        pair.settle();
        assertEquals(1152, a.stream(QP).binds.segmentBytes());
        assertEquals(1152, b.stream(QP).binds.segmentBytes());
    }

    @Test
    void a_newer_life_of_the_peer_replaces_one_that_nothing_was_sent_to() {
        pair.connected(QP, 16, 16);
        pair.settle();
        b.toState(QP, Verbs.RESET, pair.nowNs);
        rts(b, a);
        pair.settle();
        post(1);
        pair.until(() -> a.completions.size() == 1, 100_000_000);
        assertEquals(Verbs.SUCCESS, a.completions.get(0).status());
    }

    @Test
    void a_newer_life_of_the_peer_must_acknowledge_our_bind_too() {
        pair.connected(QP, 16, 16);
        pair.settle();
        b.toState(QP, Verbs.RESET, pair.nowNs);
        long untilNs = pair.nowNs + 20_000_000;
        pair.dropData = f -> f.ctl() == CtlKind.BIND_ACK && pair.nowNs < untilNs;
        rts(b, a);
        pair.forNs(5_000_000);
        post(1);
        pair.forNs(5_000_000);
        assertEquals(0, a.dataSent);
        pair.until(() -> a.completions.size() == 1, 100_000_000);
        assertEquals(Verbs.SUCCESS, a.completions.get(0).status());
    }

    @Test
    void a_newer_life_of_the_peer_gets_nothing_of_a_stream_that_was_used() {
        pair.connected(QP, 16, 16);
        post(1);
        pair.until(() -> a.completions.size() == 1);
        b.toState(QP, Verbs.RESET, pair.nowNs);
        rts(b, a);
        pair.settle();
        from.fill(9);
        to.fill(0);
        post(2);
        pair.until(() -> a.completions.size() == 2);
        assertEquals(Verbs.RETRY_EXC_ERR, a.completions.get(1).status());
        assertArrayEquals(new byte[5000], to.bytes(0, 5000));
    }

    @Test
    void data_of_a_former_life_has_no_effect() {
        pair.connected(QP, 16, 16);
        pair.settle();
        from.fill(1);
        post(1);
        List<Peer.Frame> old = a.transmit(pair.nowNs);
        assertEquals(4, old.stream().filter(f -> f.opcode() == Opcode.WRITE).count());
        for (Peer p : List.of(a, b)) {
            p.toState(QP, Verbs.RESET, pair.nowNs);
        }
        rts(a, b);
        rts(b, a);
        pair.settle();
        long stale = b.count(Counter.RX_STALE);
        for (Peer.Frame f : old) {
            b.arrive(new Peer.Frame(f.id + 10_000, f.type, f.bytes), pair.nowNs);
        }
        assertEquals(stale + 4, b.count(Counter.RX_STALE));
        assertArrayEquals(new byte[5000], to.bytes(0, 5000));
    }

    /** The block says that work is complete: of the former life's, but the new life has sent as much. */
    @Test
    void a_block_of_a_former_life_completes_nothing() {
        pair.connected(QP, 16, 16);
        pair.settle();
        Peer.Ack[] kept = new Peer.Ack[1];
        pair.dropAck = k -> {
            if (k.hasBlock(0, 0) && kept[0] == null) {
                kept[0] = k;
            }
            return false;
        };
        post(1);
        pair.until(() -> a.completions.size() == 1);
        for (Peer p : List.of(a, b)) {
            p.toState(QP, Verbs.RESET, pair.nowNs);
        }
        rts(a, b);
        rts(b, a);
        pair.settle();
        pair.dropData = f -> f.type == FrameType.DATA;
        post(2);
        pair.forNs(1_000_000);
        Peer.Ack late = new Peer.Ack();
        late.seq = kept[0].seq + 1_000_000;
        late.blocks = kept[0].blocks;
        a.onAck(late, pair.nowNs);
        assertEquals(1, a.completions.size());
        // Even with the right generation: its SPSN is of another range.
        late.blocks = late.blocks.clone();
        late.blocks[3] = (byte) ((late.blocks[3] & 0xf0) | a.stream(QP).binds.generation());
        a.onAck(late, pair.nowNs);
        assertEquals(1, a.completions.size());
    }

    @Test
    void a_recycled_number_has_another_generation_and_other_first_numbers() {
        a.create(QP, 16, 16);
        rts(a, b);
        int generation = a.stream(QP).binds.generation();
        int first = a.stream(QP).binds.firstRequest();
        a.streams.destroy(QP, pair.nowNs);
        a.create(QP, 16, 16);
        rts(a, b);
        assertEquals(generation + 1 & 15, a.stream(QP).binds.generation());
        assertNotEquals(first, a.stream(QP).binds.firstRequest());
    }

    @Test
    void a_reset_voids_the_binds_under_way() {
        a.create(QP, 16, 16);
        rts(a, b);
        Peer.Frame bind = a.transmit(pair.nowNs).get(0);
        assertEquals(CtlKind.BIND, bind.ctl());
        a.toState(QP, Verbs.RESET, pair.nowNs);
        assertEquals(FrameType.VOID, a.again(bind.id, pair.nowNs).type);
    }

    private String lastWords() {
        pair.until(() -> !a.completions.isEmpty(), 5_000_000_000L);
        assertEquals(Verbs.RETRY_EXC_ERR, a.completions.get(0).status());
        assertEquals(1, a.log.size());
        return a.log.get(0);
    }

    @Test
    void the_log_tells_a_peer_qp_that_never_answered() {
        a.create(QP, 16, 16);
        rts(a, b); // there is no QP at b
        post(1);
        assertTrue(
                lastWords().startsWith("QP 0x4005 gives up: the peer's QP 0x8005 has not answered: it is not in RTR"),
                a.log::toString);
    }

    @Test
    void the_log_tells_a_bind_that_was_never_acknowledged() {
        pair.dropData = f -> f.ctl() == CtlKind.BIND_ACK;
        pair.connected(QP, 16, 16);
        post(1);
        assertTrue(
                lastWords().startsWith("QP 0x4005 gives up: the peer's QP 0x8005 has not acknowledged our BIND"),
                a.log::toString);
    }

    @Test
    void the_log_tells_a_process_that_does_not_answer_and_one_to_which_there_is_no_way() {
        a.open = false;
        pair.connected(QP, 16, 16);
        post(1);
        assertTrue(lastWords().startsWith("QP 0x4005 gives up: the peer's process does not answer"), a.log::toString);
        a.completions.clear();
        a.log.clear();
        a.toState(QP, Verbs.RESET, pair.nowNs);
        a.reachable = false;
        rts(a, b);
        post(2);
        assertTrue(
                lastWords().startsWith("QP 0x4005 gives up: there is no way to the peer's process"), a.log::toString);
    }
}
