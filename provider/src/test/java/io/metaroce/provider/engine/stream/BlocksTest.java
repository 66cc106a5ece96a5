package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Counter;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.BlockKind;
import io.metaroce.wire.CtlKind;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.Space;
import io.metaroce.wire.StreamBlock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Stream blocks and questions (protocol section 5): what completes work, and what happens when the last block is lost. */
final class BlocksTest {
    private static final int QP = 5;

    private final Pair pair = new Pair(4).connected(QP, 64, 64);
    private final Peer a = pair.a;
    private final Peer b = pair.b;
    private final TestMemory.Region from = a.memory.register(Peer.PD, 200_000, Verbs.LOCAL_WRITE);
    private final TestMemory.Region to = b.memory.register(Peer.PD, 200_000, 15);

    BlocksTest() {
        pair.settle();
    }

    private void write(long wrId, int length) {
        a.write(QP, wrId, SendSlot.SIGNALED, from, 0, length, to.addr, to.key, pair.nowNs);
    }

    @Test
    void a_path_acknowledgement_alone_completes_nothing() {
        pair.dropAck = k -> {
            k.dropBlocks(Space.REQUEST);
            return false;
        };
        write(1, 100);
        pair.forNs(300_000); // less than a PTO
        assertEquals(0, a.inFlight());
        assertEquals(List.of(), a.completions);
    }

    @Test
    void a_lost_last_block_of_requests_is_asked_for() {
        boolean[] asked = new boolean[1];
        pair.dropAck = k -> {
            if (!asked[0]) {
                k.dropBlocks(Space.REQUEST);
            }
            return false;
        };
        pair.dropData = f -> {
            asked[0] |= f.ctl() == CtlKind.QUERY;
            return false;
        };
        write(1, 100);
        pair.until(() -> a.completions.size() == 1, 100_000_000);
        assertEquals(1, a.count(Counter.TX_QUERIES));
        assertEquals(Verbs.SUCCESS, a.completions.get(0).status());
    }

    @Test
    void a_lost_last_block_of_answers_is_asked_for() {
        boolean[] asked = new boolean[1];
        pair.dropAck = k -> {
            if (!asked[0]) {
                k.dropBlocks(Space.RESPONSE);
            }
            return false;
        };
        pair.dropData = f -> {
            asked[0] |= f.ctl() == CtlKind.QUERY;
            return false;
        };
        a.read(QP, 1, SendSlot.SIGNALED, from, 0, 10_000, to.addr, to.key, pair.nowNs);
        pair.until(
                () -> a.completions.size() == 1
                        && b.stream(QP).responder.answers.delivered(),
                100_000_000);
        assertEquals(1, b.count(Counter.TX_QUERIES));
        assertEquals(0, a.count(Counter.TX_QUERIES));
    }

    @Test
    void questions_are_repeated_with_doubled_pauses() {
        pair.dropAck = k -> {
            k.dropBlocks(Space.REQUEST);
            return false;
        };
        write(1, 100);
        pair.forNs(400_000_000);
        // PTO 400 us: 0.4 then +0.8, 1.6 ... 51.2, then every 100 ms: 8 within 102 ms, 3 after.
        assertTrue(
                a.count(Counter.TX_QUERIES) >= 9 && a.count(Counter.TX_QUERIES) <= 12,
                "questions " + a.count(Counter.TX_QUERIES));
        pair.dropAck = k -> false;
        pair.until(() -> a.completions.size() == 1, 200_000_000);
    }

    @Test
    void work_in_flight_asks_no_questions() {
        pair.dropData = f -> f.opcode() == Opcode.WRITE && pair.nowNs < 1_050_000_000L;
        write(1, 100);
        pair.until(() -> a.completions.size() == 1, 100_000_000);
        assertEquals(0, a.count(Counter.TX_QUERIES));
    }

    private void block(int cumMsn, int cumSpsn, int seq, int kind) {
        block(cumMsn, cumSpsn, seq, kind, a.stream(QP).binds.generation());
    }

    private void block(int cumMsn, int cumSpsn, int seq, int kind, int generation) {
        long block = Mem.alloc(StreamBlock.LENGTH);
        StreamBlock.put(block, a.qpn(QP), Space.REQUEST, kind, generation, cumMsn, 0, 1000, cumSpsn);
        a.streams.onBlock(Peer.CONN, block, seq, pair.nowNs);
        Mem.free(block);
    }

    @Test
    void a_block_beyond_what_was_sent_is_ignored() {
        pair.dropData = f -> f.opcode() == Opcode.WRITE;
        write(1, 3000); // segments 0 to 2
        write(2, 100); // segment 3
        pair.forNs(100_000);
        int first = a.stream(QP).binds.firstRequest();
        block(1, first + 5, 100, BlockKind.ACK); // a segment that was never sent
        block(3, first + 3, 101, BlockKind.ACK); // a message that was never sent
        block(0xffffff, first, 102, BlockKind.ACK); // before the first message
        block(0, first - 1, 103, BlockKind.ACK); // before the first segment
        assertEquals(List.of(), a.completions);
        block(1, first + 3, 104, BlockKind.ACK);
        assertEquals(List.of(1L), a.completions.stream().map(Peer.Wc::wrId).toList());
        block(2, first + 4, 103, BlockKind.ACK); // older than the last: its news is void
        assertEquals(1, a.completions.size());
    }

    @Test
    void a_block_of_another_generation_is_ignored() {
        pair.dropData = f -> f.opcode() == Opcode.WRITE;
        write(1, 100);
        pair.forNs(100_000);
        int first = a.stream(QP).binds.firstRequest();
        int generation = a.stream(QP).binds.generation();
        block(1, first + 1, 100, BlockKind.ACK, (generation - 1) & 15);
        assertEquals(List.of(), a.completions);
        block(1, first + 1, 101, BlockKind.ACK, generation);
        assertEquals(1, a.completions.size());
    }

    @Test
    void a_block_for_what_waits_in_the_queue_is_ignored() {
        a.open = false; // nothing goes out
        write(1, 100);
        int first = a.stream(QP).binds.firstRequest();
        block(1, first + 1, 100, BlockKind.ACK);
        assertEquals(List.of(), a.completions);
    }

    @Test
    void completions_come_in_the_order_of_the_posts_whatever_comes_first() {
        // The answer to the READ is lost for a while; the WRITE behind it is long acknowledged.
        pair.dropData = f -> f.opcode() == Opcode.READ_RSP && pair.nowNs < 1_020_000_000L;
        a.read(QP, 1, SendSlot.SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        write(2, 100);
        pair.forNs(5_000_000);
        assertEquals(List.of(), a.completions);
        pair.until(() -> a.completions.size() == 2, 100_000_000);
        assertEquals(List.of(1L, 2L), a.completions.stream().map(Peer.Wc::wrId).toList());
    }

    @Test
    void a_question_about_a_qp_that_does_not_exist_is_answered_with_gone() {
        pair.dropData = f -> f.ctl() == CtlKind.FINAL; // not even its last words
        b.streams.destroy(QP, pair.nowNs);
        pair.forNs(25_000_000);
        write(1, 100);
        long postedNs = pair.nowNs;
        pair.until(() -> a.completions.size() == 1, 1_000_000_000);
        assertEquals(Verbs.RETRY_EXC_ERR, a.completions.get(0).status());
        assertEquals(Verbs.ERR, a.streams.state(QP));
        assertTrue(a.count(Counter.TX_QUERIES) > 0);
        // timeout 14, retry_cnt 7: 4.096 us * 2^14 * 8
        assertTrue(pair.nowNs - postedNs >= 536_870_912L, "gave up early");
        assertTrue(pair.nowNs - postedNs < 560_000_000L, "gave up late");
    }

    @Test
    void nothing_is_sent_again_to_a_qp_in_the_error_state() {
        write(1, 100);
        b.toState(QP, Verbs.ERR, pair.nowNs);
        pair.forNs(100_000_000);
        assertEquals(Verbs.RTS, a.streams.state(QP));
        assertEquals(1, a.dataSent);
        pair.until(() -> a.completions.size() == 1, 1_000_000_000);
        assertEquals(Verbs.RETRY_EXC_ERR, a.completions.get(0).status());
    }

    @Test
    void many_streams_share_the_blocks_of_few_acknowledgements() {
        b.blocksPerAck = 2;
        for (int q = 20; q < 40; q++) {
            pair.connected(q, 4, 4);
        }
        pair.settle();
        for (int q = 20; q < 40; q++) {
            a.write(q, q, SendSlot.SIGNALED, from, 0, 100, to.addr, to.key, pair.nowNs);
        }
        pair.until(() -> a.completions.size() == 20, 10_000_000);
        assertEquals(0, a.count(Counter.TX_QUERIES));
        assertArrayEquals(from.bytes(0, 100), to.bytes(0, 100));
    }
}
