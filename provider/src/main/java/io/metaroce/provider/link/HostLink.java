package io.metaroce.provider.link;

import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.NetDevice;
import io.metaroce.provider.host.Netlink;
import io.metaroce.provider.host.Plane;
import io.metaroce.provider.link.local.MemoryQueue;
import io.metaroce.provider.link.packet.FrameTemplate;
import io.metaroce.provider.link.packet.KernelSender;
import io.metaroce.provider.link.packet.PacketPort;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Routes;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.sys.Sys;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The link over this host's netdevs: each plane has a packet port, other processes of the host are reached by {@code lo}, and this process by memory.
 */
public final class HostLink implements Link {
    /** Longest IP packet on {@code lo} and longest packet on a netdev of larger MTU: slots of a ring must hold it. */
    private static final int LO_PACKET_BYTES = 9000;

    private static final int LONGEST_PACKET_BYTES = 16_000;
    private static final int SELF_SLOTS = 256;
    private static final int SELF_PAYLOAD_BYTES = LO_PACKET_BYTES - 28;

    private final Counters counters;
    private final PacketPort[] ports;
    private final KernelSender[] kernel; // by plane
    private final Destinations destinations;
    private final MemoryQueue self = new MemoryQueue(SELF_SLOTS, SELF_PAYLOAD_BYTES);
    private int nextPort;

    /**
     * Opens the sockets and rings.
     *
     * @param localPort the claimed UDP port
     * @throws io.metaroce.provider.sys.SysException with what is missing
     */
    public HostLink(Sys sys, List<Plane> planes, int localPort, Counters counters) {
        this.counters = counters;
        Netlink netlink = new Netlink(sys);
        List<PacketPort> opened = new ArrayList<>();
        List<KernelSender> senders = new ArrayList<>();
        try {
            int[] way = new int[planes.size()];
            int[] maxPacket = new int[planes.size()];
            int wayOfLo = -1;
            List<IpAddress> all = new ArrayList<>();
            List<Integer> planeOf = new ArrayList<>();
            for (int p = 0; p < planes.size(); p++) {
                for (IpAddress address : planes.get(p).addresses()) {
                    all.add(address);
                    planeOf.add(p);
                }
            }
            for (int p = 0; p < planes.size(); p++) {
                Plane plane = planes.get(p);
                NetDevice device = plane.device();
                maxPacket[p] = Math.min(device.mtu(), LONGEST_PACKET_BYTES);
                way[p] = opened.size();
                if (device.isLoopback()) {
                    maxPacket[p] = Math.min(device.mtu(), LO_PACKET_BYTES);
                    wayOfLo = way[p];
                    opened.add(new PacketPort(sys, device, all, planeOf, maxPacket[p], localPort, counters));
                } else {
                    List<Integer> one = Collections.nCopies(plane.addresses().size(), p);
                    opened.add(new PacketPort(sys, device, plane.addresses(), one, maxPacket[p], localPort, counters));
                }
                senders.add(new KernelSender(sys, device, plane.has(true), plane.has(false)));
            }
            int loPacket;
            if (wayOfLo < 0) {
                NetDevice lo = loopback(netlink);
                loPacket = Math.min(lo.mtu(), LO_PACKET_BYTES);
                wayOfLo = opened.size();
                opened.add(new PacketPort(sys, lo, all, planeOf, loPacket, localPort, counters));
            } else {
                loPacket = opened.get(wayOfLo).maxPacket();
            }
            destinations =
                    new Destinations(netlink, planes, localPort, way, maxPacket, wayOfLo, loPacket, SELF_PAYLOAD_BYTES);
        } catch (RuntimeException e) {
            opened.forEach(PacketPort::close);
            senders.forEach(KernelSender::close);
            netlink.close();
            self.close();
            throw e;
        }
        ports = opened.toArray(PacketPort[]::new);
        kernel = senders.toArray(KernelSender[]::new);
    }

    private static NetDevice loopback(Netlink netlink) {
        for (NetDevice device : netlink.devices()) {
            if (device.isLoopback()) {
                return device;
            }
        }
        throw new IllegalStateException("this network namespace has no loopback netdev");
    }

    /** Where this link can send to. */
    public Routes routes() {
        return destinations;
    }

    @Override
    public int poll(RxBatch batch, long nowNs) {
        destinations.tick(nowNs);
        int n = self.poll(batch);
        for (PacketPort port : ports) {
            port.release();
        }
        nextPort = nextPort + 1 >= ports.length ? 0 : nextPort + 1;
        for (int i = 0, p = nextPort; i < ports.length; i++) {
            n += ports[p].poll(batch);
            p = p + 1 == ports.length ? 0 : p + 1;
        }
        return n;
    }

    @Override
    public long begin(int destination) {
        int way = destinations.way(destination);
        if (way == Destinations.SELF) {
            return self.begin();
        }
        boolean v4 = destinations.isV4(destination);
        return destinations.isViaKernel(destination)
                ? ports[way].beginAlone(v4)
                : ports[way].begin(destinations.serial(destination), v4, destinations.maxPayload(destination));
    }

    @Override
    public void commit(int destination, int sourcePort, int bytes) {
        if (bytes > destinations.maxPayload(destination)) {
            throw new IllegalArgumentException(
                    bytes + " bytes to a destination that takes " + destinations.maxPayload(destination));
        }
        int way = destinations.way(destination);
        if (way == Destinations.SELF) {
            commitToSelf(destination, sourcePort, bytes);
            return;
        }
        PacketPort port = ports[way];
        boolean v4 = destinations.isV4(destination);
        long template = destinations.template(destination);
        destinations.use(destination);
        if (destinations.isViaKernel(destination)) {
            sendByKernel(destination, port.complete(template, v4, sourcePort, bytes), v4, bytes);
        } else {
            port.commit(destinations.serial(destination), template, v4, sourcePort, bytes);
        }
    }

    private void commitToSelf(int destination, int sourcePort, int bytes) {
        int plane = destinations.plane(destination);
        self.commit(
                bytes,
                destinations.planeInto(destination),
                destinations.planeHi(plane),
                destinations.planeLo(plane),
                sourcePort);
    }

    private void sendByKernel(int destination, long at, boolean v4, int bytes) {
        FrameTemplate.completeChecksum(at, v4, bytes);
        int error = kernel[destinations.plane(destination)].send(
                FrameTemplate.ip(at),
                bytes + FrameTemplate.ipUdpBytes(v4),
                destinations.hi(destination),
                destinations.lo(destination));
        counters.inc(error < 0 ? Counter.LINK_TX_DROPPED : Counter.LINK_TX_VIA_KERNEL);
        destinations.sentViaKernel(destination);
    }

    @Override
    public void flush(long nowNs) {
        for (PacketPort port : ports) {
            port.flush();
        }
    }

    @Override
    public boolean isCongested() {
        if (self.hasFrames()) {
            return true;
        }
        for (PacketPort port : ports) {
            if (port.isCongested()) {
                return true;
            }
        }
        return false;
    }

    /** Adds the frames lost in full rings to the counters. */
    public void countDrops() {
        for (PacketPort port : ports) {
            port.countDrops();
        }
    }

    @Override
    public int fds() {
        int n = 0;
        for (PacketPort port : ports) {
            n += port.fds();
        }
        return n;
    }

    @Override
    public int fd(int i) {
        int k = i;
        for (PacketPort port : ports) {
            if (k < port.fds()) {
                return port.fd(k);
            }
            k -= port.fds();
        }
        throw new IndexOutOfBoundsException(i);
    }

    @Override
    public void close() {
        for (PacketPort port : ports) {
            port.close();
        }
        for (KernelSender sender : kernel) {
            sender.close();
        }
        destinations.close();
        self.close();
    }
}
