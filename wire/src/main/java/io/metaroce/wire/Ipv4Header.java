package io.metaroce.wire;

/** IPv4 header (RFC 791) without options, as this transport sends it. */
public final class Ipv4Header {
    /** Bytes without options. */
    public static final int LENGTH = 20;

    /** Protocol number of UDP. */
    public static final int PROTOCOL_UDP = 17;

    private static final int DONT_FRAGMENT = 0x4000;

    private Ipv4Header() {}

    /**
     * Writes a header for UDP with its checksum; fragmentation is forbidden.
     *
     * @param trafficClass DSCP (6 bits) and ECN (2 bits)
     * @param payloadBytes bytes after this header
     */
    public static void put(
            long addr, int source, int destination, int trafficClass, int identification, int ttl, int payloadBytes) {
        Mem.putIntBe(addr, 0x4500_0000 | (trafficClass & 0xff) << 16 | ((LENGTH + payloadBytes) & 0xffff));
        Mem.putIntBe(addr + 4, identification << 16 | DONT_FRAGMENT);
        Mem.putIntBe(addr + 8, ttl << 24 | PROTOCOL_UDP << 16);
        Mem.putIntBe(addr + 12, source);
        Mem.putIntBe(addr + 16, destination);
        checksum(addr, InternetChecksum.finish(InternetChecksum.add(0, addr, LENGTH)));
    }

    /** True if the checksum over {@code length} header bytes is right. */
    public static boolean checksumFits(long addr, int length) {
        return InternetChecksum.finish(InternetChecksum.add(0, addr, length)) == 0;
    }

    /** IP version: 4. */
    public static int version(long addr) {
        return Mem.getUnsignedByte(addr) >>> 4;
    }

    /** Header length in words of 4 bytes; 5 without options. */
    public static int headerWords(long addr) {
        return Mem.getUnsignedByte(addr) & 0xf;
    }

    /** DSCP. */
    public static int dscp(long addr) {
        return Mem.getUnsignedByte(addr + 1) >>> 2;
    }

    /** ECN bits: 0 not ECT, 1 ECT(1), 2 ECT(0), 3 CE (RFC 3168). */
    public static int ecn(long addr) {
        return Mem.getUnsignedByte(addr + 1) & 3;
    }

    /** Length of the packet in bytes, this header included. */
    public static int totalLength(long addr) {
        return Mem.getShortBe(addr + 2);
    }

    /** Identification. */
    public static int identification(long addr) {
        return Mem.getShortBe(addr + 4);
    }

    /** Flags: 2 for don't fragment, 1 for more fragments. */
    public static int flags(long addr) {
        return Mem.getUnsignedByte(addr + 6) >>> 5;
    }

    /** Fragment offset in units of 8 bytes. */
    public static int fragmentOffset(long addr) {
        return Mem.getShortBe(addr + 6) & 0x1fff;
    }

    /** Time to live. */
    public static int ttl(long addr) {
        return Mem.getUnsignedByte(addr + 8);
    }

    /** Protocol of what follows. */
    public static int protocol(long addr) {
        return Mem.getUnsignedByte(addr + 9);
    }

    /** Header checksum. */
    public static int checksum(long addr) {
        return Mem.getShortBe(addr + 10);
    }

    /** Sets the header checksum. */
    public static void checksum(long addr, int value) {
        Mem.putShortBe(addr + 10, value);
    }

    /** Source address. */
    public static int source(long addr) {
        return Mem.getIntBe(addr + 12);
    }

    /** Destination address. */
    public static int destination(long addr) {
        return Mem.getIntBe(addr + 16);
    }
}
