package io.metaroce.wire;

import java.nio.ByteOrder;

/**
 * The checksum of IPv4 and UDP (RFC 1071). A running sum is kept in machine order, which RFC 1071 section 2 allows; start
 * with 0, add parts (each but the last of even length), then {@link #finish}.
 */
public final class InternetChecksum {
    private static final boolean BIG_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;

    private InternetChecksum() {}

    /** Adds {@code length} bytes. An odd length is padded with a zero byte and so must come last. */
    public static long add(long sum, long addr, int length) {
        long total = sum;
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            long word = Mem.getLong(addr + i);
            total += (word & 0xffff_ffffL) + (word >>> 32);
        }
        for (; i + 2 <= length; i += 2) {
            total += Mem.getUnsignedShort(addr + i);
        }
        if (i < length) {
            int last = Mem.getUnsignedByte(addr + i);
            total += BIG_ENDIAN ? last << 8 : last;
        }
        return total;
    }

    /** Adds one 16-bit number in network order. */
    public static long add(long sum, int value) {
        return sum + ((BIG_ENDIAN ? value : Short.reverseBytes((short) value)) & 0xffff);
    }

    /** The 16-bit sum, not complemented: what a checksum offload wants in the field. */
    public static int fold(long sum) {
        long folded = (sum & 0xffff_ffffL) + (sum >>> 32);
        folded = (folded & 0xffff) + (folded >>> 16);
        folded = (folded & 0xffff) + (folded >>> 16);
        folded = (folded & 0xffff) + (folded >>> 16);
        return (BIG_ENDIAN ? (int) folded : Short.reverseBytes((short) folded)) & 0xffff;
    }

    /** The checksum: the complement of the sum, as a number in network order. */
    public static int finish(long sum) {
        return ~fold(sum) & 0xffff;
    }
}
