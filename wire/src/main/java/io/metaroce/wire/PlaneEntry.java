package io.metaroce.wire;

/**
 * One address of a host, and the network behind it.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class PlaneEntry {
    /** Bytes. */
    public static final int LENGTH = 24;

    /** Least IP MTU of a plane. */
    public static final int MIN_MTU = 1280;

    private PlaneEntry() {}

    /** Upper half of the IPv6 address; 0 for an IPv4-mapped one. */
    public static long addressHigh(long addr) {
        return Mem.getLongBe(addr);
    }

    /** Sets: upper half of the IPv6 address; 0 for an IPv4-mapped one. */
    public static void addressHigh(long addr, long value) {
        Mem.putLongBe(addr, value);
    }

    /** Lower half of the IPv6 address; 0x0000ffff and the IPv4 address if mapped. */
    public static long addressLow(long addr) {
        return Mem.getLongBe(addr + 8);
    }

    /** Sets: lower half of the IPv6 address; 0x0000ffff and the IPv4 address if mapped. */
    public static void addressLow(long addr, long value) {
        Mem.putLongBe(addr + 8, value);
    }

    /** UDP port of the slot that the process claimed. */
    public static int port(long addr) {
        return Mem.getShortBe(addr + 16);
    }

    /** Sets: UDP port of the slot that the process claimed. */
    public static void port(long addr, int value) {
        Mem.putShortBe(addr + 16, value);
    }

    /** Link rate, coded as {@link RateHint}; 0 unknown. */
    public static int rate(long addr) {
        return Mem.getShortBe(addr + 18);
    }

    /** Sets: link rate, coded as {@link RateHint}; 0 unknown. */
    public static void rate(long addr, int value) {
        Mem.putShortBe(addr + 18, value);
    }

    /** IP MTU in bytes, at most 65535. */
    public static int mtu(long addr) {
        return Mem.getShortBe(addr + 20);
    }

    /** Sets: IP MTU in bytes, at most 65535. */
    public static void mtu(long addr, int value) {
        Mem.putShortBe(addr + 20, value);
    }

    /** Writes the whole entry. */
    public static void put(long addr, long addressHigh, long addressLow, int port, int rate, int mtu) {
        Mem.putLongBe(addr, addressHigh);
        Mem.putLongBe(addr + 8, addressLow);
        Mem.putShortBe(addr + 16, port);
        Mem.putShortBe(addr + 18, rate);
        Mem.putIntBe(addr + 20, mtu << 16);
    }
}
