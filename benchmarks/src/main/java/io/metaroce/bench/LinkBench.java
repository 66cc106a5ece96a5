package io.metaroce.bench;

import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.Netlink;
import io.metaroce.provider.host.Plane;
import io.metaroce.provider.host.PortClaim;
import io.metaroce.provider.link.HostLink;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.sys.Sys;
import io.metaroce.wire.Mem;
import io.metaroce.wire.MetaRoce;
import java.util.Arrays;
import java.util.List;

/**
 * The packet link alone, without a protocol: round trips of one frame, and the rate of a stream with 256 frames outstanding that is acknowledged every 64. Start
 * {@code serve NETDEV} in one namespace and {@code ping|flood NETDEV ADDRESS BYTES [SECONDS]} in the other.
 */
public final class LinkBench {
    private static final int WINDOW = 256;
    private static final int ACK_EVERY = 64;
    private static final int SOURCE_PORT = 50_000;
    private static final int PING = 1;
    private static final int DATA = 2;
    private static final int ACK = 3;
    private static final int LEAST_BYTES = 24;

    private final Counters counters = new Counters();
    private final HostLink link;
    private final RxBatch rx = new RxBatch();

    private LinkBench(String netdev) {
        Sys sys = Sys.get();
        List<Plane> planes;
        try (Netlink netlink = new Netlink(sys)) {
            planes = Plane.find(netlink, List.of(netdev));
        }
        link = new HostLink(sys, planes, PortClaim.claim(sys, planes).port(), counters);
    }

    /** See the class comment. */
    public static void main(String[] args) {
        LinkBench bench = new LinkBench(args[1]);
        if (args[0].equals("serve")) {
            bench.serve();
        }
        IpAddress peer = IpAddress.parse(args[2]);
        int destination = bench.link.routes().destination(0, peer.hi(), peer.lo(), MetaRoce.port(0));
        int bytes = Math.max(LEAST_BYTES, Integer.parseInt(args[3]));
        double seconds = args.length > 4 ? Double.parseDouble(args[4]) : 3;
        if (args[0].equals("ping")) {
            bench.ping(destination, bytes, seconds);
        } else {
            bench.flood(destination, bytes, seconds);
        }
    }

    private void send(int destination, int kind, long number, int bytes) {
        long at = link.begin(destination);
        while (at == 0) {
            link.flush(System.nanoTime());
            at = link.begin(destination);
        }
        Mem.putInt(at, kind);
        Mem.putLong(at + 8, number);
        link.commit(destination, SOURCE_PORT, bytes);
    }

    private void serve() {
        int back = -1;
        long received = 0;
        while (true) {
            rx.clear();
            if (link.poll(rx, System.nanoTime()) == 0) {
                Thread.onSpinWait();
                continue;
            }
            for (int i = 0; i < rx.count(); i++) {
                long at = rx.address(i);
                if (back < 0 || Mem.getLong(at + 8) == 0) {
                    back = link.routes().destination(0, rx.sourceHi(i), rx.sourceLo(i), MetaRoce.port(0));
                    received = 0;
                }
                received++;
                if (Mem.getInt(at) == PING) {
                    send(back, PING, Mem.getLong(at + 8), rx.length(i));
                } else if (received % ACK_EVERY == 0) {
                    send(back, ACK, Mem.getLong(at + 8), LEAST_BYTES);
                }
            }
            link.flush(System.nanoTime());
        }
    }

    private void ping(int destination, int bytes, double seconds) {
        long[] rtt = new long[1 << 22];
        int n = 0;
        long end = System.nanoTime() + (long) (seconds * 1e9);
        long now = System.nanoTime();
        for (long number = 0; now < end && n < rtt.length; number++) {
            send(destination, PING, number, bytes);
            link.flush(now);
            rx.clear();
            long limit = now + 1_000_000_000;
            long start = now;
            while (link.poll(rx, now) == 0 && now < limit) {
                now = System.nanoTime();
            }
            now = System.nanoTime();
            rtt[n++] = now - start;
        }
        long[] sorted = Arrays.copyOfRange(rtt, n / 2, n);
        Arrays.sort(sorted);
        System.out.printf(
                "ping %d bytes: %d round trips, RTT us min %.2f p50 %.2f p90 %.2f p99 %.2f p99.9 %.2f%n",
                bytes,
                sorted.length,
                sorted[0] / 1e3,
                sorted[sorted.length / 2] / 1e3,
                sorted[sorted.length * 9 / 10] / 1e3,
                sorted[(int) (sorted.length * 0.99)] / 1e3,
                sorted[(int) (sorted.length * 0.999)] / 1e3);
    }

    private void flood(int destination, int bytes, double seconds) {
        long sent = 0;
        long acknowledged = 0;
        long stalls = 0;
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        long now = start;
        long heard = start;
        long half = 0;
        long halfNs = 0;
        while (now < end) {
            int burst = 0;
            while (sent - acknowledged < WINDOW && burst < 32) {
                send(destination, DATA, sent++, bytes);
                burst++;
            }
            link.flush(now);
            rx.clear();
            if (link.poll(rx, now) != 0) {
                for (int i = 0; i < rx.count(); i++) {
                    acknowledged = Math.max(acknowledged, Mem.getLong(rx.address(i) + 8) + 1);
                }
                heard = now;
            } else if (now - heard > 5_000_000) {
                stalls++;
                acknowledged = sent;
                heard = now;
            }
            now = System.nanoTime();
            if (half == 0 && now - start > (end - start) / 2) {
                half = acknowledged;
                halfNs = now;
            }
        }
        double rate = (acknowledged - half) / ((now - halfNs) / 1e9);
        System.out.printf(
                "flood %d bytes: %.3f Mpps, %.2f Gbit/s of payload, %d stalls%n",
                bytes, rate / 1e6, rate * bytes * 8 / 1e9, stalls);
    }
}
