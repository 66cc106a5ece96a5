package io.metaroce.provider.engine.conn;

import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Routes;
import io.metaroce.provider.port.TxBatch;
import io.metaroce.wire.Mem;

/** Answers to strangers, ready to go: they belong to no connection. When more than {@link #CAPACITY} wait, the next is dropped; the stranger asks again. */
final class Replies {
    static final int CAPACITY = 64;
    private static final int FRAME_BYTES = 128;

    private final long frames;
    private final int[] bytes = new int[CAPACITY];
    private final int[] plane = new int[CAPACITY];
    private final long[] hi = new long[CAPACITY];
    private final long[] lo = new long[CAPACITY];
    private final int[] port = new int[CAPACITY];
    private int head;
    private int count;

    /** @param memory {@link #memoryBytes} of native memory */
    Replies(long memory) {
        frames = memory;
    }

    static int memoryBytes() {
        return CAPACITY * FRAME_BYTES;
    }

    boolean full() {
        return count == CAPACITY;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Room for a frame of at most {@value #FRAME_BYTES} bytes, all 0. Not when {@link #full}. */
    long begin() {
        long frame = frames + (long) (head + count & CAPACITY - 1) * FRAME_BYTES;
        Mem.fill(frame, FRAME_BYTES, 0);
        return frame;
    }

    /** The frame is complete and goes from a local plane to an address. */
    void add(int length, int fromPlane, long toHi, long toLo, int toPort) {
        int at = head + count & CAPACITY - 1;
        bytes[at] = length;
        plane[at] = fromPlane;
        hi[at] = toHi;
        lo[at] = toLo;
        port[at] = toPort;
        count++;
    }

    /**
     * Sends what waits.
     *
     * @return frames sent, or -1 - frames when the batch was full before all had gone
     */
    int transmit(TxBatch tx, Routes routes, Counters counters) {
        int sent = 0;
        while (count > 0) {
            int at = head;
            int destination = routes.destination(plane[at], hi[at], lo[at], port[at]);
            if (destination >= 0) {
                long out = tx.begin(destination);
                if (out == 0) {
                    routes.release(destination);
                    return -1 - sent;
                }
                Mem.copy(frames + (long) at * FRAME_BYTES, out, bytes[at]);
                tx.commit(destination, routes.localPort(), bytes[at]);
                routes.release(destination);
                counters.inc(Counter.TX_FRAMES);
                counters.add(Counter.TX_BYTES, bytes[at]);
                sent++;
            }
            head = head + 1 & CAPACITY - 1;
            count--;
        }
        return sent;
    }
}
