package io.metaroce.wire;

/** Comparison of sequence numbers that wrap (RFC 1982), for the 32-bit ones and for the 24-bit MSN. */
public final class Serial {
    private Serial() {}

    /** True if {@code a} is before {@code b}, for 32-bit numbers less than 2^31 apart. */
    public static boolean before(int a, int b) {
        return a - b < 0;
    }

    /** How far {@code a} is after {@code b} (negative: before it), for 32-bit numbers. */
    public static int distance(int a, int b) {
        return a - b;
    }

    /** The later one of two 32-bit numbers. */
    public static int max(int a, int b) {
        return a - b < 0 ? b : a;
    }

    /** How far the 24-bit {@code a} is after {@code b}: -2^23 .. 2^23-1. */
    public static int distance24(int a, int b) {
        return (a - b) << 8 >> 8;
    }

    /** True if the 24-bit {@code a} is before {@code b}. */
    public static boolean before24(int a, int b) {
        return distance24(a, b) < 0;
    }

    /** The 24-bit number {@code delta} after {@code a}. */
    public static int add24(int a, int delta) {
        return (a + delta) & 0xffffff;
    }
}
