package io.metaroce.provider.link.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.RxBatch;
import io.metaroce.wire.Mem;
import org.junit.jupiter.api.Test;

final class MemoryQueueTest {
    @Test
    void frames_come_back_in_order_with_what_was_said_of_them() {
        try (MemoryQueue queue = new MemoryQueue(8, 100)) {
            RxBatch batch = new RxBatch();
            int sent = 0;
            int received = 0;
            // Three times around the ring, with different numbers in flight.
            while (received < 24) {
                for (int n = 0; n <= sent % 3; n++) {
                    long at = queue.begin();
                    assertNotEquals(0, at);
                    Mem.putInt(at, sent);
                    queue.commit(4 + sent, 1, 7, 8, 900 + sent);
                    sent++;
                }
                assertTrue(queue.hasFrames());
                batch.clear();
                assertEquals(sent - received, queue.poll(batch));
                for (int i = 0; i < batch.count(); i++) {
                    assertEquals(received, Mem.getInt(batch.address(i)));
                    assertEquals(4 + received, batch.length(i));
                    assertEquals(1, batch.plane(i));
                    assertEquals(2, batch.ecn(i));
                    assertEquals(7, batch.sourceHi(i));
                    assertEquals(8, batch.sourceLo(i));
                    assertEquals(900 + received, batch.sourcePort(i));
                    received++;
                }
            }
            assertFalse(queue.hasFrames());
        }
    }

    @Test
    void a_full_queue_gives_no_room_until_the_poll_after_the_one_that_read_it() {
        try (MemoryQueue queue = new MemoryQueue(4, 100)) {
            RxBatch batch = new RxBatch();
            for (int i = 0; i < 4; i++) {
                Mem.putInt(queue.begin(), i);
                queue.commit(20, 0, 0, 0, 1);
            }
            assertEquals(0, queue.begin());
            assertEquals(4, queue.poll(batch));
            assertEquals(0, queue.begin(), "the engine still reads these slots");
            assertEquals(3, Mem.getInt(batch.address(3)));
            batch.clear();
            assertEquals(0, queue.poll(batch));
            assertNotEquals(0, queue.begin());
        }
    }
}
