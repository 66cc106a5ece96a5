package io.metaroce.provider.host;

import io.metaroce.provider.sys.Errno;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.provider.sys.SysException;
import io.metaroce.wire.Mem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Questions to the kernel over NETLINK_ROUTE (rtnetlink(7)): netdevs, addresses, the route to an address, the neighbour of an address. The kernel answers inside the
 * call, so nothing here blocks. Not thread-safe.
 */
public final class Netlink implements AutoCloseable {
    /** Route types of rtnetlink(7). */
    public static final int RTN_UNICAST = 1;

    public static final int RTN_LOCAL = 2;

    /** Neighbour states that give a usable hardware address: REACHABLE, STALE, DELAY, PROBE, NOARP, PERMANENT. */
    public static final int NUD_VALID = 0x02 | 0x04 | 0x08 | 0x10 | 0x40 | 0x80;

    public static final int NUD_STALE = 0x04;

    private static final int NETLINK_ROUTE = 0;
    private static final int HEADER_BYTES = 16;
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int NLM_F_REQUEST = 1;
    private static final int NLM_F_DUMP = 0x300;
    private static final int RTM_NEWLINK = 16;
    private static final int RTM_GETLINK = 18;
    private static final int RTM_NEWADDR = 20;
    private static final int RTM_GETADDR = 22;
    private static final int RTM_NEWROUTE = 24;
    private static final int RTM_GETROUTE = 26;
    private static final int RTM_NEWNEIGH = 28;
    private static final int RTM_GETNEIGH = 30;
    private static final int RTM_F_FIB_MATCH = 0x2000;
    private static final int IFINFOMSG_BYTES = 16;
    private static final int IFADDRMSG_BYTES = 8;
    private static final int RTMSG_BYTES = 12;
    private static final int NDMSG_BYTES = 12;
    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_MTU = 4;
    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int IFA_FLAGS = 8;
    private static final int RTA_DST = 1;
    private static final int RTA_SRC = 2;
    private static final int RTA_OIF = 4;
    private static final int RTA_GATEWAY = 5;
    private static final int RTA_METRICS = 8;
    private static final int RTA_VIA = 18;
    private static final int RTAX_MTU = 2;
    private static final int NDA_DST = 1;
    private static final int NDA_LLADDR = 2;
    private static final int RECEIVE_BYTES = 1 << 16;

    private final Sys sys;
    private final int fd;
    private final long out = Mem.alloc(256);
    private final long in = Mem.alloc(RECEIVE_BYTES);
    private int outBytes;
    private int sequence;

    // Where next() stands in the received messages.
    private int inBytes;
    private int at;
    private boolean more;

    private int routeType;
    private int routeDevice;
    private int routeMtu;
    private boolean routeHasGateway;
    private long gatewayHi;
    private long gatewayLo;
    private int neighbourState;

    public Netlink(Sys sys) {
        this.sys = sys;
        fd = SysException.check(
                sys.socket(Linux.AF_NETLINK, Linux.SOCK_RAW | Linux.SOCK_CLOEXEC, NETLINK_ROUTE), "netlink socket");
    }

    /** All netdevs of this network namespace, by ifindex. */
    public List<NetDevice> devices() {
        List<NetDevice> devices = new ArrayList<>();
        begin(RTM_GETLINK, NLM_F_DUMP, IFINFOMSG_BYTES);
        send("list of netdevs");
        for (long m = next(); m != 0; m = next()) {
            if (type(m) == RTM_NEWLINK) {
                devices.add(device(m));
            }
        }
        devices.sort((a, b) -> Integer.compare(a.ifindex(), b.ifindex()));
        return devices;
    }

    private static NetDevice device(long m) {
        long body = m + HEADER_BYTES;
        String name = "";
        int mtu = 0;
        long mac = 0;
        long end = m + length(m);
        for (long a = body + IFINFOMSG_BYTES; isAttribute(a, end); a = nextAttribute(a)) {
            switch (attributeType(a)) {
                case IFLA_IFNAME -> name = string(a);
                case IFLA_MTU -> mtu = Mem.getInt(a + 4);
                case IFLA_ADDRESS -> mac = attributeBytes(a) == 6 ? mac(a + 4) : 0;
                default -> {}
            }
        }
        return new NetDevice(
                name, Mem.getInt(body + 4), mtu, Mem.getUnsignedShort(body + 2), Mem.getInt(body + 8), mac);
    }

    /** All addresses of this network namespace, in the kernel's order (IPv4 first; of one netdev the primary address first). */
    public List<NetAddress> addresses() {
        List<NetAddress> addresses = new ArrayList<>();
        for (int family : new int[] {Linux.AF_INET, Linux.AF_INET6}) {
            begin(RTM_GETADDR, NLM_F_DUMP, IFADDRMSG_BYTES);
            Mem.putByte(out + HEADER_BYTES, family);
            send("list of addresses");
            for (long m = next(); m != 0; m = next()) {
                if (type(m) == RTM_NEWADDR && Mem.getUnsignedByte(m + HEADER_BYTES) == family) {
                    addresses.add(address(m));
                }
            }
        }
        return addresses;
    }

    private static NetAddress address(long m) {
        long body = m + HEADER_BYTES;
        long local = 0;
        long peer = 0;
        int flags = Mem.getUnsignedByte(body + 2);
        long end = m + length(m);
        for (long a = body + IFADDRMSG_BYTES; isAttribute(a, end); a = nextAttribute(a)) {
            switch (attributeType(a)) {
                case IFA_LOCAL -> local = a;
                case IFA_ADDRESS -> peer = a;
                case IFA_FLAGS -> flags = Mem.getInt(a + 4);
                default -> {}
            }
        }
        long a = local != 0 ? local : peer;
        return new NetAddress(
                Mem.getInt(body + 4),
                new IpAddress(hi(a), lo(a)),
                Mem.getUnsignedByte(body + 1),
                Mem.getUnsignedByte(body + 3),
                flags);
    }

    /**
     * Looks up the route from a netdev and source address to an address; the answer is in {@link #routeType} and its neighbours.
     *
     * @return 0, or a negative errno (-ENETUNREACH, -EHOSTUNREACH: no route)
     */
    public int route(int device, long sourceHi, long sourceLo, long hi, long lo) {
        int answer = askRoute(device, sourceHi, sourceLo, hi, lo, 0);
        if (answer == 0 && routeType == RTN_UNICAST && !routeHasGateway && IpAddress.isV4(hi, lo)) {
            // IPv4 takes an address for a neighbour when a netdev is given and no route exists: ask whether one does.
            int oif = routeDevice;
            int mtu = routeMtu;
            answer = askRoute(device, sourceHi, sourceLo, hi, lo, RTM_F_FIB_MATCH);
            routeType = RTN_UNICAST;
            routeDevice = oif;
            routeMtu = mtu;
            routeHasGateway = false;
        }
        return answer;
    }

    /** Whether an address is one of this host's. */
    public boolean isLocal(long hi, long lo) {
        return askRoute(0, 0, 0, hi, lo, 0) == 0 && routeType == RTN_LOCAL;
    }

    private int askRoute(int device, long sourceHi, long sourceLo, long hi, long lo, int flags) {
        boolean v4 = IpAddress.isV4(hi, lo);
        begin(RTM_GETROUTE, 0, RTMSG_BYTES);
        long body = out + HEADER_BYTES;
        Mem.putByte(body, v4 ? Linux.AF_INET : Linux.AF_INET6);
        Mem.putByte(body + 1, v4 ? 32 : 128);
        Mem.putInt(body + 8, flags);
        putAddress(RTA_DST, hi, lo);
        if (device != 0) {
            Mem.putByte(body + 2, v4 ? 32 : 128);
            putAddress(RTA_SRC, sourceHi, sourceLo);
            putInt(RTA_OIF, device);
        }
        send("route");
        int answer = -Errno.ENETUNREACH;
        for (long m = next(); m != 0; m = next()) {
            if (type(m) == NLMSG_ERROR) {
                return Mem.getInt(m + HEADER_BYTES);
            }
            if (type(m) == RTM_NEWROUTE) {
                readRoute(m);
                answer = 0;
            }
        }
        return answer;
    }

    private void readRoute(long m) {
        long body = m + HEADER_BYTES;
        routeType = Mem.getUnsignedByte(body + 7);
        routeDevice = 0;
        routeMtu = 0;
        routeHasGateway = false;
        long end = m + length(m);
        for (long a = body + RTMSG_BYTES; isAttribute(a, end); a = nextAttribute(a)) {
            switch (attributeType(a)) {
                case RTA_OIF -> routeDevice = Mem.getInt(a + 4);
                case RTA_GATEWAY -> setGateway(hi(a), lo(a));
                case RTA_VIA -> setGateway(Mem.getLongBe(a + 6), Mem.getLongBe(a + 14)); // an IPv6 gateway for IPv4
                case RTA_METRICS -> readMetrics(a);
                default -> {}
            }
        }
    }

    private void setGateway(long hi, long lo) {
        routeHasGateway = true;
        gatewayHi = hi;
        gatewayLo = lo;
    }

    private void readMetrics(long metrics) {
        long end = metrics + 4 + attributeBytes(metrics);
        for (long a = metrics + 4; isAttribute(a, end); a = nextAttribute(a)) {
            if (attributeType(a) == RTAX_MTU) {
                routeMtu = Mem.getInt(a + 4);
            }
        }
    }

    /** {@link #RTN_UNICAST}, {@link #RTN_LOCAL} (an address of this host) or another type of rtnetlink(7). */
    public int routeType() {
        return routeType;
    }

    /** ifindex the route leaves by. */
    public int routeDevice() {
        return routeDevice;
    }

    /** MTU of the route, 0 when it is the netdev's. */
    public int routeMtu() {
        return routeMtu;
    }

    public boolean routeHasGateway() {
        return routeHasGateway;
    }

    public long gatewayHi() {
        return gatewayHi;
    }

    public long gatewayLo() {
        return gatewayLo;
    }

    /**
     * The hardware address of a neighbour.
     *
     * @return 48 bits, or -1 when the kernel does not know it (now); {@link #neighbourState} tells more
     */
    public long neighbour(int device, long hi, long lo) {
        boolean v4 = IpAddress.isV4(hi, lo);
        begin(RTM_GETNEIGH, 0, NDMSG_BYTES);
        long body = out + HEADER_BYTES;
        Mem.putByte(body, v4 ? Linux.AF_INET : Linux.AF_INET6);
        Mem.putInt(body + 4, device);
        putAddress(NDA_DST, hi, lo);
        send("neighbour");
        neighbourState = 0;
        long mac = -1;
        for (long m = next(); m != 0; m = next()) {
            if (type(m) == RTM_NEWNEIGH) {
                neighbourState = Mem.getUnsignedShort(m + HEADER_BYTES + 8);
                long end = m + length(m);
                for (long a = m + HEADER_BYTES + NDMSG_BYTES; isAttribute(a, end); a = nextAttribute(a)) {
                    if (attributeType(a) == NDA_LLADDR && attributeBytes(a) == 6) {
                        mac = mac(a + 4);
                    }
                }
            }
        }
        return (neighbourState & NUD_VALID) != 0 ? mac : -1;
    }

    /** NUD state bits of the last {@link #neighbour}; 0 when there was no entry. */
    public int neighbourState() {
        return neighbourState;
    }

    @Override
    public void close() {
        sys.close(fd);
        Mem.free(out);
        Mem.free(in);
    }

    // ---- messages ----

    private void begin(int type, int flags, int bodyBytes) {
        outBytes = HEADER_BYTES + bodyBytes;
        Mem.fill(out, outBytes, 0);
        Mem.putShort(out + 4, type);
        Mem.putShort(out + 6, NLM_F_REQUEST | flags);
        Mem.putInt(out + 8, ++sequence);
        more = (flags & NLM_F_DUMP) != 0;
    }

    private void putInt(int type, int value) {
        Mem.putShort(out + outBytes, 8);
        Mem.putShort(out + outBytes + 2, type);
        Mem.putInt(out + outBytes + 4, value);
        outBytes += 8;
    }

    private void putAddress(int type, long hi, long lo) {
        if (IpAddress.isV4(hi, lo)) {
            putInt(type, 0);
            Mem.putIntBe(out + outBytes - 4, (int) lo); // network order
        } else {
            Mem.putShort(out + outBytes, 20);
            Mem.putShort(out + outBytes + 2, type);
            Mem.putLongBe(out + outBytes + 4, hi);
            Mem.putLongBe(out + outBytes + 12, lo);
            outBytes += 20;
        }
    }

    private void send(String what) {
        Mem.putInt(out, outBytes);
        int sent = sys.sendto(fd, out, outBytes, 0, 0, 0);
        SysException.check(sent, "netlink question (" + what + ")");
        inBytes = 0;
        at = 0;
        receive();
    }

    private void receive() {
        int n;
        do {
            n = sys.recv(fd, in, RECEIVE_BYTES, Linux.MSG_DONTWAIT);
        } while (n == -Errno.EINTR);
        inBytes = SysException.check(n, "netlink answer");
        at = 0;
    }

    /** The next message that answers the last question; 0 after the last one. */
    private long next() {
        while (true) {
            if (inBytes - at < HEADER_BYTES) {
                if (!more) {
                    return 0;
                }
                receive();
                continue;
            }
            long m = in + at;
            int length = length(m);
            if (length < HEADER_BYTES || length > inBytes - at) {
                throw new IllegalStateException("netlink message of " + length + " bytes in " + (inBytes - at));
            }
            at += length + 3 & ~3;
            if (Mem.getInt(m + 8) != sequence) {
                continue;
            }
            if (type(m) == NLMSG_DONE) {
                more = false;
                return 0;
            }
            if (type(m) == NLMSG_ERROR && more) {
                more = false;
                throw new SysException("netlink list", Mem.getInt(m + HEADER_BYTES), "");
            }
            return m;
        }
    }

    private static int length(long m) {
        return Mem.getInt(m);
    }

    private static int type(long m) {
        return Mem.getUnsignedShort(m + 4);
    }

    private static boolean isAttribute(long a, long end) {
        return end - a >= 4 && Mem.getUnsignedShort(a) >= 4 && Mem.getUnsignedShort(a) <= end - a;
    }

    private static long nextAttribute(long a) {
        return a + (Mem.getUnsignedShort(a) + 3 & ~3);
    }

    private static int attributeType(long a) {
        return Mem.getUnsignedShort(a + 2) & 0x3fff;
    }

    private static int attributeBytes(long a) {
        return Mem.getUnsignedShort(a) - 4;
    }

    private static String string(long a) {
        byte[] bytes = new byte[Math.max(0, attributeBytes(a) - 1)];
        Mem.copy(a + 4, bytes, 0, bytes.length);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static long mac(long addr) {
        return Integer.toUnsignedLong(Mem.getIntBe(addr)) << 16 | Mem.getShortBe(addr + 4);
    }

    private static long hi(long a) {
        return attributeBytes(a) == 4 ? 0 : Mem.getLongBe(a + 4);
    }

    private static long lo(long a) {
        return attributeBytes(a) == 4 ? IpAddress.v4(Mem.getIntBe(a + 4)).lo() : Mem.getLongBe(a + 12);
    }
}
