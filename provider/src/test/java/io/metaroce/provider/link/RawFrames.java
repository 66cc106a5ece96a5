package io.metaroce.provider.link;

import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.NetDevice;
import io.metaroce.provider.host.Netlink;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.provider.sys.SysException;
import io.metaroce.wire.EthernetHeader;
import io.metaroce.wire.InternetChecksum;
import io.metaroce.wire.Ipv4Header;
import io.metaroce.wire.Ipv6Header;
import io.metaroce.wire.Mem;
import io.metaroce.wire.UdpHeader;
import java.util.function.LongConsumer;

/** Sends single frames with complete checksums, changed as a test likes, on one netdev. */
final class RawFrames implements AutoCloseable {
    private final Sys sys = Sys.get();
    private final long memory = Mem.alloc(4096);
    private final int fd;
    private final long mac;

    RawFrames(String netdev) {
        NetDevice device;
        try (Netlink netlink = new Netlink(sys)) {
            device = netlink.devices().stream()
                    .filter(d -> d.name().equals(netdev))
                    .findFirst()
                    .orElseThrow();
        }
        mac = device.mac();
        fd = SysException.check(sys.socket(Linux.AF_PACKET, Linux.SOCK_RAW | Linux.SOCK_CLOEXEC, 0), "socket");
        Mem.putShort(memory, Linux.AF_PACKET);
        Mem.putInt(memory + 4, device.ifindex());
        SysException.check(sys.bind(fd, memory, Linux.SOCKADDR_LL_BYTES), "bind");
    }

    /** Sends a frame; {@code change} gets its address when it is complete. */
    void send(
            long to,
            IpAddress source,
            IpAddress destination,
            int sourcePort,
            int port,
            int payload,
            LongConsumer change) {
        long ip = memory + EthernetHeader.LENGTH;
        boolean v4 = destination.isV4();
        EthernetHeader.put(memory, to, mac, v4 ? EthernetHeader.TYPE_IPV4 : EthernetHeader.TYPE_IPV6);
        long udp;
        if (v4) {
            Ipv4Header.put(ip, source.v4Bits(), destination.v4Bits(), 2, 1, 64, 8 + payload);
            udp = ip + Ipv4Header.LENGTH;
        } else {
            Ipv6Header.put(ip, source.hi(), source.lo(), destination.hi(), destination.lo(), 2, 0, 64, 8 + payload);
            udp = ip + Ipv6Header.LENGTH;
        }
        UdpHeader.put(udp, sourcePort, port, payload);
        for (int i = 0; i < payload; i++) {
            Mem.putByte(udp + 8 + i, i * 7);
        }
        UdpHeader.checksum(udp, UdpHeader.computeChecksum(ip, udp, 8 + payload));
        change.accept(memory);
        int bytes = (int) (udp - memory) + 8 + payload;
        SysException.check(sys.sendto(fd, memory, bytes, 0, 0, 0), "send");
    }

    /** Sets the IPv4 length, with a right header checksum. */
    static void totalLength(long frame, int value) {
        Mem.putShortBe(frame + 14 + 2, value);
        checksum(frame);
    }

    /** Sets "more fragments". */
    static void fragment(long frame) {
        Mem.putShortBe(frame + 14 + 6, 0x2000);
        checksum(frame);
    }

    private static void checksum(long frame) {
        long ip = frame + 14;
        Ipv4Header.checksum(ip, 0);
        Ipv4Header.checksum(ip, InternetChecksum.finish(InternetChecksum.add(0, ip, 20)));
    }

    @Override
    public void close() {
        sys.close(fd);
        Mem.free(memory);
    }
}
