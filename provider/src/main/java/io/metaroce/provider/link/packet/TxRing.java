package io.metaroce.provider.link.packet;

import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.sys.Errno;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.wire.Mem;

/**
 * Transmission on one netdev through a TPACKET_V2 ring: frames are written into slots, and one system call sends all of them.
 *
 * <p>Each frame begins with a virtio header that asks for the UDP checksum (a netdev computes it, or a virtual one leaves it out) and whose header length is the whole
 * frame, so that the kernel copies the frame before it takes the slot: a slot can be used again while a slow receiver still holds the packet.
 */
final class TxRing implements AutoCloseable {
    /** Where the virtio header stands in a slot: after struct tpacket2_hdr. */
    static final int DATA = 32;

    private static final int STATUS = 0;
    private static final int LENGTH = 4;
    private static final int SEND_BUFFER_BYTES = 8 << 20;
    private static final int KICKS = 64;

    private final Sys sys;
    private final PacketSocket socket;
    private final Counters counters;
    private final int fd;
    private final long[] slots;
    private int head; // next slot to fill
    private int unsent; // filled since the kernel last took all
    private boolean congested;

    TxRing(Sys sys, String netdev, int ifindex, int maxFrame, int ringBytes, Counters counters) {
        this.sys = sys;
        this.counters = counters;
        socket = new PacketSocket(sys, netdev);
        fd = socket.fd();
        try {
            socket.set(Linux.PACKET_VNET_HDR, 1);
            // A frame that the kernel refuses (the MTU was lowered) is skipped, or the ring would stand for ever.
            socket.set(Linux.PACKET_LOSS, 1);
            socket.tryToSet(Linux.SOL_PACKET, Linux.PACKET_QDISC_BYPASS, 1);
            socket.tryToSet(Linux.SOL_SOCKET, Linux.SO_SNDBUF, SEND_BUFFER_BYTES);
            socket.tryToSet(Linux.SOL_SOCKET, Linux.SO_SNDBUFFORCE, SEND_BUFFER_BYTES);
            RingShape shape = socket.ring(
                    Linux.PACKET_TX_RING, RingShape.of(DATA + Linux.VIRTIO_NET_HDR_BYTES + maxFrame, ringBytes));
            slots = shape.offsets();
            for (int i = 0; i < slots.length; i++) {
                slots[i] += socket.map();
            }
            socket.bind(ifindex, 0);
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** Where the virtio header of the next frame goes; 0 when the ring is full. */
    long begin() {
        long slot = slots[head];
        return Mem.getIntAcquire(slot + STATUS) == Linux.TP_STATUS_AVAILABLE ? slot + DATA : full(slot);
    }

    private long full(long slot) {
        if (Mem.getIntAcquire(slot + STATUS) == Linux.TP_STATUS_WRONG_FORMAT) {
            counters.inc(Counter.LINK_TX_DROPPED);
            Mem.putIntRelease(slot + STATUS, Linux.TP_STATUS_AVAILABLE);
            return slot + DATA;
        }
        return 0;
    }

    /** Whether another frame has room behind the one at {@link #begin}. */
    boolean hasRoomForTwo() {
        int next = head + 1 == slots.length ? 0 : head + 1;
        return Mem.getIntAcquire(slots[next] + STATUS) == Linux.TP_STATUS_AVAILABLE;
    }

    /** Hands the slot of {@link #begin} over; {@code bytes} counts the virtio header and the frame. */
    void commit(int bytes) {
        long slot = slots[head];
        Mem.putInt(slot + LENGTH, bytes);
        Mem.putIntRelease(slot + STATUS, Linux.TP_STATUS_SEND_REQUEST);
        head = head + 1 == slots.length ? 0 : head + 1;
        unsent++;
    }

    void flush() {
        if (unsent != 0) {
            kick();
        }
    }

    private void kick() {
        long last = slots[before(head)];
        int sent = 0;
        for (int i = 0; i < KICKS; i++) {
            sent = sys.send(fd, 0, 0, Linux.MSG_DONTWAIT);
            if (sent == -Errno.ENOBUFS) { // one frame was dropped behind the socket; the rest waits
                counters.inc(Counter.LINK_TX_DROPPED);
            }
            if (Mem.getIntAcquire(last + STATUS) != Linux.TP_STATUS_SEND_REQUEST) {
                unsent = 0;
                congested = false;
                return;
            }
            if (sent < 0 && sent != -Errno.ENOBUFS && sent != -Errno.EINTR) {
                break;
            }
        }
        if (sent == -Errno.EAGAIN) {
            congested = true;
            counters.inc(Counter.LINK_TX_CONGESTED);
        } else {
            dropUnsent();
        }
    }

    /**
     * The netdev is down or gone: its frames must not keep those of other planes waiting. The kernel stands at the first slot that it did not take, so the next frame goes
     * there.
     */
    private void dropUnsent() {
        for (int i = before(head); unsent > 0; i = before(i), unsent--) {
            if (Mem.getIntAcquire(slots[i] + STATUS) != Linux.TP_STATUS_SEND_REQUEST) {
                break;
            }
            Mem.putIntRelease(slots[i] + STATUS, Linux.TP_STATUS_AVAILABLE);
            head = i;
            counters.inc(Counter.LINK_TX_DROPPED);
        }
        unsent = 0;
        congested = false;
    }

    private int before(int i) {
        return i == 0 ? slots.length - 1 : i - 1;
    }

    boolean isCongested() {
        return congested;
    }

    @Override
    public void close() {
        socket.close();
    }
}
