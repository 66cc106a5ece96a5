package io.metaroce.provider.sys;

/** Constants of the Linux headers, under their own names; the same on x86-64 and AArch64. */
public final class Linux {
    // <sys/socket.h>
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;
    public static final int AF_NETLINK = 16;
    public static final int AF_PACKET = 17;
    public static final int SOCK_DGRAM = 2;
    public static final int SOCK_RAW = 3;
    public static final int SOCK_CLOEXEC = 0x80000;
    public static final int SOCK_NONBLOCK = 0x800;
    public static final int SOL_SOCKET = 1;
    public static final int SO_ERROR = 4;
    public static final int SO_SNDBUF = 7;
    public static final int SO_RCVBUF = 8;
    public static final int SO_BINDTODEVICE = 25;
    public static final int SO_ATTACH_FILTER = 26;
    public static final int SO_SNDBUFFORCE = 32;
    public static final int SO_RCVBUFFORCE = 33;
    public static final int MSG_DONTWAIT = 0x40;
    public static final int MSG_TRUNC = 0x20;

    // <netinet/in.h>
    public static final int IPPROTO_IP = 0;
    public static final int IPPROTO_UDP = 17;
    public static final int UDP_GRO = 104;
    public static final int IPPROTO_IPV6 = 41;
    public static final int IPPROTO_RAW = 255;
    public static final int IP_FREEBIND = 15;
    public static final int IPV6_V6ONLY = 26;
    public static final int IPV6_FREEBIND = 78;

    // <linux/if_ether.h>, <linux/if_arp.h>, <net/if.h>
    public static final int ETH_P_IP = 0x0800;
    public static final int ETH_P_IPV6 = 0x86dd;
    public static final int ARPHRD_ETHER = 1;
    public static final int ARPHRD_LOOPBACK = 772;
    public static final int IFF_UP = 1;
    public static final int IFF_LOOPBACK = 8;
    public static final int IFF_NOARP = 0x80;

    // <linux/if_packet.h>
    public static final int SOL_PACKET = 263;
    public static final int PACKET_RX_RING = 5;
    public static final int PACKET_STATISTICS = 6;
    public static final int PACKET_VERSION = 10;
    public static final int PACKET_TX_RING = 13;
    public static final int PACKET_LOSS = 14;
    public static final int PACKET_VNET_HDR = 15;
    public static final int PACKET_QDISC_BYPASS = 20;
    public static final int PACKET_IGNORE_OUTGOING = 23;
    public static final int TPACKET_V2 = 1;
    public static final int TP_STATUS_KERNEL = 0;
    public static final int TP_STATUS_USER = 1;
    public static final int TP_STATUS_CSUMNOTREADY = 1 << 3;
    public static final int TP_STATUS_CSUM_VALID = 1 << 7;
    public static final int TP_STATUS_AVAILABLE = 0;
    public static final int TP_STATUS_SEND_REQUEST = 1;
    public static final int TP_STATUS_SENDING = 2;
    public static final int TP_STATUS_WRONG_FORMAT = 4;

    // <linux/virtio_net.h>
    public static final int VIRTIO_NET_HDR_F_NEEDS_CSUM = 1;
    public static final int VIRTIO_NET_HDR_GSO_UDP_L4 = 5;
    public static final int VIRTIO_NET_HDR_BYTES = 10;

    // <sys/mman.h>
    public static final int PROT_READ = 1;
    public static final int PROT_WRITE = 2;
    public static final int MAP_SHARED = 1;
    public static final int MAP_PRIVATE = 2;
    public static final int MAP_ANONYMOUS = 0x20;
    public static final int MADV_DONTFORK = 10;

    // <poll.h>, <sys/eventfd.h>, <sched.h>, <time.h>, <fcntl.h>
    public static final int POLLIN = 1;
    public static final int POLLOUT = 4;
    public static final int POLLERR = 8;
    public static final int EFD_CLOEXEC = 0x80000;
    public static final int EFD_NONBLOCK = 0x800;
    public static final int SCHED_OTHER = 0;
    public static final int SCHED_FIFO = 1;
    public static final int SCHED_RR = 2;
    public static final int CLOCK_MONOTONIC = 1;
    public static final int O_RDONLY = 0;
    public static final int O_CLOEXEC = 0x80000;

    /** {@code struct sockaddr_in} and {@code sockaddr_in6}. */
    public static final int SOCKADDR_IN_BYTES = 16;

    public static final int SOCKADDR_IN6_BYTES = 28;
    /** {@code struct sockaddr_ll}. */
    public static final int SOCKADDR_LL_BYTES = 20;

    private Linux() {}
}
