package io.metaroce.provider.link;

import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.NetDevice;
import io.metaroce.provider.host.Netlink;
import io.metaroce.provider.host.Plane;
import io.metaroce.provider.link.packet.FrameTemplate;
import io.metaroce.provider.port.Routes;
import io.metaroce.provider.sys.SysException;
import io.metaroce.wire.Mem;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where packets can go: for each destination the way out, the headers and what the kernel knows of the next hop. Route and neighbour are looked up when a
 * destination is made and again from time to time while it is in use, never per packet.
 */
final class Destinations implements Routes, AutoCloseable {
    /** {@link #way} of a destination in this very process. */
    static final int SELF = -1;

    private static final long RECHECK_NS = 5_000_000_000L;
    private static final long UNRESOLVED_RECHECK_NS = 500_000;
    private static final long UNRESOLVED_SLOW_NS = 100_000_000;
    private static final int QUICK_CHECKS = 200;
    private static final int CHECKS_PER_TICK = 8;

    private record Key(int plane, long hi, long lo, int port) {}

    private final Netlink netlink;
    private final List<Plane> planes;
    private final int localPort;
    private final int[] wayOfPlane;
    private final int[] maxPacketOfPlane;
    private final int wayOfLo;
    private final int maxPacketOfLo;
    private final int selfMaxPayload;
    private final Map<Key, Integer> handles = new HashMap<>();

    private @Nullable Key[] keys = new @Nullable Key[16];
    private int[] users = new int[16];
    private int[] way = new int[16];
    private int[] maxPayload = new int[16];
    private int[] planeInto = new int[16]; // SELF: the plane of the address it is sent to
    private boolean[] v4 = new boolean[16];
    private boolean[] viaKernel = new boolean[16];
    private boolean[] resolved = new boolean[16];
    private boolean[] used = new boolean[16];
    private long[] mac = new long[16];
    private long[] template = new long[16];
    private long[] nextCheckNs = new long[16];
    private int[] quickChecks = new int[16];
    private long[] serial = new long[16]; // a number is used again for another destination, this is not
    private long made;
    private int size;
    private int unresolved;
    private int cursor;
    private long nextTickNs;
    private long clockNs;

    /**
     * @param wayOfPlane the port of each plane, {@code wayOfLo} that of the loopback netdev
     */
    Destinations(
            Netlink netlink,
            List<Plane> planes,
            int localPort,
            int[] wayOfPlane,
            int[] maxPacketOfPlane,
            int wayOfLo,
            int maxPacketOfLo,
            int selfMaxPayload) {
        this.netlink = netlink;
        this.planes = List.copyOf(planes);
        this.localPort = localPort;
        this.wayOfPlane = wayOfPlane;
        this.maxPacketOfPlane = maxPacketOfPlane;
        this.wayOfLo = wayOfLo;
        this.maxPacketOfLo = maxPacketOfLo;
        this.selfMaxPayload = selfMaxPayload;
    }

    @Override
    public int planes() {
        return planes.size();
    }

    @Override
    public long planeHi(int plane) {
        return planes.get(plane).primary().hi();
    }

    @Override
    public long planeLo(int plane) {
        return planes.get(plane).primary().lo();
    }

    @Override
    public int planeMbps(int plane) {
        return planes.get(plane).linkMbps();
    }

    @Override
    public int localPort() {
        return localPort;
    }

    @Override
    public int destination(int plane, long hi, long lo, int port) {
        Key key = new Key(plane, hi, lo, port);
        Integer known = handles.get(key);
        if (known != null) {
            users[known]++;
            return known;
        }
        int d = freeHandle();
        try {
            if (!route(d, key)) {
                return -1;
            }
        } catch (SysException e) {
            return -1; // the kernel could not be asked: as good as no route now
        }
        keys[d] = key;
        serial[d] = ++made;
        users[d] = 1;
        handles.put(key, d);
        return d;
    }

    private int freeHandle() {
        for (int d = 0; d < size; d++) {
            if (keys[d] == null) {
                return d;
            }
        }
        if (size == keys.length) {
            grow(size * 2);
        }
        return size++;
    }

    private void grow(int n) {
        keys = Arrays.copyOf(keys, n);
        users = Arrays.copyOf(users, n);
        way = Arrays.copyOf(way, n);
        maxPayload = Arrays.copyOf(maxPayload, n);
        planeInto = Arrays.copyOf(planeInto, n);
        v4 = Arrays.copyOf(v4, n);
        viaKernel = Arrays.copyOf(viaKernel, n);
        resolved = Arrays.copyOf(resolved, n);
        used = Arrays.copyOf(used, n);
        mac = Arrays.copyOf(mac, n);
        template = Arrays.copyOf(template, n);
        nextCheckNs = Arrays.copyOf(nextCheckNs, n);
        quickChecks = Arrays.copyOf(quickChecks, n);
        serial = Arrays.copyOf(serial, n);
    }

    /** Finds the way to a new destination; false: none. */
    private boolean route(int d, Key key) {
        boolean family4 = IpAddress.isV4(key.hi, key.lo);
        IpAddress source = planes.get(key.plane).source(key.hi, key.lo);
        if (source == null) {
            return false;
        }
        v4[d] = family4;
        used[d] = false;
        resolved[d] = true;
        viaKernel[d] = false;
        mac[d] = 0;
        int own = planeOf(key.hi, key.lo);
        if (own >= 0 && key.port == localPort) {
            way[d] = SELF;
            planeInto[d] = own;
            maxPayload[d] = selfMaxPayload;
            return true;
        }
        NetDevice device = planes.get(key.plane).device();
        int packet;
        if (own >= 0 || netlink.isLocal(key.hi, key.lo)) {
            way[d] = wayOfLo;
            packet = maxPacketOfLo;
        } else if (isOutBy(device, source, key)) {
            way[d] = wayOfPlane[key.plane];
            packet = maxPacketOfPlane[key.plane];
            lookUpNeighbour(d, device, key.hi, key.lo);
        } else {
            return false;
        }
        if (netlink.routeMtu() > 0) {
            packet = Math.min(packet, netlink.routeMtu());
        }
        maxPayload[d] = packet - FrameTemplate.ipUdpBytes(family4);
        template[d] = Mem.alloc(FrameTemplate.BYTES);
        long sourceMac = way[d] == wayOfLo ? 0 : device.mac();
        FrameTemplate.build(
                template[d], family4, sourceMac, mac[d], source.hi(), source.lo(), key.hi, key.lo, key.port);
        return true;
    }

    /** Whether a route leads from the netdev to another host; the answer's details are left in {@link #netlink}. */
    private boolean isOutBy(NetDevice device, IpAddress source, Key key) {
        return netlink.route(device.ifindex(), source.hi(), source.lo(), key.hi, key.lo) == 0
                && netlink.routeType() == Netlink.RTN_UNICAST
                && netlink.routeDevice() == device.ifindex();
    }

    private int planeOf(long hi, long lo) {
        for (int p = 0; p < planes.size(); p++) {
            for (IpAddress address : planes.get(p).addresses()) {
                if (address.hi() == hi && address.lo() == lo) {
                    return p;
                }
            }
        }
        return -1;
    }

    /** After a look-up of the route: the hardware address of the next hop, or the way through the kernel while it is not known. */
    private void lookUpNeighbour(int d, NetDevice device, long hi, long lo) {
        boolean was = resolved[d];
        if (device.hasNoArp()) {
            mac[d] = device.mac();
            resolved[d] = true;
            viaKernel[d] = false;
        } else {
            long hopHi = netlink.routeHasGateway() ? netlink.gatewayHi() : hi;
            long hopLo = netlink.routeHasGateway() ? netlink.gatewayLo() : lo;
            long found = netlink.neighbour(device.ifindex(), hopHi, hopLo);
            resolved[d] = found >= 0;
            if (found >= 0) {
                mac[d] = found;
            }
            // A stale entry is confirmed by one frame that the kernel sends.
            viaKernel[d] = found < 0 || netlink.neighbourState() == Netlink.NUD_STALE;
        }
        if (was && !resolved[d]) {
            unresolved++;
            quickChecks[d] = QUICK_CHECKS;
        } else if (!was && resolved[d]) {
            unresolved--;
        }
        nextCheckNs[d] = clockNs + checkDelayNs(d);
    }

    private long checkDelayNs(int d) {
        if (resolved[d]) {
            return RECHECK_NS;
        }
        return quickChecks[d] > 0 ? UNRESOLVED_RECHECK_NS : UNRESOLVED_SLOW_NS;
    }

    @Override
    public void release(int d) {
        Key key = keys[d];
        if (key == null) {
            throw new IllegalArgumentException("destination " + d + " was released already");
        }
        if (--users[d] == 0) {
            handles.remove(key);
            keys[d] = null;
            if (way[d] != SELF) {
                Mem.free(template[d]);
                template[d] = 0;
            }
            if (!resolved[d]) {
                unresolved--;
                resolved[d] = true;
            }
        }
    }

    @Override
    public int maxPayload(int d) {
        return maxPayload[d];
    }

    /** Looks again at a few destinations that are due and were used since the last look. */
    void tick(long nowNs) {
        if (nowNs < nextTickNs) {
            return;
        }
        clockNs = nowNs;
        nextTickNs = nowNs + (unresolved > 0 ? UNRESOLVED_RECHECK_NS : UNRESOLVED_SLOW_NS);
        int budget = CHECKS_PER_TICK;
        for (int n = size; n > 0 && budget > 0; n--) {
            cursor = cursor + 1 >= size ? 0 : cursor + 1;
            Key key = keys[cursor];
            if (key != null
                    && used[cursor]
                    && way[cursor] != SELF
                    && way[cursor] != wayOfLo
                    && nowNs >= nextCheckNs[cursor]) {
                checkIfPossible(cursor, key);
                budget--;
            }
        }
    }

    private void checkIfPossible(int d, Key key) {
        try {
            check(d, key);
        } catch (SysException e) {
            nextCheckNs[d] =
                    clockNs + UNRESOLVED_SLOW_NS; // the kernel had no memory for an answer: what was known goes on
        }
    }

    private void check(int d, Key key) {
        NetDevice device = planes.get(key.plane).device();
        IpAddress source = planes.get(key.plane).source(key.hi, key.lo);
        long before = mac[d];
        used[d] = !resolved[d];
        if (!resolved[d] && quickChecks[d] > 0) {
            quickChecks[d]--;
        }
        if (source != null && isOutBy(device, source, key)) {
            lookUpNeighbour(d, device, key.hi, key.lo);
            if (mac[d] != before) {
                FrameTemplate.setMac(template[d], mac[d]);
            }
        } else {
            // No route now: the kernel says so for each packet, until there is one again.
            viaKernel[d] = true;
            nextCheckNs[d] = clockNs + UNRESOLVED_SLOW_NS;
        }
    }

    // ---- for the data path ----

    int way(int d) {
        return way[d];
    }

    long serial(int d) {
        return serial[d];
    }

    int planeInto(int d) {
        return planeInto[d];
    }

    boolean isV4(int d) {
        return v4[d];
    }

    long template(int d) {
        return template[d];
    }

    int plane(int d) {
        Key key = keys[d];
        return key == null ? 0 : key.plane;
    }

    /** Whether the next frame must go through the kernel. */
    boolean isViaKernel(int d) {
        return viaKernel[d];
    }

    /** Marks it used. */
    void use(int d) {
        used[d] = true;
    }

    /** A frame went through the kernel: if the neighbour is known it was the one that confirms it. */
    void sentViaKernel(int d) {
        if (resolved[d]) {
            viaKernel[d] = false;
        } else {
            nextTickNs = 0;
        }
    }

    long hi(int d) {
        Key key = keys[d];
        return key == null ? 0 : key.hi;
    }

    long lo(int d) {
        Key key = keys[d];
        return key == null ? 0 : key.lo;
    }

    @Override
    public void close() {
        for (int d = 0; d < size; d++) {
            if (keys[d] != null && way[d] != SELF) {
                Mem.free(template[d]);
            }
        }
        netlink.close();
    }
}
