package io.metaroce.provider.engine.stream;

import java.util.Arrays;

/** A pool of bitmaps, one bit per segment of a window: which segments landed beyond the first missing one. A bit is addressed by its SPSN modulo the window. */
final class Bitmaps {
    /** Segments that one bitmap spans: the window W that this side offers in its binds. */
    static final int BITS = 4096;

    private static final int WORDS = BITS / Long.SIZE;
    private static final int MASK = BITS - 1;

    private final long[] words;
    private final int[] free;
    private int freeCount;

    Bitmaps(int count) {
        words = new long[count * WORDS];
        free = new int[count];
        for (int i = 0; i < count; i++) {
            free[i] = count - 1 - i;
        }
        freeCount = count;
    }

    /** An empty bitmap, or -1 when the pool has none. */
    int take() {
        return freeCount == 0 ? -1 : free[--freeCount];
    }

    void give(int map) {
        Arrays.fill(words, map * WORDS, (map + 1) * WORDS, 0);
        free[freeCount++] = map;
    }

    int available() {
        return freeCount;
    }

    boolean get(int map, int spsn) {
        return (words[map * WORDS + ((spsn & MASK) >>> 6)] >>> spsn & 1) != 0;
    }

    void set(int map, int spsn, int n) {
        for (int s = spsn; s != spsn + n; s++) {
            words[map * WORDS + ((s & MASK) >>> 6)] |= 1L << s;
        }
    }

    /** Clears the run of set bits that starts at {@code spsn} and answers its length. */
    int takeRun(int map, int spsn) {
        int base = map * WORDS;
        int s = spsn;
        while (true) {
            int at = base + ((s & MASK) >>> 6);
            int bit = s & 63;
            long word = words[at] >>> bit;
            int ones = Math.min(Long.numberOfTrailingZeros(~word), Long.SIZE - bit);
            if (ones > 0) {
                words[at] &= ~((ones == Long.SIZE ? -1L : (1L << ones) - 1) << bit);
                s += ones;
            }
            if (ones < Long.SIZE - bit || s - spsn >= BITS) {
                return s - spsn;
            }
        }
    }
}
