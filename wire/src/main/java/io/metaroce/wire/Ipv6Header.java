package io.metaroce.wire;

/** IPv6 header (RFC 8200). Addresses are two halves in network order. */
public final class Ipv6Header {
    /** Bytes. */
    public static final int LENGTH = 40;

    private static final int VERSION_6 = 6 << 28;

    private Ipv6Header() {}

    /**
     * Writes a header for UDP.
     *
     * @param trafficClass DSCP (6 bits) and ECN (2 bits)
     * @param flowLabel 20 bits
     * @param payloadBytes bytes after this header
     */
    public static void put(
            long addr,
            long sourceHigh,
            long sourceLow,
            long destinationHigh,
            long destinationLow,
            int trafficClass,
            int flowLabel,
            int hopLimit,
            int payloadBytes) {
        Mem.putIntBe(addr, VERSION_6 | (trafficClass & 0xff) << 20 | (flowLabel & 0xfffff));
        Mem.putIntBe(addr + 4, payloadBytes << 16 | Ipv4Header.PROTOCOL_UDP << 8 | (hopLimit & 0xff));
        Mem.putLongBe(addr + 8, sourceHigh);
        Mem.putLongBe(addr + 16, sourceLow);
        Mem.putLongBe(addr + 24, destinationHigh);
        Mem.putLongBe(addr + 32, destinationLow);
    }

    /** IP version: 6. */
    public static int version(long addr) {
        return Mem.getUnsignedByte(addr) >>> 4;
    }

    /** DSCP. */
    public static int dscp(long addr) {
        return Mem.getShortBe(addr) >>> 6 & 0x3f;
    }

    /** ECN bits: 0 not ECT, 1 ECT(1), 2 ECT(0), 3 CE (RFC 3168). */
    public static int ecn(long addr) {
        return Mem.getUnsignedByte(addr + 1) >>> 4 & 3;
    }

    /** Flow label. */
    public static int flowLabel(long addr) {
        return Mem.getIntBe(addr) & 0xfffff;
    }

    /** Bytes after this header. */
    public static int payloadLength(long addr) {
        return Mem.getShortBe(addr + 4);
    }

    /** Protocol of what follows. */
    public static int nextHeader(long addr) {
        return Mem.getUnsignedByte(addr + 6);
    }

    /** Hop limit. */
    public static int hopLimit(long addr) {
        return Mem.getUnsignedByte(addr + 7);
    }

    /** Upper half of the source address. */
    public static long sourceHigh(long addr) {
        return Mem.getLongBe(addr + 8);
    }

    /** Lower half of the source address. */
    public static long sourceLow(long addr) {
        return Mem.getLongBe(addr + 16);
    }

    /** Upper half of the destination address. */
    public static long destinationHigh(long addr) {
        return Mem.getLongBe(addr + 24);
    }

    /** Lower half of the destination address. */
    public static long destinationLow(long addr) {
        return Mem.getLongBe(addr + 32);
    }
}
