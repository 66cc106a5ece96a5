package io.metaroce.provider.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.verbs.AccessFlags;
import io.metaroce.verbs.AsyncEvent;
import io.metaroce.verbs.AsyncEventType;
import io.metaroce.verbs.CompletionChannel;
import io.metaroce.verbs.CompletionQueue;
import io.metaroce.verbs.DeviceContext;
import io.metaroce.verbs.MemoryRegion;
import io.metaroce.verbs.ProtectionDomain;
import io.metaroce.verbs.QpCapacity;
import io.metaroce.verbs.QpState;
import io.metaroce.verbs.QueuePair;
import io.metaroce.verbs.SendFlags;
import io.metaroce.verbs.VerbsException;
import io.metaroce.verbs.WorkCompletion;
import io.metaroce.verbs.WorkOpcode;
import io.metaroce.verbs.WorkStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The verbs of a Java program, end to end: two queue pairs of one process on {@code lo}. Needs CAP_NET_RAW, as root has it. */
final class VerbsOnLoTest {
    private static final int SIZE = 1 << 20;
    private static final long PATIENCE_NS = 20_000_000_000L;

    private final JavaDevice device = new JavaDevice(
            "lo0",
            (signals, ring, fd) ->
                    RunningDevice.open(Map.of("METAROCE_IFACE", "lo", "METAROCE_LOG", "off"), signals, ring, fd));
    private final WorkCompletion wc = new WorkCompletion();
    private DeviceContext context;
    private ProtectionDomain pd;
    private CompletionChannel channel;
    private CompletionQueue cqA;
    private CompletionQueue cqB;
    private QueuePair a;
    private QueuePair b;
    private MemoryRegion here;
    private MemoryRegion there;

    @BeforeEach
    void open() {
        context = device.open();
        pd = context.allocateProtectionDomain();
        channel = context.createCompletionChannel();
        cqA = context.createCompletionQueue(128);
        cqB = context.createCompletionQueue(128, channel);
        a = pd.createQueuePair(cqA, cqA, new QpCapacity(64, 64, 4, 4, 128));
        b = pd.createQueuePair(cqB, cqB, new QpCapacity(64, 64, 4, 4, 128));
        here = pd.allocate(SIZE, AccessFlags.ALL);
        there = pd.allocate(SIZE, AccessFlags.ALL);
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        here.close();
        there.close();
        cqA.close();
        cqB.close();
        channel.close();
        pd.close();
        context.close();
    }

    private void connect() {
        a.connect(context.gid(0), b.qpNumber());
        b.connect(context.gid(0), a.qpNumber());
    }

    private WorkCompletion next(CompletionQueue cq) {
        long end = System.nanoTime() + PATIENCE_NS;
        while (!cq.poll(wc)) {
            assertTrue(System.nanoTime() < end, "no completion came");
        }
        return wc;
    }

    private static void fill(MemoryRegion region, int seed) {
        ByteBuffer buffer = region.buffer();
        for (int i = 0; i < buffer.limit(); i++) {
            buffer.put(i, (byte) (i * 31 + (i >> 8) + seed));
        }
    }

    private void assertSame(int from, int to, int bytes) {
        ByteBuffer x = here.buffer().slice(from, bytes);
        ByteBuffer y = there.buffer().slice(to, bytes);
        assertEquals(-1, x.mismatch(y));
    }

    @Test
    void send_receive_write_read_and_atomics_move_the_right_bytes() {
        connect();
        fill(here, 1);
        b.receives().begin(77).sge(there, 100, 50).sge(there, 4096, 10_000).commit();
        a.sends()
                .begin(1, SendFlags.SIGNALED)
                .sge(here, 0, 3000)
                .sge(here, 5000, 2000)
                .commit();
        assertEquals(1, next(cqA).requireSuccess().wrId());
        assertEquals(WorkOpcode.SEND, wc.opcode());
        assertEquals(77, next(cqB).requireSuccess().wrId());
        assertEquals(WorkOpcode.RECV, wc.opcode());
        assertEquals(5000, wc.byteLength());
        assertEquals(b.qpNumber(), wc.qpNumber());
        assertFalse(wc.hasImmediate());
        assertSame(0, 100, 50);
        assertSame(50, 4096, 2950);
        assertSame(5000, 4096 + 2950, 2000);

        b.receives().begin(78).commit();
        a.sends()
                .begin(2, SendFlags.SIGNALED)
                .writeWithImmediate(there.rkey(), there.address(), 0x01020304)
                .sge(here, 0, SIZE)
                .commit();
        assertEquals(78, next(cqB).requireSuccess().wrId());
        assertEquals(WorkOpcode.RECV_RDMA_WITH_IMM, wc.opcode());
        assertTrue(wc.hasImmediate());
        assertEquals(0x01020304, wc.immediate());
        assertEquals(SIZE, wc.byteLength());
        assertSame(0, 0, SIZE);
        assertEquals(2, next(cqA).requireSuccess().wrId());

        fill(there, 9);
        a.sends()
                .begin(3, SendFlags.SIGNALED)
                .read(there.rkey(), there.address() + 8)
                .sge(here, 8, 500_000)
                .commit();
        assertEquals(WorkOpcode.RDMA_READ, next(cqA).requireSuccess().opcode());
        assertSame(8, 8, 500_000);

        there.buffer().putLong(64, 40);
        a.sends()
                .begin(4, SendFlags.SIGNALED)
                .fetchAndAdd(there.rkey(), there.address() + 64, 2)
                .sge(here, 0, 8)
                .commit();
        assertEquals(WorkOpcode.FETCH_ADD, next(cqA).requireSuccess().opcode());
        assertEquals(40, here.buffer().getLong(0));
        a.sends()
                .begin(5, SendFlags.SIGNALED | SendFlags.FENCE)
                .compareAndSwap(there.rkey(), there.address() + 64, 42, 7)
                .sge(here, 0, 8)
                .commit();
        assertEquals(WorkOpcode.COMP_SWAP, next(cqA).requireSuccess().opcode());
        assertEquals(42, here.buffer().getLong(0));
        assertEquals(7, there.buffer().getLong(64));

        b.receives().begin(79).sge(there, 0, 128).commit();
        a.sends()
                .begin(6, 0)
                .immediate(-2)
                .inline(ByteBuffer.wrap(new byte[] {9, 8, 7}, 1, 2))
                .commit();
        assertEquals(-2, next(cqB).requireSuccess().immediate());
        assertEquals(2, wc.byteLength());
        assertEquals(0x0708, Short.toUnsignedInt(there.buffer().getShort(0)));
        assertFalse(cqA.poll(wc)); // unsignalled
    }

    @Test
    void several_work_requests_go_with_one_commit() {
        connect();
        fill(here, 2);
        for (int i = 0; i < 63; i++) {
            a.sends()
                    .begin(i, SendFlags.SIGNALED)
                    .write(there.rkey(), there.address() + 64L * i)
                    .sge(here, 64L * i, 64)
                    .more();
        }
        assertEquals(1, a.sends().room());
        a.sends()
                .begin(63, SendFlags.SIGNALED)
                .write(there.rkey(), there.address() + 64 * 63)
                .sge(here, 64 * 63, 64)
                .commit();
        for (int i = 0; i < 64; i++) {
            assertEquals(i, next(cqA).requireSuccess().wrId());
        }
        assertSame(0, 0, 64 * 64);
        assertEquals(64, a.sends().room());
    }

    @Test
    void what_post_refuses_is_not_posted() {
        assertEquals(
                22,
                assertThrows(VerbsException.class, () -> a.sends().begin(1, 0)).errno());
        assertEquals(
                22,
                assertThrows(VerbsException.class, () -> a.receives().begin(1)).errno());
        connect();
        assertEquals(
                22,
                assertThrows(VerbsException.class, () -> a.sends().begin(1, 8)).errno());
        assertEquals(
                22, assertThrows(VerbsException.class, () -> a.sends().commit()).errno());
        assertThrows(
                VerbsException.class,
                () -> a.sends()
                        .begin(1, 0)
                        .inline(ByteBuffer.allocate(a.capacity().inlineBytes() + 1)));
        assertThrows(
                VerbsException.class,
                () -> a.sends()
                        .begin(1, 0)
                        .read(0, 0)
                        .inline(ByteBuffer.allocate(1))
                        .commit());
        assertThrows(VerbsException.class, () -> a.sends().begin(1, 0).fetchAndAdd(0, 4, 1));
        assertThrows(
                VerbsException.class,
                () -> a.sends().begin(1, 0).fetchAndAdd(0, 8, 1).sge(here, 0, 9).commit());
        assertThrows(VerbsException.class, () -> {
            a.sends().begin(1, 0);
            for (int i = 0; i < 5; i++) {
                a.sends().sge(here, 0, 1);
            }
        });
        assertEquals(64, a.sends().room());
        for (int i = 0; i < 64; i++) {
            a.receives().begin(i).more();
        }
        assertEquals(
                12,
                assertThrows(VerbsException.class, () -> a.receives().begin(1)).errno());
        assertFalse(cqA.poll(wc));
    }

    @Test
    void remote_access_outside_the_region_fails_and_changes_nothing() {
        connect();
        fill(here, 3);
        fill(there, 4);
        byte[] before = new byte[SIZE];
        there.buffer().get(before);
        a.sends()
                .begin(5, 0)
                .write(there.rkey(), there.address() + SIZE - 10)
                .sge(here, 0, 11)
                .commit();
        assertEquals(WorkStatus.REM_ACCESS_ERR, next(cqA).status());
        assertEquals(5, wc.wrId());
        byte[] after = new byte[SIZE];
        there.buffer().get(after);
        assertEquals(-1, ByteBuffer.wrap(before).mismatch(ByteBuffer.wrap(after)));
        assertEquals(QpState.ERR, a.state());
        a.sends().begin(6, 0).sge(here, 0, 1).commit();
        assertEquals(WorkStatus.WR_FLUSH_ERR, next(cqA).status());
    }

    @Test
    void a_deregistered_key_opens_nothing() {
        connect();
        MemoryRegion gone = pd.allocate(64, AccessFlags.ALL);
        int key = gone.rkey();
        long address = gone.address();
        gone.close();
        a.sends().begin(5, 0).write(key, address).sge(here, 0, 8).commit();
        assertEquals(WorkStatus.REM_ACCESS_ERR, next(cqA).status());
    }

    @Test
    void a_thread_is_woken_by_its_channel() throws InterruptedException {
        connect();
        assertNull(channel.await(Duration.ZERO));
        for (int i = 0; i < 20; i++) {
            b.receives().begin(i).sge(there, 0, 64).commit();
            cqB.requestNotification(false);
            assertFalse(cqB.poll(wc));
            a.sends().begin(i, SendFlags.SIGNALED).sge(here, 0, 8).commit();
            assertEquals(cqB, channel.await(Duration.ofSeconds(20)));
            assertEquals(i, next(cqB).requireSuccess().wrId());
            next(cqA).requireSuccess();
        }
        assertNull(channel.await(Duration.ZERO));
    }

    @Test
    void only_a_solicited_message_wakes_who_asked_for_solicited_ones() throws InterruptedException {
        connect();
        b.receives()
                .begin(1)
                .sge(there, 0, 64)
                .more()
                .begin(2)
                .sge(there, 0, 64)
                .commit();
        cqB.requestNotification(true);
        a.sends().begin(1, SendFlags.SIGNALED).sge(here, 0, 8).commit();
        next(cqA).requireSuccess();
        assertNull(channel.await(Duration.ZERO));
        a.sends()
                .begin(2, SendFlags.SIGNALED | SendFlags.SOLICITED)
                .sge(here, 0, 8)
                .commit();
        assertEquals(cqB, channel.await(Duration.ofSeconds(20)));
    }

    @Test
    void a_queue_that_overflows_tells_and_its_queue_pairs_fail() throws InterruptedException {
        try (CompletionQueue tiny = context.createCompletionQueue(2);
                QueuePair c = pd.createQueuePair(tiny, tiny, QpCapacity.of(128, 16))) {
            c.connect(context.gid(0), b.qpNumber());
            b.connect(context.gid(0), c.qpNumber());
            for (int i = 0; i <= tiny.entries(); i++) {
                c.sends()
                        .begin(i, SendFlags.SIGNALED)
                        .write(there.rkey(), there.address())
                        .sge(here, 0, 8)
                        .commit();
            }
            AsyncEvent event = context.awaitAsyncEvent(Duration.ofSeconds(20));
            assertNotNull(event);
            assertEquals(AsyncEventType.CQ_ERR, event.type());
            assertEquals(tiny, event.completionQueue());
            assertEquals(QpState.ERR, c.state());
            for (int i = 0; i < tiny.entries(); i++) {
                assertTrue(tiny.poll(wc));
            }
            assertFalse(tiny.poll(wc));
        }
    }

    @Test
    void resizing_keeps_completions() {
        connect();
        for (int i = 0; i < 10; i++) {
            a.sends()
                    .begin(i, SendFlags.SIGNALED)
                    .write(there.rkey(), there.address())
                    .sge(here, 0, 8)
                    .commit();
        }
        assertEquals(0, next(cqA).wrId());
        cqA.resize(160);
        assertEquals(256, cqA.entries());
        for (int i = 1; i < 10; i++) {
            assertEquals(i, next(cqA).requireSuccess().wrId());
        }
        assertEquals(22, assertThrows(VerbsException.class, () -> cqA.resize(0)).errno());
    }

    @Test
    void a_resize_loses_no_event_that_a_reader_of_the_channel_is_about_to_take() throws InterruptedException {
        connect();
        int rounds = 500;
        AtomicInteger events = new AtomicInteger();
        Thread reader = new Thread(() -> {
            try {
                while (events.get() < rounds && cqB.equals(channel.await(Duration.ofSeconds(20)))) {
                    events.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        reader.start();
        for (int i = 0; i < rounds; i++) {
            b.receives().begin(i).sge(there, 0, 64).commit();
            cqB.requestNotification(false);
            a.sends().begin(i, 0).sge(here, 0, 8).commit();
            assertEquals(i, next(cqB).requireSuccess().wrId());
            cqB.resize(i % 2 == 0 ? 256 : 128);
        }
        reader.join();
        assertEquals(rounds, events.get());
        assertNull(channel.await(Duration.ZERO));
    }

    @Test
    void what_others_are_made_of_is_busy() {
        assertEquals("EBUSY", assertThrows(VerbsException.class, pd::close).errnoName());
        assertEquals("EBUSY", assertThrows(VerbsException.class, cqA::close).errnoName());
        assertEquals("EBUSY", assertThrows(VerbsException.class, channel::close).errnoName());
        assertEquals("EBUSY", assertThrows(VerbsException.class, context::close).errnoName());
    }

    @Test
    void regions_and_capacities_out_of_range_are_refused() {
        assertEquals(
                22, assertThrows(VerbsException.class, () -> pd.allocate(0, 1)).errno());
        assertEquals(
                22,
                assertThrows(VerbsException.class, () -> pd.allocate(64, AccessFlags.REMOTE_WRITE))
                        .errno());
        assertEquals(
                22,
                assertThrows(VerbsException.class, () -> pd.register(ByteBuffer.allocate(8), 0))
                        .errno());
        assertThrows(VerbsException.class, () -> pd.createQueuePair(cqA, cqA, QpCapacity.of(16385, 1)));
        assertThrows(VerbsException.class, () -> pd.createQueuePair(cqA, cqA, new QpCapacity(1, 1, 33, 1, 0)));
        assertThrows(VerbsException.class, () -> context.createCompletionQueue(0));
        assertThrows(VerbsException.class, () -> context.createCompletionQueue(1 << 21));
        assertEquals(
                61, assertThrows(VerbsException.class, () -> context.gid(99)).errno());
    }

    @Test
    void a_second_context_shares_the_device() {
        try (DeviceContext second = device.open()) {
            assertEquals(context.gids(), second.gids());
            try (CompletionQueue cq = second.createCompletionQueue(4)) {
                assertEquals(64, cq.entries(), "a few more than asked for");
            }
        }
        connect();
        a.sends()
                .begin(1, SendFlags.SIGNALED)
                .write(there.rkey(), there.address())
                .sge(here, 0, 8)
                .commit();
        next(cqA).requireSuccess();
    }
}
