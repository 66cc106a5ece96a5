package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.Mem;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** One message of each kind over a perfect wire: data and completions. */
final class FirstMessagesTest {
    private static final int QP = 5;
    private static final int SIGNALED = SendSlot.SIGNALED;

    private final Pair pair = new Pair(1).connected(QP, 16, 16);
    private final Peer a = pair.a;
    private final Peer b = pair.b;

    private static byte[] random(int n) {
        byte[] bytes = new byte[n];
        new Random(n).nextBytes(bytes);
        return bytes;
    }

    @Test
    void a_write_lands_at_its_address() {
        TestMemory.Region from = a.memory.register(Peer.PD, 100_000, 0);
        TestMemory.Region to = b.memory.register(Peer.PD, 100_000, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        byte[] data = random(100_000);
        from.put(0, data);
        a.write(QP, 11, SIGNALED, from, 10, 99_000, to.addr + 500, to.key, pair.nowNs);
        pair.until(() -> !a.completions.isEmpty());
        assertEquals(List.of(new Peer.Wc(QP * 2, QP, 11, 0, Verbs.WC_RDMA_WRITE, 99_000, 0, 0, false)), a.completions);
        byte[] expected = new byte[100_000];
        System.arraycopy(data, 10, expected, 500, 99_000);
        assertArrayEquals(expected, to.bytes(0, 100_000));
        assertEquals(List.of(), b.completions);
    }

    @Test
    void a_send_lands_in_the_posted_receive() {
        TestMemory.Region from = a.memory.register(Peer.PD, 5000, 0);
        TestMemory.Region to = b.memory.register(Peer.PD, 5000, Verbs.LOCAL_WRITE);
        byte[] data = random(5000);
        from.put(0, data);
        b.recv(QP, 77, pair.nowNs, to.addr, 2000, to.key, to.addr + 2500, 2500, to.key);
        a.send(QP, 12, SIGNALED | SendSlot.SOLICITED, from, 0, 3333, pair.nowNs);
        pair.until(() -> !a.completions.isEmpty());
        assertEquals(List.of(new Peer.Wc(QP * 2, QP, 12, 0, Verbs.WC_SEND, 3333, 0, 0, false)), a.completions);
        assertEquals(List.of(new Peer.Wc(QP * 2 + 1, QP, 77, 0, Verbs.WC_RECV, 3333, 0, 0, true)), b.completions);
        byte[] expected = new byte[5000];
        System.arraycopy(data, 0, expected, 0, 2000);
        System.arraycopy(data, 2000, expected, 2500, 1333);
        assertArrayEquals(expected, to.bytes(0, 5000));
    }

    @Test
    void immediates_arrive_with_the_bytes_that_the_program_gave() {
        TestMemory.Region from = a.memory.register(Peer.PD, 3000, 0);
        TestMemory.Region to = b.memory.register(Peer.PD, 3000, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        byte[] data = random(3000);
        from.put(0, data);
        b.recv(QP, 1, pair.nowNs, to.addr, 10, to.key);
        b.recv(QP, 2, pair.nowNs);
        long s = a.begin(QP, 3, Verbs.WR_SEND_IMM, SIGNALED, from.addr, 10, from.key);
        SendSlot.imm(s, 0x11223344);
        a.post(QP, pair.nowNs);
        s = a.begin(QP, 4, Verbs.WR_WRITE_IMM, SIGNALED, from.addr, 2900, from.key);
        SendSlot.imm(s, 0xa1b2c3d4);
        SendSlot.remoteAddr(s, to.addr + 100);
        SendSlot.rkey(s, to.key);
        a.post(QP, pair.nowNs);
        pair.until(() -> a.completions.size() == 2);
        assertEquals(
                List.of(
                        new Peer.Wc(QP * 2 + 1, QP, 1, 0, Verbs.WC_RECV, 10, 0x11223344, Verbs.WC_WITH_IMM, false),
                        new Peer.Wc(
                                QP * 2 + 1,
                                QP,
                                2,
                                0,
                                Verbs.WC_RECV_WITH_IMM,
                                2900,
                                0xa1b2c3d4,
                                Verbs.WC_WITH_IMM,
                                false)),
                b.completions);
        byte[] expected = new byte[3000];
        System.arraycopy(data, 0, expected, 0, 10);
        System.arraycopy(data, 0, expected, 100, 2900);
        assertArrayEquals(expected, to.bytes(0, 3000));
    }

    @Test
    void a_read_brings_the_remote_bytes() {
        TestMemory.Region to = a.memory.register(Peer.PD, 70_000, Verbs.LOCAL_WRITE);
        TestMemory.Region from = b.memory.register(Peer.PD, 70_000, Verbs.REMOTE_READ);
        byte[] data = random(70_000);
        from.put(0, data);
        a.read(QP, 5, SIGNALED, to, 100, 65_536, from.addr + 7, from.key, pair.nowNs);
        pair.until(() -> !a.completions.isEmpty());
        assertEquals(List.of(new Peer.Wc(QP * 2, QP, 5, 0, Verbs.WC_RDMA_READ, 65_536, 0, 0, false)), a.completions);
        byte[] expected = new byte[70_000];
        System.arraycopy(data, 7, expected, 100, 65_536);
        assertArrayEquals(expected, to.bytes(0, 70_000));
    }

    @Test
    void atomics_return_the_value_before_and_change_it() {
        TestMemory.Region to = a.memory.register(Peer.PD, 64, Verbs.LOCAL_WRITE);
        TestMemory.Region at = b.memory.register(Peer.PD, 64, Verbs.LOCAL_WRITE | Verbs.REMOTE_ATOMIC);
        Mem.putLong(at.addr + 8, 0x0102030405060708L);
        a.fetchAdd(QP, 1, to, 0, at.addr + 8, at.key, 5, pair.nowNs);
        for (int i = 0; i < 2; i++) { // the first swaps, the second finds another value
            long s = a.begin(QP, 2 + i, Verbs.WR_CMP_SWP, SIGNALED, to.addr + 8 + 8L * i, 8, to.key);
            SendSlot.remoteAddr(s, at.addr + 8);
            SendSlot.rkey(s, at.key);
            SendSlot.compareAdd(s, 0x010203040506070dL);
            SendSlot.swap(s, -1);
            a.post(QP, pair.nowNs);
        }
        pair.until(() -> a.completions.size() == 3);
        assertEquals(new Peer.Wc(QP * 2, QP, 1, 0, Verbs.WC_FETCH_ADD, 8, 0, 0, false), a.completions.get(0));
        assertEquals(new Peer.Wc(QP * 2, QP, 2, 0, Verbs.WC_COMP_SWAP, 8, 0, 0, false), a.completions.get(1));
        assertEquals(0x0102030405060708L, Mem.getLong(to.addr));
        assertEquals(0x010203040506070dL, Mem.getLong(to.addr + 8));
        assertEquals(-1L, Mem.getLong(to.addr + 16));
        assertEquals(-1L, Mem.getLong(at.addr + 8));
    }

    @Test
    void messages_without_bytes_complete() {
        b.recv(QP, 9, pair.nowNs);
        a.begin(QP, 1, Verbs.WR_WRITE, SIGNALED);
        a.post(QP, pair.nowNs);
        a.begin(QP, 2, Verbs.WR_SEND, SIGNALED);
        a.post(QP, pair.nowNs);
        a.begin(QP, 3, Verbs.WR_READ, SIGNALED);
        a.post(QP, pair.nowNs);
        pair.until(() -> a.completions.size() == 3);
        assertEquals(
                List.of(1L, 2L, 3L), a.completions.stream().map(Peer.Wc::wrId).toList());
        assertEquals(
                List.of(0, 0, 0), a.completions.stream().map(Peer.Wc::status).toList());
        assertEquals(List.of(new Peer.Wc(QP * 2 + 1, QP, 9, 0, Verbs.WC_RECV, 0, 0, 0, false)), b.completions);
    }

    @Test
    void inline_bytes_are_those_of_the_post() {
        TestMemory.Region to = b.memory.register(Peer.PD, 300, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        byte[] data = random(220);
        long s = a.begin(QP, 1, Verbs.WR_WRITE, SIGNALED | SendSlot.INLINE);
        Mem.copy(data, 0, SendSlot.inline(s), 220);
        SendSlot.length(s, 220);
        SendSlot.remoteAddr(s, to.addr);
        SendSlot.rkey(s, to.key);
        a.post(QP, pair.nowNs);
        pair.until(() -> !a.completions.isEmpty());
        assertArrayEquals(data, to.bytes(0, 220));
    }

    @Test
    void unsignalled_work_leaves_no_completion_but_frees_its_slot() {
        TestMemory.Region from = a.memory.register(Peer.PD, 100, 0);
        TestMemory.Region to = b.memory.register(Peer.PD, 100, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        for (int i = 0; i < 16; i++) {
            a.write(QP, i, i == 15 ? SIGNALED : 0, from, 0, 100, to.addr, to.key, pair.nowNs);
        }
        pair.until(() -> !a.completions.isEmpty());
        assertEquals(List.of(15L), a.completions.stream().map(Peer.Wc::wrId).toList());
        assertEquals(16, io.metaroce.provider.slots.Ring.head(a.sq(QP)));
    }
}
