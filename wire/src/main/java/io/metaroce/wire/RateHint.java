package io.metaroce.wire;

/**
 * Rates in 16 bits: a 12-bit mantissa above a 4-bit exponent, in units of 64 kb/s; from 64 kb/s to 8.58 Tb/s. 0 stands
 * for no rate. Encoding rounds down, so that hints never add up to more than what was shared out.
 */
public final class RateHint {
    /** One unit, in bits per second. */
    public static final long UNIT_BITS_PER_SECOND = 64_000;

    /** The code of the highest rate. */
    public static final int MAX = 0xffff;

    private static final int MANTISSA_BITS = 12;

    private RateHint() {}

    /** The code of the highest rate that is not above the given one; at least one unit if the rate is positive. */
    public static int encode(long bitsPerSecond) {
        if (bitsPerSecond <= 0) {
            return 0;
        }
        long units = Math.max(1, bitsPerSecond / UNIT_BITS_PER_SECOND);
        int exponent = Math.max(0, 64 - Long.numberOfLeadingZeros(units) - MANTISSA_BITS);
        return exponent > 15 ? MAX : (int) (units >>> exponent) << 4 | exponent;
    }

    /** The rate in bits per second that a code stands for; 0 for none. */
    public static long decode(int code) {
        return ((long) (code >>> 4 & 0xfff) << (code & 0xf)) * UNIT_BITS_PER_SECOND;
    }
}
