package io.metaroce.provider.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Completions;
import io.metaroce.provider.slots.AsyncSlot;
import io.metaroce.provider.slots.ChannelSlot;
import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.Control;
import io.metaroce.provider.slots.Cqe;
import io.metaroce.provider.slots.CreateQpCommand;
import io.metaroce.provider.slots.QpAttr;
import io.metaroce.provider.slots.Ring;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Completion queues, channels and asynchronous events, read from the other side of the rings. */
final class CompletionQueuesTest {
    private DeviceBench bench;
    private Completions completions;
    private int pd;

    @BeforeEach
    void open() {
        bench = new DeviceBench();
        completions = bench.device.completions();
        pd = bench.pd();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static void arm(DeviceBench bench, long ring, int how) {
        assertTrue(Ring.casWaiting(ring, 0, how));
        Control.addArmedCqs(bench.control, 1);
    }

    @Test
    void a_cqe_is_a_work_completion_of_verbs_h_and_shows_when_published() {
        long ring = bench.ring(4, Cqe.SIZE);
        int cq = bench.cq(ring, -1, 0xc0);
        int qp = bench.qp(pd, cq, cq);
        int qpn = CreateQpCommand.qpn(bench.record);
        assertTrue(completions.add(cq, qp, -5L, 0, 129, 77, 0x01020304, 2, 0xabc, true));
        assertEquals(0, Ring.tailAcquire(ring));
        completions.publish();
        assertEquals(1, Ring.tailAcquire(ring));
        long cqe = Ring.slot(ring, 0);
        assertEquals(-5, Cqe.wrId(cqe));
        assertEquals(0, Cqe.status(cqe));
        assertEquals(129, Cqe.opcode(cqe));
        assertEquals(77, Cqe.byteLen(cqe));
        assertEquals(0x01020304, Cqe.imm(cqe));
        assertEquals(2, Cqe.wcFlags(cqe));
        assertEquals(0xabc, Cqe.srcQp(cqe));
        assertEquals(qpn, Cqe.qpNum(cqe));
        assertEquals(0x77, Cqe.qpCookie(cqe));
        assertEquals(DeviceBench.NOW, Cqe.timestampNs(cqe));
    }

    @Test
    void the_ring_goes_round_and_room_is_what_the_reader_left() {
        long ring = bench.ring(4, Cqe.SIZE);
        int cq = bench.cq(ring, -1, 0xc0);
        int qp = bench.qp(pd, cq, cq);
        int read = 0;
        for (int i = 0; i < 1000; i++) {
            assertTrue(bench.add(cq, qp, i));
            assertEquals(4 - (i + 1 - read), completions.room(cq));
            completions.publish();
            if (i - read == 2) {
                for (; read <= i; read++) {
                    assertEquals(read, Cqe.wrId(Ring.slot(ring, read)));
                }
                Ring.publishHead(ring, read);
            }
        }
    }

    @Test
    void a_full_queue_fails_once_for_ever_and_tells_program_and_engine() {
        long ring = bench.ring(2, Cqe.SIZE);
        int cq = bench.cq(ring, -1, 0xc0);
        int qp = bench.qp(pd, cq, cq);
        assertTrue(bench.add(cq, qp, 1));
        assertTrue(bench.add(cq, qp, 2));
        assertFalse(bench.add(cq, qp, 3));
        assertFalse(bench.engine.calls.contains("cqFailed " + cq)); // not in the middle of the engine's work
        assertFalse(bench.add(cq, qp, 4));
        completions.publish();
        completions.publish();
        assertEquals(
                1,
                bench.engine.calls.stream().filter(("cqFailed " + cq)::equals).count());
        assertEquals(1, Ring.overflow(ring));
        assertEquals(0, completions.room(cq));
        assertEquals(2, Ring.tailAcquire(ring)); // what was there can be read
        assertEquals(1, Ring.tailAcquire(bench.asyncRing));
        assertEquals(0xc0, AsyncSlot.cookie(Ring.slot(bench.asyncRing, 0)));
        assertEquals(AsyncEvents.CQ_ERR, AsyncSlot.eventType(Ring.slot(bench.asyncRing, 0)));
        assertEquals(1, bench.permits.get(DeviceBench.ASYNC_FD));
        Ring.publishHead(ring, 2);
        assertFalse(bench.add(cq, qp, 5));
    }

    @Test
    void resizing_keeps_what_is_unread_in_order_with_armed_word_and_pending_events() {
        long small = bench.ring(4, Cqe.SIZE);
        int cq = bench.cq(small, DeviceBench.CHANNEL_FD, 0xc0);
        int qp = bench.qp(pd, cq, cq);
        for (int i = 0; i < 3; i++) {
            bench.add(cq, qp, i);
        }
        arm(bench, small, 2);
        completions.publish(); // one event pending
        Ring.publishHead(small, 2);
        arm(bench, small, 1);
        for (int i = 3; i < 6; i++) {
            bench.add(cq, qp, i); // 4 unread, not yet published
        }
        assertEquals(22, bench.resizeCq(cq, bench.ring(2, Cqe.SIZE)));
        assertEquals(22, bench.resizeCq(cq, 0));
        assertEquals(22, bench.resizeCq(cq, small));
        assertEquals(22, bench.resizeCq(cq, bench.ring(8, 48)));
        long big = bench.ring(16, Cqe.SIZE);
        assertEquals(0, bench.resizeCq(cq, big));
        assertEquals(2, Ring.head(big));
        assertEquals(6, Ring.tailAcquire(big));
        for (int i = 2; i < 6; i++) {
            assertEquals(i, Cqe.wrId(Ring.slot(big, i)));
        }
        assertEquals(1, Ring.waiting(big));
        assertEquals(1, Ring.pending(big));
        for (int i = 6; i < 18; i++) {
            assertTrue(bench.add(cq, qp, i));
        }
        assertFalse(bench.add(cq, qp, 18));
        completions.publish();
        assertEquals(6, Ring.tail(small));
        long exact = bench.ring(16, Cqe.SIZE);
        assertEquals(0, bench.resizeCq(cq, exact)); // as many as fit
        assertEquals(17, Cqe.wrId(Ring.slot(exact, 17)));
    }

    @Test
    void an_armed_queue_fires_once_and_solicited_only_for_solicited_or_failed() {
        long ring = bench.ring(64, Cqe.SIZE);
        int cq = bench.cq(ring, DeviceBench.CHANNEL_FD, 0xc0);
        int qp = bench.qp(pd, cq, cq);
        bench.add(cq, qp, 1);
        completions.publish();
        assertEquals(0, bench.permits.get(DeviceBench.CHANNEL_FD));

        arm(bench, ring, 2);
        completions.publish(); // nothing new: nothing fires
        assertEquals(0, bench.permits.get(DeviceBench.CHANNEL_FD));
        bench.add(cq, qp, 2);
        bench.add(cq, qp, 3);
        completions.publish();
        bench.add(cq, qp, 4);
        completions.publish();
        assertEquals(1, bench.permits.get(DeviceBench.CHANNEL_FD));
        assertEquals(0, Ring.waiting(ring));
        assertEquals(0, Control.armedCqs(bench.control));
        assertEquals(1, Ring.pending(ring));
        assertEquals(1, Ring.tailAcquire(bench.channelRing));
        assertEquals(0xc0, ChannelSlot.cqCookie(Ring.slot(bench.channelRing, 0)));

        arm(bench, ring, 1);
        bench.add(cq, qp, 5);
        completions.publish();
        assertEquals(1, bench.permits.get(DeviceBench.CHANNEL_FD));
        completions.add(cq, qp, 6, 0, 128, 0, 0, 0, 0, true);
        completions.publish();
        assertEquals(2, bench.permits.get(DeviceBench.CHANNEL_FD));
        assertEquals(2, Ring.pending(ring));
        assertEquals(1, Ring.tailAcquire(bench.channelRing)); // still one entry

        arm(bench, ring, 1);
        completions.add(cq, qp, 7, 5, 0, 0, 0, 0, 0, false); // WR_FLUSH_ERR
        completions.publish();
        assertEquals(3, bench.permits.get(DeviceBench.CHANNEL_FD));

        // solicited earlier, not armed then: it does not count later
        completions.add(cq, qp, 8, 0, 128, 0, 0, 0, 0, true);
        completions.publish();
        arm(bench, ring, 1);
        bench.add(cq, qp, 9);
        completions.publish();
        assertEquals(3, bench.permits.get(DeviceBench.CHANNEL_FD));
        assertEquals(1, Control.armedCqs(bench.control));
    }

    @Test
    void queues_of_one_channel_share_its_ring_and_a_reader_that_took_all_gets_a_new_entry() {
        long a = bench.ring(8, Cqe.SIZE);
        long b = bench.ring(8, Cqe.SIZE);
        int cqA = bench.cq(a, DeviceBench.CHANNEL_FD, 0xa);
        int cqB = bench.cq(b, DeviceBench.CHANNEL_FD, 0xb);
        int qp = bench.qp(pd, cqA, cqB);
        arm(bench, a, 2);
        arm(bench, b, 2);
        bench.add(cqB, qp, 1);
        bench.add(cqA, qp, 1);
        completions.publish();
        assertEquals(2, bench.permits.get(DeviceBench.CHANNEL_FD));
        assertEquals(0xb, ChannelSlot.cqCookie(Ring.slot(bench.channelRing, 0)));
        assertEquals(0xa, ChannelSlot.cqCookie(Ring.slot(bench.channelRing, 1)));
        // the reader lowers pending to 0; before it moves the head, the queue fires again
        assertEquals(1, Ring.addPending(b, -1));
        arm(bench, b, 2);
        bench.add(cqB, qp, 2);
        completions.publish();
        Ring.publishHead(bench.channelRing, 1);
        assertEquals(3, Ring.tailAcquire(bench.channelRing));
        assertEquals(0xb, ChannelSlot.cqCookie(Ring.slot(bench.channelRing, 2)));
    }

    @Test
    void a_channel_takes_as_many_queues_as_its_ring_can_hold() {
        int[] cqs = new int[6]; // a ring of 8: one entry is for the reader that stands between pending and head
        for (int i = 0; i < 6; i++) {
            cqs[i] = bench.cq(bench.ring(2, Cqe.SIZE), DeviceBench.CHANNEL_FD, i);
        }
        assertEquals(0, bench.createCq(bench.ring(2, Cqe.SIZE), DeviceBench.CHANNEL_FD, 9));
        assertEquals(12, bench.createCq(bench.ring(2, Cqe.SIZE), DeviceBench.CHANNEL_FD, 9));
        assertEquals(0, bench.destroyCq(cqs[3]));
        assertEquals(0, bench.createCq(bench.ring(2, Cqe.SIZE), DeviceBench.CHANNEL_FD, 9));
    }

    @Test
    void rings_that_are_none_are_refused() {
        assertEquals(22, bench.createCq(0, -1, 0));
        assertEquals(22, bench.createCq(bench.ring(4, 48), -1, 0));
        assertEquals(22, bench.createCq(bench.ring(Commands.MAX_CQE * 2, 64), -1, 0));
        bench.qpRecord(pd, 1, 1);
        assertEquals(22, bench.command(Commands.CREATE_QP));
    }

    @Test
    void busy_as_the_man_pages_say() {
        int send = bench.cq(4);
        int receive = bench.cq(4);
        int qp = bench.qp(pd, send, receive);
        assertEquals(16, bench.destroyCq(send));
        assertEquals(16, bench.destroyCq(receive));
        assertEquals(16, bench.deallocPd(pd));
        assertEquals(0, bench.destroyQp(qp));
        assertEquals(22, bench.destroyQp(qp));
        assertEquals(0, bench.destroyCq(send));
        assertEquals(22, bench.destroyCq(send));
        assertEquals(0, bench.destroyCq(receive));
        int key = bench.mr(pd, 1, 4096, 4096);
        assertEquals(16, bench.deallocPd(pd));
        assertEquals(0, bench.deregMr(key));
        assertEquals(0, bench.deallocPd(pd));
        assertEquals(22, bench.deallocPd(pd));
        int again = bench.pd();
        assertEquals(0, bench.deallocPd(again));
    }

    @Test
    void a_destroyed_queue_is_disarmed_and_takes_no_more() {
        long ring = bench.ring(4, Cqe.SIZE);
        int cq = bench.cq(ring, DeviceBench.CHANNEL_FD, 0xc0);
        arm(bench, ring, 2);
        assertEquals(0, bench.destroyCq(cq));
        assertEquals(0, Control.armedCqs(bench.control));
        assertFalse(bench.add(cq, 2, 1));
        completions.publish();
        assertEquals(0, Ring.tail(ring));
    }

    @Test
    void every_queue_and_domain_of_the_device_can_be_had_and_no_more() {
        long ring = bench.ring(2, Cqe.SIZE);
        for (int i = 0; i < Commands.MAX_CQ; i++) {
            bench.cq(ring, -1, i);
        }
        assertEquals(12, bench.createCq(ring, -1, 0));
        assertEquals(0, bench.destroyCq(77));
        assertEquals(77, bench.cq(ring, -1, 0));
        for (int i = 1; i < Commands.MAX_PD; i++) {
            bench.pd();
        }
        bench.clear();
        assertEquals(12, bench.command(Commands.ALLOC_PD));
    }

    @Test
    void events_that_find_their_ring_full_wait_in_order() {
        try (DeviceBench small = new DeviceBench(new PlainMemory(), 2)) {
            int cq = small.cq(4);
            int qp = small.qp(small.pd(), cq, cq);
            for (int type = 1; type <= 4; type++) {
                small.device.events().qpEvent(qp, type);
            }
            assertEquals(2, small.permits.get(DeviceBench.ASYNC_FD));
            small.device.completions().publish();
            assertEquals(2, Ring.tailAcquire(small.asyncRing));
            Ring.publishHead(small.asyncRing, 1);
            small.device.completions().publish();
            assertEquals(3, Ring.tailAcquire(small.asyncRing));
            assertEquals(3, AsyncSlot.eventType(Ring.slot(small.asyncRing, 2)));
            assertEquals(0x99, AsyncSlot.cookie(Ring.slot(small.asyncRing, 2)));
            assertEquals(0, small.destroyQp(qp));
            Ring.publishHead(small.asyncRing, 3);
            small.device.completions().publish();
            assertEquals(3, Ring.tailAcquire(small.asyncRing)); // event 4 died with its QP
            small.device.fatal();
            assertEquals(AsyncEvents.DEVICE_FATAL, AsyncSlot.eventType(Ring.slot(small.asyncRing, 3)));
        }
    }

    @Test
    void drained_is_told_only_to_who_asked_for_it_and_once() {
        int cq = bench.cq(4);
        int qp = bench.qp(pd, cq, cq);
        bench.engine.states.put(qp, 3);
        assertEquals(0, bench.modify(qp, 1, 4));
        bench.device.events().qpEvent(qp, AsyncEvents.SQ_DRAINED);
        assertEquals(0, bench.permits.get(DeviceBench.ASYNC_FD));
        bench.engine.states.put(qp, 3);
        long attr = bench.legal(qp, 1 | QpMask.EN_SQD_ASYNC_NOTIFY, 4);
        QpAttr.enSqdAsyncNotify(attr, 1);
        assertEquals(0, bench.modify());
        assertTrue(bench.engine.last.enSqdAsyncNotify);
        bench.device.events().qpEvent(qp, AsyncEvents.SQ_DRAINED);
        bench.device.events().qpEvent(qp, AsyncEvents.SQ_DRAINED);
        assertEquals(1, bench.permits.get(DeviceBench.ASYNC_FD));
    }
}
