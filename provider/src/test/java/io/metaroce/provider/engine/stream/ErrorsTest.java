package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Counter;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.BlockKind;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Error completions: the status that IBTA 10.8.5 and Linux rxe give, in order, with not one byte changed. */
final class ErrorsTest {
    private static final int QP = 5;
    private static final int SIGNALED = SendSlot.SIGNALED;
    private static final int LENGTH = 4000;

    private Pair pair = new Pair(7);
    private Peer a = pair.a;
    private Peer b = pair.b;
    private TestMemory.Region local = a.memory.register(Peer.PD, LENGTH, Verbs.LOCAL_WRITE);
    private TestMemory.Region remote = b.memory.register(Peer.PD, LENGTH, 15);

    @BeforeEach
    void connect() {
        connect(Peer.ALL_ACCESS);
    }

    private void connect(int qpAccess) {
        pair = new Pair(7);
        a = pair.a;
        b = pair.b;
        local = a.memory.register(Peer.PD, LENGTH, Verbs.LOCAL_WRITE);
        remote = b.memory.register(Peer.PD, LENGTH, 15);
        local.fill(1);
        remote.fill(2);
        var attributes = Peer.attributes(0);
        attributes.accessFlags = qpAccess;
        pair.connected(QP, 16, 16, attributes);
        pair.settle();
    }

    private static List<Integer> statuses(List<Peer.Wc> completions) {
        return completions.stream().map(Peer.Wc::status).toList();
    }

    /** The request fails with this status; what was before it succeeds, what is behind it is flushed; both ends are in ERR. */
    private void fails(Runnable post, int status, String event) {
        a.write(QP, 1, 0, local, 0, 8, remote.addr, remote.key, pair.nowNs);
        post.run();
        a.write(QP, 3, 0, local, 0, 8, remote.addr, remote.key, pair.nowNs);
        b.recv(QP, 50, pair.nowNs, remote.addr, LENGTH, remote.key);
        pair.until(() -> a.completions.size() == 2 && !b.completions.isEmpty());
        assertEquals(List.of(status, Verbs.FLUSH_ERR), statuses(a.completions));
        assertEquals(List.of(2L, 3L), a.completions.stream().map(Peer.Wc::wrId).toList());
        assertEquals(Verbs.ERR, a.streams.state(QP));
        assertEquals(Verbs.ERR, b.streams.state(QP));
        assertEquals(List.of(QP + ":" + event), b.events);
        assertEquals(List.of(), a.events);
        assertEquals(List.of(Verbs.FLUSH_ERR), statuses(b.completions));
        byte[] expected = new byte[LENGTH];
        Arrays.fill(expected, 0, 8, (byte) 1);
        Arrays.fill(expected, 8, LENGTH, (byte) 2);
        assertArrayEquals(expected, remote.bytes(0, LENGTH));
        pair.settle(); // nothing more comes
        assertEquals(2, a.completions.size());
    }

    private void write(long va, long length, int rkey) {
        a.write(QP, 2, 0, local, 0, length, va, rkey, pair.nowNs);
    }

    private void read(long va, long length, int rkey) {
        a.read(QP, 2, 0, local, 0, length, va, rkey, pair.nowNs);
    }

    @Test
    void writes_outside_what_is_allowed_are_refused() {
        TestMemory.Region otherPd = b.memory.register(Peer.PD + 1, LENGTH, 15);
        TestMemory.Region readOnly = b.memory.alias(remote, Verbs.LOCAL_WRITE | Verbs.REMOTE_READ);
        assertEquals(0, b.count(Counter.REMOTE_ACCESS_ERRORS));
        fails(() -> write(remote.addr + 1, LENGTH, remote.key), Verbs.REM_ACCESS_ERR, "3");
        assertEquals(1, Math.min(1, b.count(Counter.REMOTE_ACCESS_ERRORS)));
        connect();
        fails(() -> write(remote.addr - 1, 2, remote.key), Verbs.REM_ACCESS_ERR, "3");
        connect();
        fails(() -> write(remote.addr, 8, remote.key + 77), Verbs.REM_ACCESS_ERR, "3");
        connect();
        fails(() -> write(-8, 16, remote.key), Verbs.REM_ACCESS_ERR, "3");
        connect();
        int other = b.memory.register(otherPd.pd, 100, 15).key;
        fails(() -> write(remote.addr, 8, other), Verbs.REM_ACCESS_ERR, "3");
        connect();
        int alias = b.memory.alias(remote, readOnly.access).key;
        fails(() -> write(remote.addr, 8, alias), Verbs.REM_ACCESS_ERR, "3");
    }

    @Test
    void reads_outside_what_is_allowed_are_refused() {
        fails(() -> read(remote.addr + 1, LENGTH, remote.key), Verbs.REM_ACCESS_ERR, "3");
        connect();
        fails(() -> read(remote.addr, 8, remote.key + 77), Verbs.REM_ACCESS_ERR, "3");
        connect();
        int alias = b.memory.alias(remote, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE).key;
        fails(() -> read(remote.addr, 8, alias), Verbs.REM_ACCESS_ERR, "3");
        assertArrayEquals(new byte[] {1, 1}, local.bytes(0, 2));
    }

    @Test
    void atomics_outside_what_is_allowed_are_refused() {
        fails(
                () -> a.fetchAdd(QP, 2, local, 0, remote.addr + LENGTH, remote.key, 1, pair.nowNs),
                Verbs.REM_ACCESS_ERR,
                "3");
        connect();
        int alias = b.memory.alias(remote, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE | Verbs.REMOTE_READ).key;
        fails(() -> a.fetchAdd(QP, 2, local, 0, remote.addr, alias, 1, pair.nowNs), Verbs.REM_ACCESS_ERR, "3");
        connect();
        fails(
                () -> a.fetchAdd(QP, 2, local, 0, remote.addr + 12, remote.key, 1, pair.nowNs),
                Verbs.REM_INV_REQ_ERR,
                "2");
    }

    @Test
    void what_the_queue_pair_does_not_permit_is_an_invalid_request() {
        connect(Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        fails(() -> read(remote.addr, 8, remote.key), Verbs.REM_INV_REQ_ERR, "2");
        connect(Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        fails(() -> a.fetchAdd(QP, 2, local, 0, remote.addr, remote.key, 1, pair.nowNs), Verbs.REM_INV_REQ_ERR, "2");
        connect(Verbs.LOCAL_WRITE | Verbs.REMOTE_READ);
        a.write(QP, 1, 0, local, 0, 8, remote.addr, remote.key, pair.nowNs);
        pair.until(() -> a.completions.size() == 1);
        assertEquals(List.of(Verbs.REM_INV_REQ_ERR), statuses(a.completions));
        assertEquals(2, remote.bytes(0, 1)[0]);
    }

    @Test
    void a_refused_write_of_many_packets_changes_nothing_whatever_the_order() {
        pair.spreadNs = 100_000;
        fails(() -> write(remote.addr + 8, LENGTH - 7, remote.key), Verbs.REM_ACCESS_ERR, "3");
    }

    @Test
    void a_message_longer_than_its_receive_fails_both() {
        b.recv(QP, 60, pair.nowNs, remote.addr, 100, remote.key);
        b.recv(QP, 61, pair.nowNs, remote.addr, LENGTH, remote.key);
        a.send(QP, 2, 0, local, 0, 101, pair.nowNs);
        pair.until(() -> a.completions.size() == 1 && b.completions.size() == 2);
        assertEquals(List.of(Verbs.REM_INV_REQ_ERR), statuses(a.completions));
        assertEquals(List.of(Verbs.LOC_LEN_ERR, Verbs.FLUSH_ERR), statuses(b.completions));
        assertEquals(
                List.of(60L, 61L), b.completions.stream().map(Peer.Wc::wrId).toList());
        assertEquals(2, remote.bytes(0, 1)[0]);
    }

    @Test
    void a_receive_into_memory_that_is_not_registered_fails_both() {
        b.recv(QP, 60, pair.nowNs, remote.addr, LENGTH, remote.key + 99);
        a.send(QP, 2, 0, local, 0, 101, pair.nowNs);
        pair.until(() -> a.completions.size() == 1 && b.completions.size() == 1);
        assertEquals(List.of(Verbs.REM_OP_ERR), statuses(a.completions));
        assertEquals(List.of(Verbs.LOC_PROT_ERR), statuses(b.completions));
    }

    @Test
    void a_receive_into_memory_that_is_not_writable_fails_both() {
        TestMemory.Region readOnly = b.memory.register(Peer.PD, 200, 0);
        b.recv(QP, 60, pair.nowNs, readOnly.addr, 200, readOnly.key);
        a.send(QP, 2, 0, local, 0, 101, pair.nowNs);
        pair.until(() -> a.completions.size() == 1 && b.completions.size() == 1);
        assertEquals(List.of(Verbs.REM_OP_ERR), statuses(a.completions));
        assertEquals(List.of(Verbs.LOC_PROT_ERR), statuses(b.completions));
        assertArrayEquals(new byte[200], readOnly.bytes(0, 200));
    }

    private void failsLocally(Runnable post, int status) {
        a.write(QP, 1, SIGNALED, local, 0, 8, remote.addr, remote.key, pair.nowNs);
        post.run();
        a.write(QP, 3, 0, local, 0, 8, remote.addr, remote.key, pair.nowNs);
        pair.until(() -> a.completions.size() == 3);
        assertEquals(List.of(0, status, Verbs.FLUSH_ERR), statuses(a.completions));
        assertEquals(Verbs.ERR, a.streams.state(QP));
        pair.settle();
        assertEquals(Verbs.RTS, b.streams.state(QP));
        assertEquals(2, remote.bytes(8, 1)[0]);
    }

    @Test
    void work_requests_over_memory_that_is_not_ours_fail_before_a_byte_is_sent() {
        failsLocally(
                () -> {
                    a.begin(QP, 2, Verbs.WR_SEND, 0, local.addr, LENGTH + 1, local.key);
                    a.post(QP, pair.nowNs);
                },
                Verbs.LOC_PROT_ERR);
        connect();
        failsLocally(
                () -> {
                    long slot = a.begin(
                            QP, 2, Verbs.WR_WRITE, 0, local.addr, 3000, local.key, local.addr, 10, local.key + 50);
                    SendSlot.remoteAddr(slot, remote.addr + 8);
                    SendSlot.rkey(slot, remote.key);
                    a.post(QP, pair.nowNs);
                },
                Verbs.LOC_PROT_ERR);
        connect();
        TestMemory.Region notWritable = a.memory.register(Peer.PD, 100, 0);
        failsLocally(
                () -> a.read(QP, 2, 0, notWritable, 0, 100, remote.addr, remote.key, pair.nowNs), Verbs.LOC_PROT_ERR);
        connect();
        TestMemory.Region otherPd = a.memory.register(Peer.PD + 3, 100, 15);
        failsLocally(
                () -> a.write(QP, 2, 0, otherPd, 0, 100, remote.addr + 8, remote.key, pair.nowNs), Verbs.LOC_PROT_ERR);
    }

    @Test
    void an_operation_that_rc_does_not_have_fails() {
        failsLocally(
                () -> {
                    a.begin(QP, 2, 99, 0, local.addr, 8, local.key);
                    a.post(QP, pair.nowNs);
                },
                Verbs.LOC_QP_OP_ERR);
    }

    @Test
    void an_unmapped_source_fails_the_work_request() {
        failsLocallyUnmapped(a);
    }

    private void failsLocallyUnmapped(Peer side) {
        a.write(QP, 1, SIGNALED, local, 0, 8, remote.addr, remote.key, pair.nowNs);
        pair.until(() -> a.completions.size() == 1);
        side.memory.unmapped = true;
        a.write(QP, 2, 0, local, 0, 8, remote.addr, remote.key, pair.nowNs);
        pair.until(() -> a.completions.size() == 2);
        assertEquals(List.of(0, side == a ? Verbs.LOC_PROT_ERR : Verbs.REM_OP_ERR), statuses(a.completions));
    }

    @Test
    void an_unmapped_target_is_a_remote_operation_error() {
        failsLocallyUnmapped(b);
    }

    @Test
    void the_error_of_a_lost_block_is_asked_for() {
        pair.dropAck = k -> k.hasBlock(0, BlockKind.ERROR) && a.count(Counter.TX_QUERIES) == 0;
        write(remote.addr + 1, LENGTH, remote.key);
        pair.until(() -> a.completions.size() == 1, 100_000_000);
        assertEquals(List.of(Verbs.REM_ACCESS_ERR), statuses(a.completions));
        assertTrue(a.count(Counter.TX_QUERIES) > 0);
    }

    @Test
    void an_error_of_one_queue_pair_leaves_the_others_alone() {
        pair.connected(QP + 1, 16, 16);
        write(remote.addr + 1, LENGTH, remote.key);
        for (int i = 0; i < 10; i++) {
            a.write(QP + 1, i, SIGNALED, local, 0, 3000, remote.addr, remote.key, pair.nowNs);
        }
        pair.until(() -> a.sends(QP + 1).size() == 10 && a.sends(QP).size() == 1);
        assertEquals(Collections.nCopies(10, 0), statuses(a.sends(QP + 1)));
        assertEquals(Verbs.RTS, b.streams.state(QP + 1));
    }
}
