package io.metaroce.provider.engine.stream;

import java.util.Arrays;

/** A pool of bitmaps, one bit per segment of a window: which segments landed beyond the first missing one. A bit is addressed by its SPSN modulo the window. */
final class Bitmaps {
    private final int bits;
    private final int wordsEach;
    private final int mask;
    private final long[] words;
    private final int[] free;
    private int freeCount;

    /** A pool of {@code count} bitmaps of {@code bits} each, a power of two. */
    Bitmaps(int count, int bits) {
        if (bits < Long.SIZE || Integer.bitCount(bits) != 1) {
            throw new IllegalArgumentException("a window of " + bits + " segments is not a power of two from 64 on");
        }
        this.bits = bits;
        wordsEach = bits / Long.SIZE;
        mask = bits - 1;
        words = new long[count * wordsEach];
        free = new int[count];
        for (int i = 0; i < count; i++) {
            free[i] = count - 1 - i;
        }
        freeCount = count;
    }

    /** Segments that one bitmap spans: the window W that this side offers in its binds. */
    int bits() {
        return bits;
    }

    /** An empty bitmap, or -1 when the pool has none. */
    int take() {
        return freeCount == 0 ? -1 : free[--freeCount];
    }

    void give(int map) {
        Arrays.fill(words, map * wordsEach, (map + 1) * wordsEach, 0);
        free[freeCount++] = map;
    }

    int available() {
        return freeCount;
    }

    boolean get(int map, int spsn) {
        return (words[map * wordsEach + ((spsn & mask) >>> 6)] >>> spsn & 1) != 0;
    }

    void set(int map, int spsn, int n) {
        for (int s = spsn; s != spsn + n; s++) {
            words[map * wordsEach + ((s & mask) >>> 6)] |= 1L << s;
        }
    }

    /** Clears the run of set bits that starts at {@code spsn} and answers its length. */
    int takeRun(int map, int spsn) {
        int base = map * wordsEach;
        int s = spsn;
        while (true) {
            int at = base + ((s & mask) >>> 6);
            int bit = s & 63;
            long word = words[at] >>> bit;
            int ones = Math.min(Long.numberOfTrailingZeros(~word), Long.SIZE - bit);
            if (ones > 0) {
                words[at] &= ~((ones == Long.SIZE ? -1L : (1L << ones) - 1) << bit);
                s += ones;
            }
            if (ones < Long.SIZE - bit || s - spsn >= bits) {
                return s - spsn;
            }
        }
    }
}
