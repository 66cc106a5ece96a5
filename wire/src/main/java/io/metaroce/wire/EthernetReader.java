package io.metaroce.wire;

/**
 * Finds the UDP payload in an Ethernet frame (an IEEE 802.1Q tag is skipped). Like {@link FrameReader} it checks every
 * length first, never reads past the end and never throws.
 *
 * <p>The answer is one long: negative for a drop ({@link DropReason#of}), else offsets and lengths, read by the accessors
 * here. Addresses are IPv6, or IPv4-mapped IPv6, as two halves. The UDP checksum is a separate question ({@link
 * #udpChecksumFits}), since the kernel often knows the answer.
 */
public final class EthernetReader {
    private static final long MAPPED = 0x0000_ffff_0000_0000L;
    private static final long V6 = 1L << 40;
    private static final int IP_SHIFT = 33;
    private static final int LENGTH_SHIFT = 16;
    private static final int MORE_FRAGMENTS = 1;

    private EthernetReader() {}

    /**
     * Judges an Ethernet frame.
     *
     * @param frame address of the destination MAC address
     * @param length bytes that may be read there
     */
    public static long read(long frame, int length) {
        if (length < EthernetHeader.LENGTH) {
            return DropReason.TRUNCATED.result();
        }
        int etherType = EthernetHeader.etherType(frame);
        if (etherType != EthernetHeader.TYPE_VLAN) {
            return readIp(frame, EthernetHeader.LENGTH, length, etherType);
        }
        int offset = EthernetHeader.LENGTH + EthernetHeader.VLAN_LENGTH;
        if (length < offset) {
            return DropReason.TRUNCATED.result();
        }
        return readIp(frame, offset, length, EthernetHeader.etherType(frame + EthernetHeader.VLAN_LENGTH));
    }

    /**
     * Judges an IP packet.
     *
     * @param base address that offsets in the answer are counted from
     * @param offset where the IP header starts, at most 63
     * @param length bytes that may be read at {@code base}
     * @param etherType what the link layer says it is
     */
    public static long readIp(long base, int offset, int length, int etherType) {
        return switch (etherType) {
            case EthernetHeader.TYPE_IPV4 -> readV4(base, offset, length);
            case EthernetHeader.TYPE_IPV6 -> readV6(base, offset, length);
            default -> DropReason.ETHER_TYPE.result();
        };
    }

    private static long readV4(long base, int offset, int length) {
        long ip = base + offset;
        if (length - offset < Ipv4Header.LENGTH) {
            return DropReason.TRUNCATED.result();
        }
        int header = Ipv4Header.headerWords(ip) * 4;
        int total = Ipv4Header.totalLength(ip);
        if (Ipv4Header.version(ip) != 4 || header < Ipv4Header.LENGTH || total < header) {
            return DropReason.IP_HEADER.result();
        }
        if (total > length - offset) {
            return DropReason.IP_LENGTH.result();
        }
        if (!Ipv4Header.checksumFits(ip, header)) {
            return DropReason.IP_CHECKSUM.result();
        }
        if (Ipv4Header.fragmentOffset(ip) != 0 || (Ipv4Header.flags(ip) & MORE_FRAGMENTS) != 0) {
            return DropReason.FRAGMENT.result();
        }
        if (Ipv4Header.protocol(ip) != Ipv4Header.PROTOCOL_UDP) {
            return DropReason.IP_PROTOCOL.result();
        }
        return readUdp(base, offset, offset + header, total - header, 0);
    }

    private static long readV6(long base, int offset, int length) {
        long ip = base + offset;
        if (length - offset < Ipv6Header.LENGTH) {
            return DropReason.TRUNCATED.result();
        }
        if (Ipv6Header.version(ip) != 6) {
            return DropReason.IP_HEADER.result();
        }
        int payload = Ipv6Header.payloadLength(ip);
        if (payload > length - offset - Ipv6Header.LENGTH) {
            return DropReason.IP_LENGTH.result();
        }
        if (Ipv6Header.nextHeader(ip) != Ipv4Header.PROTOCOL_UDP) {
            return DropReason.IP_PROTOCOL.result();
        }
        return readUdp(base, offset, offset + Ipv6Header.LENGTH, payload, V6);
    }

    private static long readUdp(long base, int ipOffset, int udpOffset, int room, long family) {
        if (room < UdpHeader.LENGTH) {
            return DropReason.UDP_LENGTH.result();
        }
        int udpBytes = UdpHeader.length(base + udpOffset);
        if (udpBytes < UdpHeader.LENGTH || udpBytes > room) {
            return DropReason.UDP_LENGTH.result();
        }
        return family
                | (long) ipOffset << IP_SHIFT
                | (long) (udpBytes - UdpHeader.LENGTH) << LENGTH_SHIFT
                | udpOffset + UdpHeader.LENGTH;
    }

    /** Where the UDP payload starts. */
    public static int payloadOffset(long read) {
        return (int) read & 0xffff;
    }

    /** Bytes of UDP payload. */
    public static int payloadLength(long read) {
        return (int) (read >>> LENGTH_SHIFT) & 0x1ffff;
    }

    /** Where the IP header starts. */
    public static int ipOffset(long read) {
        return (int) (read >>> IP_SHIFT) & 0x3f;
    }

    /** Whether it is IPv6. */
    public static boolean isV6(long read) {
        return (read & V6) != 0;
    }

    /** ECN bits of the IP header: 3 for CE. */
    public static int ecn(long frame, long read) {
        long ip = frame + ipOffset(read);
        return isV6(read) ? Ipv6Header.ecn(ip) : Ipv4Header.ecn(ip);
    }

    /** Upper half of the source address. */
    public static long sourceHigh(long frame, long read) {
        return isV6(read) ? Ipv6Header.sourceHigh(frame + ipOffset(read)) : 0;
    }

    /** Lower half of the source address. */
    public static long sourceLow(long frame, long read) {
        long ip = frame + ipOffset(read);
        return isV6(read) ? Ipv6Header.sourceLow(ip) : mapped(Ipv4Header.source(ip));
    }

    /** Upper half of the destination address. */
    public static long destinationHigh(long frame, long read) {
        return isV6(read) ? Ipv6Header.destinationHigh(frame + ipOffset(read)) : 0;
    }

    /** Lower half of the destination address. */
    public static long destinationLow(long frame, long read) {
        long ip = frame + ipOffset(read);
        return isV6(read) ? Ipv6Header.destinationLow(ip) : mapped(Ipv4Header.destination(ip));
    }

    /** UDP source port. */
    public static int sourcePort(long frame, long read) {
        return UdpHeader.sourcePort(frame + payloadOffset(read) - UdpHeader.LENGTH);
    }

    /** UDP destination port. */
    public static int destinationPort(long frame, long read) {
        return UdpHeader.destinationPort(frame + payloadOffset(read) - UdpHeader.LENGTH);
    }

    /** Whether the UDP checksum is right; over IPv4 a packet without one passes. */
    public static boolean udpChecksumFits(long frame, long read) {
        return UdpHeader.checksumFits(
                frame + ipOffset(read),
                frame + payloadOffset(read) - UdpHeader.LENGTH,
                payloadLength(read) + UdpHeader.LENGTH);
    }

    /** The lower half of an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2). */
    public static long mapped(int ipv4) {
        return MAPPED | (ipv4 & 0xffff_ffffL);
    }
}
