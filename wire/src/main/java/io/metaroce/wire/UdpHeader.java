package io.metaroce.wire;

/** UDP header (RFC 768) and its checksum over IPv4 and IPv6 (RFC 8200 section 8.1). */
public final class UdpHeader {
    /** Bytes. */
    public static final int LENGTH = 8;

    private static final int ADDRESSES_V4 = 12;
    private static final int ADDRESSES_V6 = 8;

    private UdpHeader() {}

    /** Writes the whole header with checksum 0. */
    public static void put(long addr, int sourcePort, int destinationPort, int payloadBytes) {
        Mem.putIntBe(addr, sourcePort << 16 | (destinationPort & 0xffff));
        Mem.putIntBe(addr + 4, (LENGTH + payloadBytes) << 16);
    }

    /** Source port. */
    public static int sourcePort(long addr) {
        return Mem.getShortBe(addr);
    }

    /** Sets the source port. */
    public static void sourcePort(long addr, int value) {
        Mem.putShortBe(addr, value);
    }

    /** Destination port. */
    public static int destinationPort(long addr) {
        return Mem.getShortBe(addr + 2);
    }

    /** Sets the destination port. */
    public static void destinationPort(long addr, int value) {
        Mem.putShortBe(addr + 2, value);
    }

    /** Length in bytes of this header and what follows. */
    public static int length(long addr) {
        return Mem.getShortBe(addr + 4);
    }

    /** Sets the length. */
    public static void length(long addr, int value) {
        Mem.putShortBe(addr + 4, value);
    }

    /** Checksum; 0 for none. */
    public static int checksum(long addr) {
        return Mem.getShortBe(addr + 6);
    }

    /** Sets the checksum. */
    public static void checksum(long addr, int value) {
        Mem.putShortBe(addr + 6, value);
    }

    /**
     * The sum of the pseudo header alone, not complemented: what the checksum field must hold when the kernel or the
     * device completes it (virtio VIRTIO_NET_HDR_F_NEEDS_CSUM).
     *
     * @param ip address of the IP header, whose version tells which
     * @param udpBytes length of UDP header and payload
     */
    public static int pseudoSum(long ip, int udpBytes) {
        return InternetChecksum.fold(pseudo(ip, udpBytes));
    }

    /**
     * The checksum that belongs in the field, never 0; the field itself is taken as 0.
     *
     * @param ip address of the IP header
     * @param udp address of the UDP header; the payload follows it
     * @param udpBytes length of UDP header and payload
     */
    public static int computeChecksum(long ip, long udp, int udpBytes) {
        long sum = InternetChecksum.add(pseudo(ip, udpBytes), udp, LENGTH - 2);
        int checksum = InternetChecksum.finish(InternetChecksum.add(sum, udp + LENGTH, udpBytes - LENGTH));
        return checksum == 0 ? 0xffff : checksum;
    }

    /** True if the checksum in the packet is right; a packet without one passes over IPv4 and fails over IPv6. */
    public static boolean checksumFits(long ip, long udp, int udpBytes) {
        if (checksum(udp) == 0) {
            return Ipv4Header.version(ip) == 4;
        }
        return InternetChecksum.finish(InternetChecksum.add(pseudo(ip, udpBytes), udp, udpBytes)) == 0;
    }

    private static long pseudo(long ip, int udpBytes) {
        long addresses = Ipv4Header.version(ip) == 4
                ? InternetChecksum.add(0, ip + ADDRESSES_V4, 8)
                : InternetChecksum.add(0, ip + ADDRESSES_V6, 32);
        return InternetChecksum.add(InternetChecksum.add(addresses, udpBytes), Ipv4Header.PROTOCOL_UDP);
    }
}
