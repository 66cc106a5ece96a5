package io.metaroce.provider.engine.timer;

import java.util.Arrays;

/**
 * Deadlines in a binary heap that knows where each timer stands. A timer is a small number; setting, moving and cancelling allocate nothing. Times are
 * nanoseconds of the caller's clock.
 */
public final class Timers {
    private static final int NOT_SET = -1;

    private long[] deadlineNs = new long[64];
    private int[] owner = new int[64];
    private TimerKind[] kind = new TimerKind[64];
    private int[] position = new int[64];
    private int[] heap = new int[64];
    private int[] free = new int[64];
    private int freeCount;
    private int created;
    private int size;

    /**
     * A new timer, not set.
     *
     * @param timerOwner any number of the caller's, given back by {@link #owner}
     */
    public int add(TimerKind timerKind, int timerOwner) {
        int timer;
        if (freeCount > 0) {
            timer = free[--freeCount];
        } else {
            if (created == owner.length) {
                grow(created * 2);
            }
            timer = created++;
        }
        kind[timer] = timerKind;
        owner[timer] = timerOwner;
        position[timer] = NOT_SET;
        return timer;
    }

    private void grow(int n) {
        deadlineNs = Arrays.copyOf(deadlineNs, n);
        owner = Arrays.copyOf(owner, n);
        kind = Arrays.copyOf(kind, n);
        position = Arrays.copyOf(position, n);
        heap = Arrays.copyOf(heap, n);
        free = Arrays.copyOf(free, n);
    }

    /** Cancels a timer and gives its number back. */
    public void remove(int timer) {
        cancel(timer);
        free[freeCount++] = timer;
    }

    public TimerKind kind(int timer) {
        return kind[timer];
    }

    public int owner(int timer) {
        return owner[timer];
    }

    /** Sets a timer, or moves it. */
    public void set(int timer, long atNs) {
        int at = position[timer];
        if (at == NOT_SET) {
            deadlineNs[timer] = atNs;
            up(size++, timer);
            return;
        }
        long before = deadlineNs[timer];
        deadlineNs[timer] = atNs;
        if (atNs < before) {
            up(at, timer);
        } else if (atNs > before) {
            down(at, timer);
        }
    }

    /** Sets a timer unless it stands at the same time or earlier: whoever handles it looks again when it comes too early. */
    public void setNoLaterThan(int timer, long atNs) {
        if (position[timer] == NOT_SET || atNs < deadlineNs[timer]) {
            set(timer, atNs);
        }
    }

    public boolean isSet(int timer) {
        return position[timer] != NOT_SET;
    }

    public void cancel(int timer) {
        int at = position[timer];
        if (at == NOT_SET) {
            return;
        }
        position[timer] = NOT_SET;
        int last = heap[--size];
        if (last != timer) {
            if (at > 0 && deadlineNs[last] < deadlineNs[heap[(at - 1) >>> 1]]) {
                up(at, last);
            } else {
                down(at, last);
            }
        }
    }

    /** The earliest deadline, or Long.MAX_VALUE. */
    public long nextNs() {
        return size == 0 ? Long.MAX_VALUE : deadlineNs[heap[0]];
    }

    /** Takes the earliest timer that is due and unsets it; -1 when none is due. */
    public int poll(long nowNs) {
        if (size == 0 || deadlineNs[heap[0]] > nowNs) {
            return -1;
        }
        int timer = heap[0];
        cancel(timer);
        return timer;
    }

    private void up(int from, int timer) {
        int at = from;
        long key = deadlineNs[timer];
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            int other = heap[parent];
            if (deadlineNs[other] <= key) {
                break;
            }
            heap[at] = other;
            position[other] = at;
            at = parent;
        }
        heap[at] = timer;
        position[timer] = at;
    }

    private void down(int from, int timer) {
        int at = from;
        long key = deadlineNs[timer];
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && deadlineNs[heap[child + 1]] < deadlineNs[heap[child]]) {
                child++;
            }
            int other = heap[child];
            if (deadlineNs[other] >= key) {
                break;
            }
            heap[at] = other;
            position[other] = at;
            at = child;
        }
        heap[at] = timer;
        position[timer] = at;
    }
}
