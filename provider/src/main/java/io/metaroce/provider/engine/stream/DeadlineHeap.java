package io.metaroce.provider.engine.stream;

import java.util.Arrays;

/**
 * One deadline per stream in a binary heap. A stream that makes progress does not move its deadline; it looks again when it fires. So the data path pays for a
 * timer only when it starts one.
 */
final class DeadlineHeap {
    private static final int ABSENT = -1;

    private int[] heap = new int[64];
    private int[] position = new int[0];
    private long[] deadlineNs = new long[0];
    private int size;

    /** Arms, or moves an armed deadline forward; a later one is ignored. */
    void atMost(int stream, long atNs) {
        if (stream >= position.length) {
            int old = position.length;
            int bigger = Math.max(64, Integer.highestOneBit(stream) << 1);
            position = Arrays.copyOf(position, bigger);
            deadlineNs = Arrays.copyOf(deadlineNs, bigger);
            Arrays.fill(position, old, bigger, ABSENT);
        }
        int at = position[stream];
        if (at == ABSENT) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, size * 2);
            }
            deadlineNs[stream] = atNs;
            up(size++, stream);
        } else if (atNs < deadlineNs[stream]) {
            deadlineNs[stream] = atNs;
            up(at, stream);
        }
    }

    /** The next deadline, or Long.MAX_VALUE. */
    long nextNs() {
        return size == 0 ? Long.MAX_VALUE : deadlineNs[heap[0]];
    }

    /** Takes out a stream whose deadline has passed; -1 when there is none. */
    int expired(long nowNs) {
        if (size == 0 || deadlineNs[heap[0]] > nowNs) {
            return ABSENT;
        }
        int stream = heap[0];
        position[stream] = ABSENT;
        int last = heap[--size];
        if (size > 0) {
            down(last);
        }
        return stream;
    }

    private void up(int from, int stream) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (deadlineNs[heap[parent]] <= deadlineNs[stream]) {
                break;
            }
            put(at, heap[parent]);
            at = parent;
        }
        put(at, stream);
    }

    private void down(int stream) {
        int at = 0;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && deadlineNs[heap[child + 1]] < deadlineNs[heap[child]]) {
                child++;
            }
            if (deadlineNs[heap[child]] >= deadlineNs[stream]) {
                break;
            }
            put(at, heap[child]);
            at = child;
        }
        put(at, stream);
    }

    private void put(int at, int stream) {
        heap[at] = stream;
        position[stream] = at;
    }
}
