package io.metaroce.provider.host;

import io.metaroce.provider.sys.Linux;

/**
 * A netdev as rtnetlink(7) describes it.
 *
 * @param name interface name
 * @param mtu bytes of an IP packet
 * @param type ARPHRD number: 1 Ethernet, 772 loopback
 * @param flags IFF flags of netdevice(7)
 * @param mac hardware address in the low 48 bits, first byte highest
 */
public record NetDevice(String name, int ifindex, int mtu, int type, int flags, long mac) {
    public boolean isUp() {
        return (flags & Linux.IFF_UP) != 0;
    }

    public boolean isLoopback() {
        return (flags & Linux.IFF_LOOPBACK) != 0;
    }

    /** No neighbour protocol: frames carry the device's own hardware address. */
    public boolean hasNoArp() {
        return (flags & (Linux.IFF_NOARP | Linux.IFF_LOOPBACK)) != 0;
    }
}
