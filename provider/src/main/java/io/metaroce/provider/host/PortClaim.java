package io.metaroce.provider.host;

import io.metaroce.provider.sys.Errno;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.provider.sys.SysException;
import io.metaroce.wire.Mem;
import io.metaroce.wire.MetaRoce;
import java.util.ArrayList;
import java.util.List;

/**
 * The claim of a slot: one bound UDP socket per address of every plane, all on port 47810 + slot, the first slot that is free on all of them. Held for the life
 * of the process; the kernel frees it with the process, whatever ends it.
 *
 * <p>The sockets carry nothing. They scope the slot to the network namespace and keep the kernel from answering frames with ICMP port unreachable; a filter
 * drops what would be queued on them. They do not ask for UDP_GRO: that would let GRO join frames of our flows into super-frames before the packet ring sees them.
 */
public final class PortClaim implements AutoCloseable {
    private final Sys sys;
    private final int slot;
    private final List<Integer> sockets;

    private PortClaim(Sys sys, int slot, List<Integer> sockets) {
        this.sys = sys;
        this.slot = slot;
        this.sockets = sockets;
    }

    private record Address(IpAddress ip, int ifindex) {}

    /**
     * Claims the first free slot.
     *
     * @throws SysException with EADDRINUSE when all are taken, or with what bind(2) answers
     */
    public static PortClaim claim(Sys sys, List<Plane> planes) {
        List<Address> addresses = new ArrayList<>();
        for (Plane plane : planes) {
            for (IpAddress ip : plane.addresses()) {
                addresses.add(new Address(ip, plane.device().ifindex()));
            }
        }
        List<Integer> sockets = new ArrayList<>();
        long scratch = Mem.alloc(64);
        try {
            for (int slot = 0; slot < MetaRoce.SLOTS; slot++) {
                if (bindAll(sys, addresses, MetaRoce.port(slot), scratch, sockets)) {
                    sockets.forEach(fd -> dropAll(sys, fd, scratch));
                    return new PortClaim(sys, slot, sockets);
                }
            }
            throw new SysException(
                    "no free slot: UDP ports " + MetaRoce.port(0) + " to " + MetaRoce.port(MetaRoce.SLOTS - 1),
                    Errno.EADDRINUSE,
                    "");
        } catch (RuntimeException e) {
            sockets.forEach(sys::close);
            throw e;
        } finally {
            Mem.free(scratch);
        }
    }

    /** Binds one socket an address. False: the port is taken on one of them; what is left in {@code sockets} is not bound. */
    private static boolean bindAll(Sys sys, List<Address> addresses, int port, long scratch, List<Integer> sockets) {
        for (int i = 0; i < addresses.size(); i++) {
            Address address = addresses.get(i);
            if (i == sockets.size()) {
                sockets.add(SysException.check(
                        sys.socket(
                                address.ip.isV4() ? Linux.AF_INET : Linux.AF_INET6,
                                Linux.SOCK_DGRAM | Linux.SOCK_CLOEXEC,
                                0),
                        "UDP socket for " + address.ip));
            }
            int error = bind(sys, sockets.get(i), address, port, scratch);
            if (error == -Errno.EADDRINUSE) {
                // A bound socket cannot be bound again; one that was refused can.
                if (i > 0) {
                    sockets.forEach(sys::close);
                    sockets.clear();
                }
                return false;
            }
            SysException.check(error, "UDP port " + port + " of " + address.ip);
        }
        return true;
    }

    /**
     * A classic BPF program of one instruction: return 0 (keep no byte). And UDP_GRO (udp(7), Linux 5.0): a frame of many datagrams is dropped as it is; without the
     * option the kernel first cuts it up.
     */
    private static void dropAll(Sys sys, int fd, long scratch) {
        Mem.fill(scratch, 64, 0);
        Mem.putShort(scratch, 1);
        Mem.putLong(scratch + 8, scratch + 16);
        Mem.putShort(scratch + 16, 0x06);
        SysException.check(
                sys.setsockopt(fd, Linux.SOL_SOCKET, Linux.SO_ATTACH_FILTER, scratch, 16),
                "filter of the claim socket");
        Mem.putInt(scratch, 1);
        sys.setsockopt(fd, Linux.IPPROTO_UDP, Linux.UDP_GRO, scratch, 4);
    }

    private static int bind(Sys sys, int fd, Address address, int port, long scratch) {
        Mem.fill(scratch, 64, 0);
        Mem.putInt(scratch + 32, 1);
        if (address.ip.isV4()) {
            // An address that is still being configured can be bound as well.
            sys.setsockopt(fd, Linux.IPPROTO_IP, Linux.IP_FREEBIND, scratch + 32, 4);
        } else {
            sys.setsockopt(fd, Linux.IPPROTO_IPV6, Linux.IPV6_V6ONLY, scratch + 32, 4);
            sys.setsockopt(fd, Linux.IPPROTO_IPV6, Linux.IPV6_FREEBIND, scratch + 32, 4);
        }
        int length = SocketAddress.put(scratch, address.ip.hi(), address.ip.lo(), port, address.ifindex);
        return sys.bind(fd, scratch, length);
    }

    /** 0 to 1023. */
    public int slot() {
        return slot;
    }

    public int port() {
        return MetaRoce.port(slot);
    }

    @Override
    public void close() {
        sockets.forEach(sys::close);
        sockets.clear();
    }
}
