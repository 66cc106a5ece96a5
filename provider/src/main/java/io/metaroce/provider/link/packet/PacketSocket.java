package io.metaroce.provider.link.packet;

import io.metaroce.provider.sys.Errno;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.provider.sys.SysException;
import io.metaroce.wire.Mem;

/** An AF_PACKET socket on one netdev with one mapped ring, of reception or of transmission. */
final class PacketSocket implements AutoCloseable {
    private static final int RING_BYTES_LEAST = 1 << 18;

    private final Sys sys;
    private final String netdev;
    private final int fd;
    private final long scratch = Mem.alloc(64);
    private long map;
    private long mapBytes;

    /** The socket receives nothing before {@link #bind}. */
    PacketSocket(Sys sys, String netdev) {
        this.sys = sys;
        this.netdev = netdev;
        fd = sys.socket(Linux.AF_PACKET, Linux.SOCK_RAW | Linux.SOCK_CLOEXEC | Linux.SOCK_NONBLOCK, 0);
        if (fd < 0) {
            Mem.free(scratch);
            throw new SysException(
                    "AF_PACKET socket on " + netdev,
                    fd,
                    "raw sockets need root or CAP_NET_RAW: setcap cap_net_raw+ep on the program, or sudo");
        }
        set(Linux.PACKET_VERSION, Linux.TPACKET_V2);
    }

    int fd() {
        return fd;
    }

    /** Sets an option of level SOL_PACKET that must work. */
    void set(int option, int value) {
        Mem.putInt(scratch, value);
        int error = sys.setsockopt(fd, Linux.SOL_PACKET, option, scratch, 4);
        if (error < 0) {
            throw new SysException("packet socket option " + option + " on " + netdev, error, "");
        }
    }

    /** Sets an option that only makes things faster; an older kernel may refuse it. */
    void tryToSet(int level, int option, int value) {
        Mem.putInt(scratch, value);
        sys.setsockopt(fd, level, option, scratch, 4);
    }

    /** Makes the ring, smaller if the kernel has no memory for it, and maps it. Returns the shape it got; its memory is at {@link #map}. */
    RingShape ring(int option, RingShape wanted) {
        RingShape shape = wanted;
        int error;
        while ((error = request(option, shape)) == -Errno.ENOMEM && shape.bytes() > RING_BYTES_LEAST) {
            shape = shape.half();
        }
        if (error < 0) {
            throw new SysException("ring of " + shape.bytes() + " bytes on " + netdev, error, "");
        }
        long address = sys.mmap(0, shape.bytes(), Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED, fd, 0);
        if (address < 0 && address > -4096) {
            throw new SysException("mapping of the ring on " + netdev, (int) address, "");
        }
        map = address;
        mapBytes = shape.bytes();
        // A child of the program must neither read nor tear down what the parent shares with the kernel.
        sys.madvise(map, mapBytes, Linux.MADV_DONTFORK);
        return shape;
    }

    private int request(int option, RingShape shape) {
        Mem.putInt(scratch, shape.blockBytes());
        Mem.putInt(scratch + 4, shape.blocks());
        Mem.putInt(scratch + 8, shape.slotBytes());
        Mem.putInt(scratch + 12, shape.slots());
        return sys.setsockopt(fd, Linux.SOL_PACKET, option, scratch, 16);
    }

    long map() {
        return map;
    }

    /** Binds to the netdev; {@code protocol} is an EtherType, or 0 to receive nothing. */
    void bind(int ifindex, int protocol) {
        Mem.fill(scratch, Linux.SOCKADDR_LL_BYTES, 0);
        Mem.putShort(scratch, Linux.AF_PACKET);
        Mem.putShortBe(scratch + 2, protocol);
        Mem.putInt(scratch + 4, ifindex);
        SysException.check(sys.bind(fd, scratch, Linux.SOCKADDR_LL_BYTES), "packet socket on " + netdev);
    }

    /** Frames that found the ring full since the last call (PACKET_STATISTICS). */
    long drops() {
        Mem.putInt(scratch + 16, 8);
        int error = sys.getsockopt(fd, Linux.SOL_PACKET, Linux.PACKET_STATISTICS, scratch, scratch + 16);
        return error < 0 ? 0 : Mem.getInt(scratch + 4) & 0xffff_ffffL;
    }

    @Override
    public void close() {
        if (map != 0) {
            sys.munmap(map, mapBytes);
            map = 0;
        }
        sys.close(fd);
        Mem.free(scratch);
    }
}
