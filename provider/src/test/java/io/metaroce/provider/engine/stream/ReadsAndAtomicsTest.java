package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Opcode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tickets (protocol section 12): in order, once, no more at a time than the responder serves, memory checked at each transmission. */
final class ReadsAndAtomicsTest {
    private static final int QP = 5;
    private static final int SIGNALED = SendSlot.SIGNALED;

    private final Pair pair = new Pair(6);
    private final Peer a = pair.a;
    private final Peer b = pair.b;
    private final TestMemory.Region local = a.memory.register(Peer.PD, 100_000, Verbs.LOCAL_WRITE);
    private final TestMemory.Region remote = b.memory.register(Peer.PD, 100_000, 15);

    private void connect(int maxRdAtomic, int maxDestRdAtomic) {
        QpAttributes attributes = Peer.attributes(0);
        attributes.maxRdAtomic = maxRdAtomic;
        attributes.maxDestRdAtomic = maxDestRdAtomic;
        pair.connected(QP, 64, 64, attributes);
        pair.settle();
    }

    private List<Integer> statuses() {
        return a.completions.stream().map(Peer.Wc::status).toList();
    }

    @Test
    void an_atomic_runs_once_though_its_packet_comes_twice() {
        connect(4, 4);
        pair.duplication = 1;
        for (int i = 0; i < 20; i++) {
            a.fetchAdd(QP, i, local, 8L * i, remote.addr, remote.key, 3, pair.nowNs);
        }
        pair.until(() -> a.completions.size() == 20);
        for (int i = 0; i < 20; i++) {
            assertEquals(3L * i, Mem.getLong(local.addr + 8L * i));
        }
        assertEquals(60, Mem.getLong(remote.addr));
    }

    @Test
    void an_atomic_runs_once_though_it_comes_again_on_another_path() {
        connect(4, 4);
        a.fetchAdd(QP, 1, local, 0, remote.addr, remote.key, 3, pair.nowNs);
        Peer.Frame request = a.transmit(pair.nowNs).stream()
                .filter(f -> f.opcode() == Opcode.ATOMIC_REQ)
                .findFirst()
                .orElseThrow();
        b.arrive(request, pair.nowNs);
        b.arrive(new Peer.Frame(request.id + 500, request.type, request.bytes), pair.nowNs);
        assertEquals(3, Mem.getLong(remote.addr));
    }

    @Test
    void a_lost_result_is_replayed() {
        connect(1, 1);
        int[] lost = new int[1];
        pair.dropData = f -> f.opcode() == Opcode.ATOMIC_RSP && lost[0]++ < 3;
        Mem.putLong(remote.addr, 100);
        a.fetchAdd(QP, 1, local, 0, remote.addr, remote.key, 1, pair.nowNs);
        pair.until(() -> a.completions.size() == 1);
        assertTrue(lost[0] > 3);
        assertEquals(100, Mem.getLong(local.addr));
        assertEquals(101, Mem.getLong(remote.addr));
    }

    @Test
    void no_more_are_open_than_the_responder_serves() {
        connect(16, 3);
        Set<Integer> open = new HashSet<>();
        int[] most = new int[1];
        pair.dropData = f -> {
            if (f.opcode() == Opcode.READ_REQ) {
                open.add(f.msn());
            } else if (f.opcode() == Opcode.READ_RSP) {
                open.remove(f.msn());
            }
            most[0] = Math.max(most[0], open.size());
            return false;
        };
        for (int i = 0; i < 30; i++) {
            a.read(QP, i, SIGNALED, local, 0, 500, remote.addr, remote.key, pair.nowNs);
        }
        pair.until(() -> a.completions.size() == 30);
        assertEquals(3, most[0]);
    }

    @Test
    void no_more_are_open_than_the_requester_may() {
        connect(2, 16);
        for (int i = 0; i < 10; i++) {
            a.read(QP, i, SIGNALED, local, 0, 500, remote.addr, remote.key, pair.nowNs);
        }
        assertEquals(
                2,
                a.transmit(pair.nowNs).stream()
                        .filter(f -> f.opcode() == Opcode.READ_REQ)
                        .count());
    }

    /** Reads complete out of order; the next one waits for the oldest all the same, or the responder would have to keep too many. */
    @Test
    void the_limit_counts_from_the_oldest_that_is_open() {
        connect(16, 2);
        remote.fill(1);
        pair.dropData = f -> f.opcode() == Opcode.READ_RSP && f.msn() == 0 && pair.nowNs < 1_020_000_000L;
        for (int i = 0; i < 6; i++) {
            a.read(QP, i, SIGNALED, local, 1000L * i, 500, remote.addr, remote.key, pair.nowNs);
        }
        pair.forNs(2_000_000);
        assertEquals(1, local.bytes(1000, 1)[0]); // the second has come
        assertEquals(0, local.bytes(2000, 1)[0]); // the third was not asked for
        pair.until(() -> a.completions.size() == 6);
        assertEquals(List.of(0, 0, 0, 0, 0, 0), statuses());
    }

    @Test
    void a_responder_that_serves_none_refuses() {
        connect(4, 0);
        a.read(QP, 1, SIGNALED, local, 0, 500, remote.addr, remote.key, pair.nowNs);
        pair.until(() -> a.completions.size() == 1);
        assertEquals(List.of(Verbs.REM_INV_REQ_ERR), statuses());
    }

    @Test
    void a_fenced_work_request_waits_for_earlier_answers() {
        connect(4, 4);
        remote.fill(1);
        long untilNs = pair.nowNs + 5_000_000;
        pair.dropData = f -> f.opcode() == Opcode.READ_RSP && pair.nowNs < untilNs;
        a.read(QP, 1, SIGNALED, local, 0, 100, remote.addr, remote.key, pair.nowNs);
        a.write(QP, 2, SIGNALED | SendSlot.FENCE, local, 50_000, 100, remote.addr, remote.key, pair.nowNs);
        pair.forNs(3_000_000);
        assertEquals(1, remote.bytes(0, 1)[0]);
        pair.until(() -> a.completions.size() == 2);
        assertEquals(1, local.bytes(0, 1)[0]);
        assertEquals(0, remote.bytes(0, 1)[0]);
    }

    @Test
    void a_read_sees_what_was_written_before_it() {
        connect(4, 4);
        pair.spreadNs = 200_000; // the READ request may arrive first
        for (int i = 1; i <= 20; i++) {
            local.put(0, new byte[] {(byte) i});
            int before = a.completions.size();
            a.write(QP, i, SIGNALED, local, 0, 5000, remote.addr, remote.key, pair.nowNs);
            a.read(QP, 100 + i, SIGNALED, local, 10_000, 5000, remote.addr, remote.key, pair.nowNs);
            pair.until(() -> a.completions.size() == before + 2);
            assertArrayEquals(local.bytes(0, 5000), local.bytes(10_000, 5000));
        }
    }

    @Test
    void a_region_that_goes_while_it_is_read_fails_the_read() {
        connect(4, 4);
        remote.fill(3);
        b.window = 4; // the answer cannot go at once
        a.read(QP, 1, SIGNALED, local, 0, 80_000, remote.addr, remote.key, pair.nowNs);
        pair.until(() -> local.bytes(0, 1)[0] == 3);
        b.memory.deregister(remote);
        remote.fill(4);
        pair.until(() -> a.completions.size() == 1);
        assertEquals(List.of(Verbs.REM_ACCESS_ERR), statuses());
        for (byte x : local.bytes(0, 80_000)) {
            assertTrue(x != 4, "bytes of a region that was gone");
        }
    }

    @Test
    void a_lost_answer_whose_region_is_gone_carries_the_error_under_its_number() {
        connect(4, 4);
        int[] lost = new int[1];
        pair.dropData = f -> {
            if (f.opcode() == Opcode.READ_RSP && lost[0]++ == 0) {
                b.memory.deregister(remote);
                return true;
            }
            return false;
        };
        a.read(QP, 1, SIGNALED, local, 0, 100, remote.addr, remote.key, pair.nowNs);
        pair.until(() -> a.completions.size() == 1);
        assertEquals(List.of(Verbs.REM_ACCESS_ERR), statuses());
        assertTrue(lost[0] > 1);
    }

    @Test
    void a_read_of_two_gigabytes_less_one_fits_the_numbers() {
        // Only the arithmetic: 2^31 bytes are 1,597,831 segments of 1344.
        assertEquals(1_597_831, io.metaroce.wire.DataLayout.segments(1L << 31, 1344));
        assertEquals(1_864_136, io.metaroce.wire.DataLayout.segments(1L << 31, 1152));
    }
}
