package io.metaroce.provider.engine.conn;

import io.metaroce.provider.port.Routes;
import io.metaroce.wire.HandshakeBody;
import io.metaroce.wire.MetaRoce;
import io.metaroce.wire.PlaneEntry;
import io.metaroce.wire.RateHint;

/** The addresses of one process, in the order it tells them: plane k is its k-th netdev. */
final class Planes {
    private static final int IPV4_AND_UDP_BYTES = 28;
    private static final int IPV6_AND_UDP_BYTES = 48;
    private static final long MAPPED = 0xffff_0000_0000L;

    private final int count;
    private final int port;
    private final long[] hi;
    private final long[] lo;

    private Planes(int count, int port) {
        this.count = count;
        this.port = port;
        hi = new long[count];
        lo = new long[count];
    }

    /** Those of this process. */
    static Planes local(Routes routes) {
        Planes planes = new Planes(Math.min(routes.planes(), HandshakeBody.MAX_PLANES), routes.localPort());
        for (int i = 0; i < planes.count; i++) {
            planes.hi[i] = routes.planeHi(i);
            planes.lo[i] = routes.planeLo(i);
        }
        return planes;
    }

    /** Those that a peer tells in a handshake. */
    static Planes of(long handshakeBody) {
        Planes planes = new Planes(HandshakeBody.planeCount(handshakeBody), port(handshakeBody));
        for (int i = 0; i < planes.count; i++) {
            long entry = HandshakeBody.plane(handshakeBody, i);
            planes.hi[i] = PlaneEntry.addressHigh(entry);
            planes.lo[i] = PlaneEntry.addressLow(entry);
        }
        return planes;
    }

    /** UDP port that a peer tells in a handshake. */
    static int port(long handshakeBody) {
        return PlaneEntry.port(HandshakeBody.plane(handshakeBody, 0));
    }

    /** Whether a peer's handshake names this address. */
    static boolean names(long handshakeBody, long addressHi, long addressLo) {
        for (int i = 0; i < HandshakeBody.planeCount(handshakeBody); i++) {
            long entry = HandshakeBody.plane(handshakeBody, i);
            if (PlaneEntry.addressHigh(entry) == addressHi && PlaneEntry.addressLow(entry) == addressLo) {
                return true;
            }
        }
        return false;
    }

    int count() {
        return count;
    }

    int port() {
        return port;
    }

    int slot() {
        return MetaRoce.slot(port);
    }

    long hi(int plane) {
        return hi[plane];
    }

    long lo(int plane) {
        return lo[plane];
    }

    /** Index of the plane with this address, or -1. */
    int indexOf(long addressHi, long addressLo) {
        for (int i = 0; i < count; i++) {
            if (lo[i] == addressLo && hi[i] == addressHi) {
                return i;
            }
        }
        return -1;
    }

    /** Writes the plane slots of a handshake body; those of this process only. */
    void write(long handshakeBody, Routes routes, int maxPayload) {
        HandshakeBody.planeCount(handshakeBody, count);
        for (int i = 0; i < count; i++) {
            int ip = maxPayload + (isIpv4(hi[i], lo[i]) ? IPV4_AND_UDP_BYTES : IPV6_AND_UDP_BYTES);
            int mtu = Math.max(PlaneEntry.MIN_MTU, Math.min(ip, 0xffff));
            int rate = RateHint.encode(routes.planeMbps(i) * 1_000_000L);
            PlaneEntry.put(HandshakeBody.plane(handshakeBody, i), hi[i], lo[i], port, rate, mtu);
        }
    }

    private static boolean isIpv4(long addressHi, long addressLo) {
        return addressHi == 0 && (addressLo & 0xffff_ffff_0000_0000L) == MAPPED;
    }

    /** An address for people. */
    static String text(long addressHi, long addressLo) {
        if (isIpv4(addressHi, addressLo)) {
            return (addressLo >>> 24 & 255) + "." + (addressLo >>> 16 & 255) + "." + (addressLo >>> 8 & 255) + "."
                    + (addressLo & 255);
        }
        StringBuilder text = new StringBuilder(40);
        for (int i = 0; i < 8; i++) {
            long half = i < 4 ? addressHi : addressLo;
            text.append(i == 0 ? "" : ":").append(Long.toHexString(half >>> (48 - 16 * (i & 3)) & 0xffff));
        }
        return text.toString();
    }
}
