package io.metaroce.provider.link.packet;

import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.wire.DropReason;
import io.metaroce.wire.EthernetReader;
import io.metaroce.wire.Mem;
import java.util.List;

/**
 * Reception from one netdev and one family through a TPACKET_V2 ring. A frame is read where the kernel put it; its slot goes back to the kernel at the next
 * poll.
 */
final class RxRing implements AutoCloseable {
    // struct tpacket2_hdr
    private static final int STATUS = 0;
    private static final int LENGTH = 4;
    private static final int CAPTURED = 8;
    private static final int MAC_OFFSET = 12;

    // Documentation/networking/packet_mmap: up to 80 bytes stand before the network header, and a virtio header.
    private static final int BEFORE_NETWORK_HEADER = 80 + Linux.VIRTIO_NET_HDR_BYTES;

    private static final int NO_CHECK_NEEDED = Linux.TP_STATUS_CSUM_VALID | Linux.TP_STATUS_CSUMNOTREADY;

    private final PacketSocket socket;
    private final Counters counters;
    private final int port;
    private final boolean joined;
    private final long[] slots;
    private final long[] localHi;
    private final long[] localLo;
    private final int[] localPlane;
    private int head; // next slot to look at
    private int held; // slots before head that the engine still reads
    private int taken; // bytes of payload of the slot at head that earlier batches held

    /**
     * @param addresses own addresses of one family; {@code planes} says which plane each belongs to
     * @param maxFrame bytes of the longest Ethernet frame
     * @param joined frames may hold several datagrams, and say so
     */
    RxRing(
            Sys sys,
            String netdev,
            int ifindex,
            List<IpAddress> addresses,
            int[] planes,
            int port,
            int maxFrame,
            boolean joined,
            int ringBytes,
            Counters counters) {
        this.counters = counters;
        this.port = port;
        this.joined = joined;
        boolean v4 = addresses.get(0).isV4();
        localPlane = planes;
        localHi = addresses.stream().mapToLong(IpAddress::hi).toArray();
        localLo = addresses.stream().mapToLong(IpAddress::lo).toArray();
        socket = new PacketSocket(sys, netdev);
        try {
            if (joined) {
                socket.set(Linux.PACKET_VNET_HDR, 1);
            }
            RingShape shape =
                    socket.ring(Linux.PACKET_RX_RING, RingShape.of(maxFrame + BEFORE_NETWORK_HEADER, ringBytes));
            slots = shape.offsets();
            for (int i = 0; i < slots.length; i++) {
                slots[i] += socket.map();
            }
            socket.tryToSet(Linux.SOL_PACKET, Linux.PACKET_IGNORE_OUTGOING, 1);
            PortFilter.attach(sys, socket.fd(), v4, addresses, port);
            socket.bind(ifindex, v4 ? Linux.ETH_P_IP : Linux.ETH_P_IPV6);
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    int fd() {
        return socket.fd();
    }

    long drops() {
        return socket.drops();
    }

    /** Gives the slots of the last poll back to the kernel. */
    void release() {
        int i = head - held;
        if (i < 0) {
            i += slots.length;
        }
        for (int n = held; n > 0; n--) {
            Mem.putIntRelease(slots[i] + STATUS, Linux.TP_STATUS_KERNEL);
            i = i + 1 == slots.length ? 0 : i + 1;
        }
        held = 0;
    }

    /** After {@link #release}: adds frames until the batch is full or none is left. */
    int poll(RxBatch batch) {
        int before = batch.count();
        // A slot is held also for a frame that was refused, so the count is bounded by itself.
        while (!batch.full() && held < RxBatch.CAPACITY * 2) {
            long slot = slots[head];
            int status = Mem.getIntAcquire(slot + STATUS);
            if ((status & Linux.TP_STATUS_USER) == 0) {
                break;
            }
            if (take(batch, slot, status)) {
                head = head + 1 == slots.length ? 0 : head + 1;
                held++;
            }
        }
        return batch.count() - before;
    }

    /** False: the frame has datagrams for which the batch had no room. */
    private boolean take(RxBatch batch, long slot, int status) {
        long frame = slot + Mem.getUnsignedShort(slot + MAC_OFFSET);
        int bytes = Mem.getInt(slot + CAPTURED);
        long read = EthernetReader.read(frame, bytes);
        if (read < 0) {
            counters.inc(
                    DropReason.of(read) == DropReason.IP_CHECKSUM
                            ? Counter.LINK_RX_BAD_CHECKSUM
                            : Counter.LINK_RX_MALFORMED);
            return true;
        }
        if (bytes < Mem.getInt(slot + LENGTH) || EthernetReader.destinationPort(frame, read) != port) {
            counters.inc(Counter.LINK_RX_MALFORMED);
            return true;
        }
        if ((status & NO_CHECK_NEEDED) == 0 && !EthernetReader.udpChecksumFits(frame, read)) {
            counters.inc(Counter.LINK_RX_BAD_CHECKSUM);
            return true;
        }
        int plane = planeOf(EthernetReader.destinationHigh(frame, read), EthernetReader.destinationLow(frame, read));
        if (plane < 0) {
            counters.inc(Counter.LINK_RX_MALFORMED);
            return true;
        }
        int segment = joined ? FrameTemplate.segmentBytes(frame - Linux.VIRTIO_NET_HDR_BYTES) : 0;
        return add(batch, frame, read, plane, segment);
    }

    private int planeOf(long hi, long lo) {
        for (int i = 0; i < localPlane.length; i++) {
            if (localLo[i] == lo && localHi[i] == hi) {
                return localPlane[i];
            }
        }
        return -1;
    }

    /** Adds each datagram of a frame; {@code segment} is the length of all but the last, 0 when there is only one. */
    private boolean add(RxBatch batch, long frame, long read, int plane, int segment) {
        long payload = frame + EthernetReader.payloadOffset(read);
        int total = EthernetReader.payloadLength(read);
        int ecn = EthernetReader.ecn(frame, read);
        long hi = EthernetReader.sourceHigh(frame, read);
        long lo = EthernetReader.sourceLow(frame, read);
        int sourcePort = EthernetReader.sourcePort(frame, read);
        int each = segment == 0 ? total : segment;
        do {
            int bytes = Math.min(each, total - taken);
            batch.add(payload + taken, bytes, plane, ecn, hi, lo, sourcePort);
            taken += bytes;
        } while (taken < total && !batch.full());
        if (taken < total) {
            return false;
        }
        taken = 0;
        return true;
    }

    @Override
    public void close() {
        socket.close();
    }
}
