package io.metaroce.provider.link.sim;

import java.util.Arrays;

/** Events in order of time, and of insertion where times are equal. A binary heap over primitives; allocates only when it grows. */
final class EventQueue {
    private long[] timeNs = new long[1024];
    private long[] order = new long[1024];
    private long[] what = new long[1024];
    private int size;
    private long inserted;

    boolean isEmpty() {
        return size == 0;
    }

    long nextTimeNs() {
        return size == 0 ? Long.MAX_VALUE : timeNs[0];
    }

    void add(long atNs, long event) {
        if (size == timeNs.length) {
            int grown = size * 2;
            timeNs = Arrays.copyOf(timeNs, grown);
            order = Arrays.copyOf(order, grown);
            what = Arrays.copyOf(what, grown);
        }
        long number = inserted++;
        int i = size++;
        while (i > 0) {
            int parent = (i - 1) >>> 1;
            if (!before(atNs, number, parent)) {
                break;
            }
            move(parent, i);
            i = parent;
        }
        put(i, atNs, number, event);
    }

    /** The earliest event, removed. */
    long poll() {
        final long event = what[0];
        int last = --size;
        long atNs = timeNs[last];
        long number = order[last];
        long moved = what[last];
        int i = 0;
        while (true) {
            int child = 2 * i + 1;
            if (child >= last) {
                break;
            }
            if (child + 1 < last && before(timeNs[child + 1], order[child + 1], child)) {
                child++;
            }
            if (before(atNs, number, child)) {
                break;
            }
            move(child, i);
            i = child;
        }
        put(i, atNs, number, moved);
        return event;
    }

    private boolean before(long atNs, long number, int i) {
        return atNs < timeNs[i] || (atNs == timeNs[i] && number < order[i]);
    }

    private void move(int from, int to) {
        timeNs[to] = timeNs[from];
        order[to] = order[from];
        what[to] = what[from];
    }

    private void put(int i, long atNs, long number, long event) {
        timeNs[i] = atNs;
        order[i] = number;
        what[i] = event;
    }
}
