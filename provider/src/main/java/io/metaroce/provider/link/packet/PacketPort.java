package io.metaroce.provider.link.packet;

import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.NetDevice;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.sys.Sys;
import java.util.ArrayList;
import java.util.List;

/** One netdev: a ring of reception for each family of its addresses, and one ring of transmission. */
public final class PacketPort implements AutoCloseable {
    private static final int RX_RING_BYTES = 16 << 20;
    private static final int TX_RING_BYTES = 4 << 20;
    private static final int ETHERNET_BYTES = 14;

    private final NetDevice device;
    private final int maxPacket;
    private final TxRing tx;
    private final SuperFrame last;
    private final RxRing[] rx;
    private final Counters counters;

    /**
     * @param addresses own addresses that frames may come to on this netdev; {@code planes} says which plane each belongs to
     * @param maxPacket bytes of the longest IP packet to send or receive here
     * @param port own UDP port
     */
    public PacketPort(
            Sys sys,
            NetDevice device,
            List<IpAddress> addresses,
            List<Integer> planes,
            int maxPacket,
            int port,
            Counters counters) {
        this.device = device;
        this.maxPacket = maxPacket;
        this.counters = counters;
        boolean joins = SuperFrame.isKnownTo(System.getProperty("os.version"));
        int slotPacket = joins ? Math.max(maxPacket, SuperFrame.MAX_PACKET) : maxPacket;
        int maxFrame = slotPacket + ETHERNET_BYTES;
        tx = new TxRing(sys, device.name(), device.ifindex(), maxFrame, TX_RING_BYTES, counters);
        last = new SuperFrame(tx, joins ? slotPacket : 0);
        List<RxRing> rings = new ArrayList<>();
        try {
            for (boolean v4 : new boolean[] {true, false}) {
                List<IpAddress> own = new ArrayList<>();
                List<Integer> ownPlanes = new ArrayList<>();
                for (int i = 0; i < addresses.size(); i++) {
                    if (addresses.get(i).isV4() == v4) {
                        own.add(addresses.get(i));
                        ownPlanes.add(planes.get(i));
                    }
                }
                if (!own.isEmpty()) {
                    int[] planeOf = ownPlanes.stream().mapToInt(p -> p).toArray();
                    rings.add(new RxRing(
                            sys,
                            device.name(),
                            device.ifindex(),
                            own,
                            planeOf,
                            port,
                            maxFrame,
                            joins,
                            RX_RING_BYTES,
                            counters));
                }
            }
        } catch (RuntimeException e) {
            tx.close();
            rings.forEach(RxRing::close);
            throw e;
        }
        rx = rings.toArray(RxRing[]::new);
    }

    public NetDevice device() {
        return device;
    }

    public int maxPacket() {
        return maxPacket;
    }

    /** Gives the frames of the last poll back. */
    public void release() {
        for (RxRing ring : rx) {
            ring.release();
        }
    }

    public int poll(RxBatch batch) {
        int n = 0;
        for (RxRing ring : rx) {
            n += ring.poll(batch);
        }
        return n;
    }

    /** Where the next payload to a destination (a number that no other has or had) goes, of up to {@code longest} bytes; 0 when the ring is full. */
    public long begin(long destination, boolean v4, int longest) {
        return last.begin(destination, v4, longest);
    }

    /** Takes the payload at {@link #begin}; it may be sent in one frame with those before it and behind it. */
    public void commit(long destination, long template, boolean v4, int sourcePort, int bytes) {
        last.commit(destination, template, v4, sourcePort, bytes);
    }

    /** Where the next payload goes that is to be taken by {@link #complete}; 0 when the ring is full. */
    public long beginAlone(boolean v4) {
        return last.beginAlone(v4);
    }

    /** Puts headers before the payload at {@link #beginAlone} and returns where the virtio header is; the frame is not sent. */
    public long complete(long template, boolean v4, int sourcePort, int bytes) {
        return last.complete(template, v4, sourcePort, bytes);
    }

    public void flush() {
        last.close();
        tx.flush();
    }

    public boolean isCongested() {
        return tx.isCongested();
    }

    /** Adds what the rings of reception lost to the counters. */
    public void countDrops() {
        for (RxRing ring : rx) {
            counters.add(Counter.LINK_RX_RING_DROPS, ring.drops());
        }
    }

    public int fds() {
        return rx.length;
    }

    public int fd(int i) {
        return rx[i].fd();
    }

    @Override
    public void close() {
        tx.close();
        for (RxRing ring : rx) {
            ring.close();
        }
    }
}
