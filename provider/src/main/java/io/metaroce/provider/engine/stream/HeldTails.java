package io.metaroce.provider.engine.stream;

import io.metaroce.wire.Mem;

/** A pool of the last bytes of WRITEs that arrived before something older: kept here until everything older has landed. */
final class HeldTails {
    /** Most bytes kept of one WRITE. */
    static final int BYTES = 64;

    private static final int NONE = -1;

    private final long memory;
    private final int[] next;
    private final int[] rkey;
    private final long[] va;
    private final int[] length;
    private int freeHead;
    private int freeCount;

    HeldTails(int count) {
        memory = Mem.alloc((long) count * BYTES);
        next = new int[count];
        rkey = new int[count];
        va = new long[count];
        length = new int[count];
        for (int i = 0; i < count; i++) {
            next[i] = i + 1 < count ? i + 1 : NONE;
        }
        freeCount = count;
    }

    int available() {
        return freeCount;
    }

    /** Keeps {@code bytes} for {@code target}; the caller made sure that room is left. */
    int keep(int key, long target, long from, int bytes) {
        int t = freeHead;
        freeHead = next[t];
        freeCount--;
        rkey[t] = key;
        va[t] = target;
        length[t] = bytes;
        Mem.copy(from, address(t), bytes);
        return t;
    }

    void give(int tail) {
        next[tail] = freeHead;
        freeHead = tail;
        freeCount++;
    }

    long address(int tail) {
        return memory + (long) tail * BYTES;
    }

    int rkey(int tail) {
        return rkey[tail];
    }

    long va(int tail) {
        return va[tail];
    }

    int length(int tail) {
        return length[tail];
    }

    void close() {
        Mem.free(memory);
    }
}
