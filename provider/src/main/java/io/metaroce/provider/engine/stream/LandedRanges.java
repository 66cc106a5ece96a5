package io.metaroce.provider.engine.stream;

import io.metaroce.provider.port.Regions;

/**
 * Which bytes the segments beyond a gap have written, so that an older segment that comes late does not write over them (invariant I1). Each stream has its own
 * list in SPSN order; entries come from one pool. An entry is dropped when everything before it has landed.
 */
final class LandedRanges {
    private static final int NONE = -1;

    private final int[] prev;
    private final int[] next;
    private final int[] first; // SPSN
    private final int[] last; // SPSN, inclusive
    private final long[] low; // address
    private final long[] high; // address, exclusive
    private int freeHead;
    private int freeCount;

    /** The list of one stream. */
    static final class List {
        private int head = NONE;
        private int tail = NONE;
        private long boxLow = Long.MAX_VALUE;
        private long boxHigh = Long.MIN_VALUE;

        boolean isEmpty() {
            return head == NONE;
        }
    }

    LandedRanges(int count) {
        prev = new int[count];
        next = new int[count];
        first = new int[count];
        last = new int[count];
        low = new long[count];
        high = new long[count];
        for (int i = 0; i < count; i++) {
            next[i] = i + 1 < count ? i + 1 : NONE;
        }
        freeHead = 0;
        freeCount = count;
    }

    int available() {
        return freeCount;
    }

    /** Notes that {@code n} segments from {@code spsn} on have written {@code [addr, addr + length)}. The caller made sure that an entry is left. */
    void add(List list, int spsn, int n, long addr, long length) {
        if (length == 0) {
            return;
        }
        list.boxLow = Math.min(list.boxLow, addr);
        list.boxHigh = Math.max(list.boxHigh, addr + length);
        int before = list.tail;
        while (before != NONE && first[before] - spsn > 0) {
            before = prev[before];
        }
        int after = before == NONE ? list.head : next[before];
        if (before != NONE && last[before] + 1 == spsn && high[before] == addr) {
            last[before] += n;
            high[before] += length;
            if (after != NONE && last[before] + 1 == first[after] && high[before] == low[after]) {
                last[before] = last[after];
                high[before] = high[after];
                unlink(list, after);
            }
            return;
        }
        if (after != NONE && spsn + n == first[after] && addr + length == low[after]) {
            first[after] = spsn;
            low[after] = addr;
            return;
        }
        insert(list, before, after, spsn, n, addr, length);
    }

    private void insert(List list, int before, int after, int spsn, int n, long addr, long length) {
        int e = freeHead;
        freeHead = next[e];
        freeCount--;
        first[e] = spsn;
        last[e] = spsn + n - 1;
        low[e] = addr;
        high[e] = addr + length;
        prev[e] = before;
        next[e] = after;
        if (before == NONE) {
            list.head = e;
        } else {
            next[before] = e;
        }
        if (after == NONE) {
            list.tail = e;
        } else {
            prev[after] = e;
        }
    }

    private void unlink(List list, int e) {
        if (prev[e] == NONE) {
            list.head = next[e];
        } else {
            next[prev[e]] = next[e];
        }
        if (next[e] == NONE) {
            list.tail = prev[e];
        } else {
            prev[next[e]] = prev[e];
        }
        next[e] = freeHead;
        freeHead = e;
        freeCount++;
    }

    /** Drops what lies wholly before {@code cum}: nothing older can come any more. */
    void purge(List list, int cum) {
        while (list.head != NONE && last[list.head] - cum < 0) {
            unlink(list, list.head);
        }
        if (list.head == NONE) {
            list.boxLow = Long.MAX_VALUE;
            list.boxHigh = Long.MIN_VALUE;
        }
    }

    void clear(List list) {
        while (list.head != NONE) {
            unlink(list, list.head);
        }
        list.boxLow = Long.MAX_VALUE;
        list.boxHigh = Long.MIN_VALUE;
    }

    /**
     * Writes the bytes of segment {@code spsn} except where a later one has written.
     *
     * @param release at most 64 bytes, the last of which becomes visible last
     * @return false: the memory is gone
     */
    boolean write(List list, Regions regions, int spsn, long to, long from, long length, boolean release) {
        if (list.head == NONE || to >= list.boxHigh || to + length <= list.boxLow) {
            return put(regions, to, from, length, release);
        }
        long at = to;
        long end = to + length;
        while (at < end) {
            long covered = at;
            long stop = end;
            for (int e = list.tail; e != NONE && first[e] - spsn > 0; e = prev[e]) {
                if (low[e] <= at) {
                    covered = Math.max(covered, high[e]);
                } else {
                    stop = Math.min(stop, low[e]);
                }
            }
            if (covered > at) {
                at = covered;
            } else {
                if (!put(regions, at, from + (at - to), stop - at, release)) {
                    return false;
                }
                at = stop;
            }
        }
        return true;
    }

    private static boolean put(Regions regions, long to, long from, long length, boolean release) {
        if (length == 0) {
            return true;
        }
        return release ? regions.storeRelease(to, from, (int) length) : regions.copy(to, from, length);
    }
}
