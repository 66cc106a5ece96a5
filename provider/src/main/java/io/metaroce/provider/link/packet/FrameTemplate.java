package io.metaroce.provider.link.packet;

import io.metaroce.provider.sys.Linux;
import io.metaroce.wire.EthernetHeader;
import io.metaroce.wire.InternetChecksum;
import io.metaroce.wire.Ipv4Header;
import io.metaroce.wire.Ipv6Header;
import io.metaroce.wire.Mem;
import io.metaroce.wire.UdpHeader;

/**
 * Everything that stands before a UDP payload to one destination: virtio (linux/virtio_net.h), Ethernet, IPv4 or IPv6, and UDP header, prepared once and copied before each
 * payload. IP as protocol section 2 wants it: ECT(0), not to be fragmented.
 */
public final class FrameTemplate {
    /** Memory of a template. */
    public static final int BYTES = 128;

    private static final int ETHERNET = Linux.VIRTIO_NET_HDR_BYTES;
    private static final int IP = ETHERNET + EthernetHeader.LENGTH;

    /** Bytes before the IP header. */
    static final int ETHERNET_AND_VIRTIO_BYTES = IP;

    private static final int V4_UDP = IP + Ipv4Header.LENGTH;
    private static final int V6_UDP = IP + Ipv6Header.LENGTH;
    private static final int V4_BYTES = V4_UDP + UdpHeader.LENGTH;
    private static final int V6_BYTES = V6_UDP + UdpHeader.LENGTH;

    private static final int VIRTIO_FLAGS = 0;
    private static final int VIRTIO_GSO_TYPE = 1;
    private static final int VIRTIO_HEADER_LENGTH = 2;
    private static final int VIRTIO_GSO_SIZE = 4;
    private static final int VIRTIO_CHECKSUM_START = 6;
    private static final int VIRTIO_CHECKSUM_OFFSET = 8;
    private static final int UDP_CHECKSUM = 6;
    private static final int HOP_LIMIT = 64;
    private static final int ECT0 = 2;

    // Behind the headers: sums that do not change from frame to frame.
    private static final int IP_SUM = 96;
    private static final int PSEUDO_SUM = 104;

    private FrameTemplate() {}

    /** Bytes from the virtio header to the payload. */
    public static int headerBytes(boolean v4) {
        return v4 ? V4_BYTES : V6_BYTES;
    }

    /** Bytes of IP and UDP header. */
    public static int ipUdpBytes(boolean v4) {
        return headerBytes(v4) - IP;
    }

    /** Fills the template at {@code at}. Source and destination are of one family; MACs are 48-bit numbers. */
    public static void build(
            long at, boolean v4, long sourceMac, long mac, long sourceHi, long sourceLo, long hi, long lo, int port) {
        Mem.fill(at, BYTES, 0);
        Mem.putByte(at + VIRTIO_FLAGS, Linux.VIRTIO_NET_HDR_F_NEEDS_CSUM);
        Mem.putShort(at + VIRTIO_CHECKSUM_START, (v4 ? V4_UDP : V6_UDP) - ETHERNET);
        Mem.putShort(at + VIRTIO_CHECKSUM_OFFSET, UDP_CHECKSUM);
        EthernetHeader.put(at + ETHERNET, mac, sourceMac, v4 ? EthernetHeader.TYPE_IPV4 : EthernetHeader.TYPE_IPV6);
        long ip = at + IP;
        long addresses;
        if (v4) {
            Ipv4Header.put(ip, (int) sourceLo, (int) lo, ECT0, 0, HOP_LIMIT, 0);
            Mem.putShort(ip + 2, 0); // length and checksum are of the frame
            Ipv4Header.checksum(ip, 0);
            Mem.putLong(at + IP_SUM, InternetChecksum.add(0, ip, Ipv4Header.LENGTH));
            addresses = InternetChecksum.add(0, ip + 12, 8);
        } else {
            Ipv6Header.put(ip, sourceHi, sourceLo, hi, lo, ECT0, 0, HOP_LIMIT, 0);
            addresses = InternetChecksum.add(0, ip + 8, 32);
        }
        Mem.putLong(at + PSEUDO_SUM, InternetChecksum.add(addresses, Ipv4Header.PROTOCOL_UDP));
        UdpHeader.destinationPort(at + (v4 ? V4_UDP : V6_UDP), port);
    }

    /** Changes the destination's hardware address. */
    public static void setMac(long template, long mac) {
        EthernetHeader.destination(template + ETHERNET, mac);
    }

    /**
     * Writes the headers of one frame at {@code at}, whose payload stands behind them. The UDP checksum is left to the kernel or the netdev: the field holds the sum of
     * the pseudo header, as the virtio header announces.
     *
     * @param id identification of the IPv4 packet
     * @return bytes of virtio header and frame
     */
    public static int write(long at, long template, boolean v4, int sourcePort, int payloadBytes, int id) {
        int udpBytes = UdpHeader.LENGTH + payloadBytes;
        if (v4) {
            copy4(at, template, udpBytes, id & 0xffff);
        } else {
            copy6(at, template, udpBytes);
        }
        UdpHeader.sourcePort(at + (v4 ? V4_UDP : V6_UDP), sourcePort);
        int pseudoSum = InternetChecksum.fold(InternetChecksum.add(Mem.getLong(template + PSEUDO_SUM), udpBytes));
        return putLengths(at, v4, udpBytes, pseudoSum);
    }

    /** Length and checksum of UDP, and of the virtio header; returns the bytes of virtio header and frame. */
    private static int putLengths(long at, boolean v4, int udpBytes, int pseudoSum) {
        int udpOffset = v4 ? V4_UDP : V6_UDP;
        int total = udpOffset + udpBytes;
        // The whole frame counts as header: the kernel then copies all of it.
        Mem.putShort(at + VIRTIO_HEADER_LENGTH, total - ETHERNET);
        UdpHeader.length(at + udpOffset, udpBytes);
        UdpHeader.checksum(at + udpOffset, pseudoSum);
        return total;
    }

    /**
     * Makes a written frame one of {@code payloadBytes} that the kernel or the netdev cuts into datagrams of {@code segmentBytes} of payload; the last may be shorter.
     */
    static void segmented(long at, boolean v4, int payloadBytes, int segmentBytes) {
        int udpBytes = UdpHeader.LENGTH + payloadBytes;
        long ip = at + IP;
        if (v4) {
            Mem.putShortBe(ip + 2, Ipv4Header.LENGTH + udpBytes);
            Ipv4Header.checksum(ip, 0);
            Ipv4Header.checksum(ip, InternetChecksum.finish(InternetChecksum.add(0, ip, Ipv4Header.LENGTH)));
        } else {
            Mem.putShortBe(ip + 4, udpBytes);
        }
        putLengths(at, v4, udpBytes, UdpHeader.pseudoSum(ip, udpBytes));
        Mem.putByte(at + VIRTIO_GSO_TYPE, Linux.VIRTIO_NET_HDR_GSO_UDP_L4);
        Mem.putShort(at + VIRTIO_GSO_SIZE, segmentBytes);
    }

    /** Bytes of payload of each datagram of a frame whose virtio header is at {@code at}; 0 when it is one datagram. */
    static int segmentBytes(long at) {
        return Mem.getByte(at + VIRTIO_GSO_TYPE) == Linux.VIRTIO_NET_HDR_GSO_UDP_L4
                ? Mem.getUnsignedShort(at + VIRTIO_GSO_SIZE)
                : 0;
    }

    private static void copy4(long at, long template, int udpBytes, int id) {
        for (int i = 0; i < 48; i += 8) {
            Mem.putLong(at + i, Mem.getLong(template + i));
        }
        Mem.putInt(at + 48, Mem.getInt(template + 48));
        long ip = at + IP;
        int total = Ipv4Header.LENGTH + udpBytes;
        Mem.putShortBe(ip + 2, total);
        Mem.putShortBe(ip + 4, id);
        long sum = InternetChecksum.add(InternetChecksum.add(Mem.getLong(template + IP_SUM), total), id);
        Ipv4Header.checksum(ip, InternetChecksum.finish(sum));
    }

    private static void copy6(long at, long template, int udpBytes) {
        for (int i = 0; i < V6_BYTES; i += 8) {
            Mem.putLong(at + i, Mem.getLong(template + i));
        }
        Mem.putShortBe(at + IP + 4, udpBytes);
    }

    /** Completes the UDP checksum of a written frame in software, for a way that does not know the virtio header. */
    public static void completeChecksum(long at, boolean v4, int payloadBytes) {
        long udp = at + (v4 ? V4_UDP : V6_UDP);
        UdpHeader.checksum(udp, UdpHeader.computeChecksum(at + IP, udp, UdpHeader.LENGTH + payloadBytes));
    }

    /** Where the IP header stands in a written frame. */
    public static long ip(long at) {
        return at + IP;
    }
}
