package io.metaroce.provider.host;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * An IP address as 128 bits in two big-endian halves: IPv6, or IPv4-mapped IPv6 (RFC 4291 section 2.5.5.2). It is also a GID of RoCE.
 */
public record IpAddress(long hi, long lo) {
    private static final long MAPPED = 0xffffL << 32;

    /** The IPv4-mapped form of 32 bits. */
    public static IpAddress v4(int bits) {
        return new IpAddress(0, MAPPED | (bits & 0xffff_ffffL));
    }

    /**
     * Reads an address in numbers ("10.0.0.1", "fd00::1").
     *
     * @throws IllegalArgumentException for anything else; names are not looked up
     */
    public static IpAddress parse(String text) {
        if (!text.matches("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*")) {
            throw new IllegalArgumentException("not an IP address: " + text);
        }
        try {
            byte[] bytes = InetAddress.getByName(text).getAddress();
            return bytes.length == 4
                    ? v4((int) number(bytes, 0, 4))
                    : new IpAddress(number(bytes, 0, 8), number(bytes, 8, 8));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("not an IP address: " + text, e);
        }
    }

    private static long number(byte[] bytes, int from, int count) {
        long value = 0;
        for (int i = from; i < from + count; i++) {
            value = value << 8 | (bytes[i] & 0xff);
        }
        return value;
    }

    public static boolean isV4(long hi, long lo) {
        return hi == 0 && lo >>> 32 == 0xffff;
    }

    public boolean isV4() {
        return isV4(hi, lo);
    }

    /** fe80::/10. */
    public boolean isLinkLocal() {
        return isLinkLocal(hi);
    }

    /** fe80::/10, by its first half. */
    public static boolean isLinkLocal(long hi) {
        return hi >>> 54 == 0xfe80 >>> 6;
    }

    /** 127.0.0.0/8 or ::1. */
    public boolean isLoopback() {
        return isV4() ? (lo >>> 24 & 0xff) == 127 : hi == 0 && lo == 1;
    }

    /** The 32 bits of an IPv4 address. */
    public int v4Bits() {
        return (int) lo;
    }

    /** Dotted for IPv4, colons for IPv6. */
    public static String toString(long hi, long lo) {
        byte[] bytes = new byte[isV4(hi, lo) ? 4 : 16];
        for (int i = bytes.length - 1, shift = 0; i >= 0; i--, shift += 8) {
            bytes[i] = (byte) (shift < 64 ? lo >>> shift : hi >>> (shift - 64));
        }
        try {
            InetAddress address = InetAddress.getByAddress(bytes);
            return address instanceof Inet4Address ? address.getHostAddress() : compressed(hi, lo);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** RFC 5952: lower case, the longest run of at least two zero groups (the first of equals) as "::". */
    private static String compressed(long hi, long lo) {
        int bestStart = -1;
        int bestLength = 1;
        for (int i = 0; i < 8; i++) {
            int n = 0;
            while (i + n < 8 && group(hi, lo, i + n) == 0) {
                n++;
            }
            if (n > bestLength) {
                bestStart = i;
                bestLength = n;
            }
        }
        StringBuilder text = new StringBuilder(40);
        for (int i = 0; i < 8; i++) {
            if (i == bestStart) {
                text.append("::");
                i += bestLength - 1;
            } else {
                if (i > 0 && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(group(hi, lo, i)));
            }
        }
        return text.toString();
    }

    private static int group(long hi, long lo, int i) {
        return (int) ((i < 4 ? hi : lo) >>> (48 - 16 * (i & 3))) & 0xffff;
    }

    @Override
    public String toString() {
        return toString(hi, lo);
    }
}
