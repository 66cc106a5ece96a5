package io.metaroce.provider.link.local;

import io.metaroce.provider.port.RxBatch;
import io.metaroce.wire.Mem;

/** The way of a process to itself: frames stay in memory, in order, and none is lost. Filled and emptied under the turn. */
public final class MemoryQueue implements AutoCloseable {
    /** ECT(0) of RFC 3168, as on the frames of a real link. */
    private static final int ECT0 = 2;

    private final int slots;
    private final int slotBytes;
    private final long memory;
    private final int[] length;
    private final int[] plane;
    private final int[] sourcePort;
    private final long[] sourceHi;
    private final long[] sourceLo;
    private int head; // next to be read
    private int tail; // next to be written
    private int held; // read, and not given back yet

    /**
     * @param slots frames it holds, a power of two
     * @param maxPayload bytes of the longest payload
     */
    public MemoryQueue(int slots, int maxPayload) {
        if (Integer.bitCount(slots) != 1) {
            throw new IllegalArgumentException("slots is no power of two: " + slots);
        }
        this.slots = slots;
        slotBytes = maxPayload + 63 & ~63;
        memory = Mem.alloc((long) slots * slotBytes);
        length = new int[slots];
        plane = new int[slots];
        sourcePort = new int[slots];
        sourceHi = new long[slots];
        sourceLo = new long[slots];
    }

    /** Room for the next payload; 0 when the queue is full. */
    public long begin() {
        return tail - (head - held) == slots ? 0 : slot(tail);
    }

    /** Appends what was written at {@link #begin}; the receiver sees it as come from that address by {@code inPlane}. */
    public void commit(int bytes, int inPlane, long hi, long lo, int port) {
        int i = tail & slots - 1;
        length[i] = bytes;
        plane[i] = inPlane;
        sourceHi[i] = hi;
        sourceLo[i] = lo;
        sourcePort[i] = port;
        tail++;
    }

    /** As {@code Link.poll}. */
    public int poll(RxBatch batch) {
        held = 0;
        while (head != tail && !batch.full()) {
            int i = head & slots - 1;
            batch.add(slot(head), length[i], plane[i], ECT0, sourceHi[i], sourceLo[i], sourcePort[i]);
            head++;
            held++;
        }
        return held;
    }

    /** True while frames wait to be read. */
    public boolean hasFrames() {
        return head != tail;
    }

    private long slot(int counter) {
        return memory + (long) (counter & slots - 1) * slotBytes;
    }

    @Override
    public void close() {
        Mem.free(memory);
    }
}
