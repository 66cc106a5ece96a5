package io.metaroce.provider.engine.path;

import java.util.Arrays;

/**
 * Which of the next 256 PSNs have arrived. {@link #cum} is the first that has not; the window is [cum, cum + 256). Numbers wrap (RFC 1982).
 */
public final class SackWindow {
    /** PSNs in the window. */
    public static final int SIZE = 256;

    /** {@link #test}: not received yet. */
    public static final int NEW = 0;

    /** {@link #test}: received before. */
    public static final int DUPLICATE = 1;

    /** {@link #test}: beyond the window. */
    public static final int BEYOND = 2;

    private static final int WORDS = SIZE / 64;

    private final long[] bits = new long[WORDS]; // bit psn mod 256
    private int cum;
    private int end; // highest received + 1, or cum

    public int cum() {
        return cum;
    }

    /** Whether something beyond {@link #cum} has arrived. */
    public boolean gap() {
        return end != cum;
    }

    public int test(int psn) {
        int ahead = psn - cum;
        if (ahead < 0) {
            return DUPLICATE;
        }
        if (ahead >= SIZE) {
            return BEYOND;
        }
        return (bits[psn >>> 6 & WORDS - 1] >>> psn & 1) == 0 ? NEW : DUPLICATE;
    }

    /** Marks a PSN for which {@link #test} says NEW. */
    public void mark(int psn) {
        if (psn == cum) {
            cum++;
            if (end - cum < 0) {
                end = cum;
            } else if (end != cum) {
                advance();
            }
            return;
        }
        bits[psn >>> 6 & WORDS - 1] |= 1L << psn;
        if (psn + 1 - end > 0) {
            end = psn + 1;
        }
    }

    private void advance() {
        while (end != cum) {
            int word = cum >>> 6 & WORDS - 1;
            int bit = cum & 63;
            int run = Long.numberOfTrailingZeros(~(bits[word] >>> bit));
            if (run == 0) {
                return;
            }
            bits[word] &= ~((run == 64 ? -1L : (1L << run) - 1) << bit);
            cum += run;
        }
    }

    /** SACK words needed to tell everything beyond {@link #cum}: 0 to 4. */
    public int words() {
        int ahead = end - cum - 1; // bits 0 .. ahead-1
        return ahead <= 0 ? 0 : (ahead + 63) >>> 6;
    }

    /** SACK word {@code index}: bit i stands for cum + 1 + 64 index + i. */
    public long word(int index) {
        int from = cum + 1 + (index << 6);
        int bit = from & 63;
        int word = from >>> 6 & WORDS - 1;
        long low = bits[word] >>> bit;
        // The last word wraps onto cum, whose bit is clear.
        return bit == 0 ? low : low | bits[word + 1 & WORDS - 1] << (64 - bit);
    }

    public void reset() {
        startAt(0);
    }

    /** Forgets everything; the next PSN expected is {@code psn}. */
    void startAt(int psn) {
        Arrays.fill(bits, 0);
        cum = psn;
        end = psn;
    }
}
