package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_plane}: one netdev with an address, as C found it.
 */
public final class Plane {
    public static final int IFNAME = 0;
    public static final int IFINDEX = 16;
    public static final int MTU = 20;
    public static final int MAC = 24;
    public static final int ADDR = 32;
    public static final int SPEED_MBPS = 48;
    public static final int SIZE = 56;

    private Plane() {}

    public static int ifindex(long plane) {
        return Mem.getInt(plane + IFINDEX);
    }

    public static void ifindex(long plane, int value) {
        Mem.putInt(plane + IFINDEX, value);
    }

    public static int mtu(long plane) {
        return Mem.getInt(plane + MTU);
    }

    public static void mtu(long plane, int value) {
        Mem.putInt(plane + MTU, value);
    }

    public static long speedMbps(long plane) {
        return Mem.getLong(plane + SPEED_MBPS);
    }

    public static void speedMbps(long plane, long value) {
        Mem.putLong(plane + SPEED_MBPS, value);
    }

    /** The netdev's name. */
    public static String ifname(long plane) {
        return CString.get(plane + IFNAME, 16);
    }

    /** First half of the address: IPv6, or IPv4-mapped. */
    public static long addrHi(long plane) {
        return Mem.getLongBe(plane + ADDR);
    }

    public static long addrLo(long plane) {
        return Mem.getLongBe(plane + ADDR + 8);
    }
}
