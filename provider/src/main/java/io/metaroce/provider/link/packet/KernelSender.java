package io.metaroce.provider.link.packet;

import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.NetDevice;
import io.metaroce.provider.host.SocketAddress;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.provider.sys.SysException;
import io.metaroce.wire.Mem;
import java.nio.charset.StandardCharsets;

/**
 * Sends whole IP packets from one netdev through the kernel's own output (raw(7), IPPROTO_RAW). That makes the kernel resolve the neighbour, keeps the packet meanwhile, and
 * confirms an entry that grew stale: the neighbour protocol stays the kernel's affair, and no frame of ours is lost to it.
 */
public final class KernelSender implements AutoCloseable {
    private final Sys sys;
    private final int ifindex;
    private final int v4Socket;
    private final int v6Socket;
    private final long address = Mem.alloc(Linux.SOCKADDR_IN6_BYTES);

    public KernelSender(Sys sys, NetDevice device, boolean withV4, boolean withV6) {
        this.sys = sys;
        ifindex = device.ifindex();
        v4Socket = withV4 ? open(device, Linux.AF_INET) : -1;
        v6Socket = withV6 ? open(device, Linux.AF_INET6) : -1;
    }

    private int open(NetDevice device, int family) {
        int fd = SysException.check(
                sys.socket(family, Linux.SOCK_RAW | Linux.SOCK_CLOEXEC | Linux.SOCK_NONBLOCK, Linux.IPPROTO_RAW),
                "raw IP socket",
                "needs root or CAP_NET_RAW");
        if (!device.isLoopback()) {
            byte[] name = device.name().getBytes(StandardCharsets.UTF_8);
            long at = Mem.alloc(name.length + 1L);
            Mem.copy(name, 0, at, name.length);
            int error = sys.setsockopt(fd, Linux.SOL_SOCKET, Linux.SO_BINDTODEVICE, at, name.length + 1);
            Mem.free(at);
            if (error < 0) {
                sys.close(fd);
                throw new SysException("raw IP socket on " + device.name(), error, "");
            }
        }
        return fd;
    }

    /** Sends an IP packet; 0 or the negative errno. */
    public int send(long packet, int bytes, long hi, long lo) {
        boolean v4 = IpAddress.isV4(hi, lo);
        int fd = v4 ? v4Socket : v6Socket;
        int length = SocketAddress.put(address, hi, lo, 0, ifindex);
        return Math.min(0, sys.sendto(fd, packet, bytes, Linux.MSG_DONTWAIT, address, length));
    }

    @Override
    public void close() {
        if (v4Socket >= 0) {
            sys.close(v4Socket);
        }
        if (v6Socket >= 0) {
            sys.close(v6Socket);
        }
        Mem.free(address);
    }
}
