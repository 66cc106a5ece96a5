package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Opcode;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Errors are reported after earlier messages are complete (protocol section 12), and complete means: the peer has the answers. */
final class ErrorOrderTest {
    private static final int QP = 5;

    /** A READ, then a WRITE that must be refused; all answers to the READ are lost once. */
    @Test
    void an_error_waits_for_the_answers_to_earlier_reads() {
        Pair pair = new Pair(3).connected(QP, 16, 16);
        Peer a = pair.a;
        Peer b = pair.b;
        TestMemory.Region source = b.memory.register(Peer.PD, 20_000, Verbs.REMOTE_READ);
        TestMemory.Region target = a.memory.register(Peer.PD, 20_000, Verbs.LOCAL_WRITE);
        byte[] data = new byte[20_000];
        new Random(4).nextBytes(data);
        source.put(0, data);
        long fromNs = pair.nowNs;
        a.read(QP, 1, SendSlot.SIGNALED, target, 0, 20_000, source.addr, source.key, pair.nowNs);
        a.write(QP, 2, SendSlot.SIGNALED, target, 0, 100, source.addr, source.key + 1, pair.nowNs);
        int[] lost = new int[1];
        pair.dropData = f -> {
            boolean answer = f.type == FrameType.DATA
                    && (f.bytes[3] & 0xf0) >>> 4 == Opcode.READ_RSP
                    && pair.nowNs < fromNs + 3_000_000;
            lost[0] += answer ? 1 : 0;
            return answer;
        };
        pair.until(() -> a.completions.size() == 2);
        assertEquals(
                List.of(
                        new Peer.Wc(QP * 2, QP, 1, 0, Verbs.WC_RDMA_READ, 20_000, 0, 0, false),
                        new Peer.Wc(QP * 2, QP, 2, Verbs.REM_ACCESS_ERR, Verbs.WC_RDMA_WRITE, 100, 0, 0, true)),
                a.completions,
                "after " + lost[0] + " lost answers");
        assertTrue(lost[0] > 0, "no answer was lost");
        assertArrayEquals(data, target.bytes(0, 20_000));
        assertEquals(Verbs.ERR, a.streams.state(QP));
        assertEquals(Verbs.ERR, b.streams.state(QP));
    }
}
