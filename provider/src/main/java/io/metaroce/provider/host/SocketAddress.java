package io.metaroce.provider.host;

import io.metaroce.provider.sys.Linux;
import io.metaroce.wire.Mem;

/** {@code struct sockaddr_in} and {@code struct sockaddr_in6} (ip(7), ipv6(7)). */
public final class SocketAddress {
    private SocketAddress() {}

    /** Writes the address at {@code at} (28 bytes) and returns its length; {@code scope} is the ifindex of a link-local address. */
    public static int put(long at, long hi, long lo, int port, int scope) {
        Mem.fill(at, Linux.SOCKADDR_IN6_BYTES, 0);
        Mem.putShortBe(at + 2, port);
        if (IpAddress.isV4(hi, lo)) {
            Mem.putShort(at, Linux.AF_INET);
            Mem.putIntBe(at + 4, (int) lo);
            return Linux.SOCKADDR_IN_BYTES;
        }
        Mem.putShort(at, Linux.AF_INET6);
        Mem.putLongBe(at + 8, hi);
        Mem.putLongBe(at + 16, lo);
        Mem.putInt(at + 24, IpAddress.isLinkLocal(hi) ? scope : 0);
        return Linux.SOCKADDR_IN6_BYTES;
    }
}
