package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.LeafSpineTopology;
import io.metaroce.provider.link.sim.SimPort;
import java.util.Arrays;

/** Many senders, one receiver. */
final class IncastScenario implements Scenario {
    private static final double GBPS = 100;
    private static final long CABLE_NS = 2_500; // four cables one way: RTT 20 us
    private static final long RTT_NS = 20_000;

    @Override
    public String name() {
        return "incast";
    }

    @Override
    public String explain() {
        return """
                8, 16, 32 and 64 hosts write 1 MiB messages to one host over leaf and spine, 100 Gb/s, RTT 20 us, ECN; all start at once.
                jain: fairness over 2 ms; settled_rtts: when the last sender came within 10 % of the fair share (rates over 2 RTTs) and the mean
                stayed there; utilisation: wire bits of the receiver's cable; victim: a flow between two other hosts on the same leaves, relative to
                being alone. big: 1,000 to 1 over 100 ms with 256 KB of buffer.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        for (int n : new int[] {8, 16, 32, 64}) {
            incast(seed, n, n + "to1", figures);
        }
        big(seed, figures);
    }

    private static LeafSpineTopology fabric(int senders, long queueBytes, long ecnBytes) {
        int perLeaf = senders + 1;
        // spines as fast as all hosts of a leaf together: only the receiver's cable is too small
        return new LeafSpineTopology(
                2 * perLeaf, perLeaf, 4, 1, GBPS, GBPS * perLeaf / 4, CABLE_NS, queueBytes, ecnBytes);
    }

    private static void incast(long seed, int n, String key, Figures figures) {
        LeafSpineTopology fabric = fabric(n, 4 << 20, 200_000);
        int receiver = n + 1;
        try (FlowNet net = new FlowNet(seed, fabric, 4200, config -> config)) {
            Flow victim = net.flow(n, n + 2, 1 << 20, 8, Long.MAX_VALUE);
            net.run(1_000_000);
            long before = victim.landedBytes();
            net.run(1_000_000);
            double alone = victim.landedBytes() - before;
            for (int i = 0; i < n; i++) {
                net.flow(i, receiver, 1 << 20, 4, Long.MAX_VALUE);
            }
            double fair = GBPS * payloadShare() / n;
            long settled = -1;
            long[] was = landed(net, n);
            for (int rtt = 2; rtt <= 100; rtt += 1) {
                net.run(RTT_NS);
                if (rtt % 2 != 0) {
                    continue;
                }
                long[] is = landed(net, n);
                double worst = 0;
                for (int i = 0; i < n; i++) {
                    double rate = (is[i] - was[i]) * 8.0 / (2 * RTT_NS);
                    worst = Math.max(worst, Math.abs(rate - fair) / fair);
                }
                was = is;
                if (worst > 0.10) {
                    settled = -1;
                } else if (settled < 0) {
                    settled = rtt;
                }
            }
            figures.add(key + "_settled_rtts", settled < 0 ? 100 : settled);
            SimPort cable = fabric.port(fabric.toHost(receiver, 0));
            long wire = cable.wireBytes();
            long drops = cable.drops();
            long[] start = landed(net, n);
            long victimStart = victim.landedBytes();
            net.run(2_000_000);
            long[] end = landed(net, n);
            double sum = 0;
            double squares = 0;
            for (int i = 0; i < n; i++) {
                double x = end[i] - start[i];
                sum += x;
                squares += x * x;
            }
            figures.add(key + "_jain", sum * sum / (n * squares));
            figures.add(key + "_utilisation", (cable.wireBytes() - wire) * 8.0 / 2_000_000 / GBPS);
            figures.add(key + "_drops", cable.drops() - drops);
            figures.add(key + "_victim", (victim.landedBytes() - victimStart) / 2.0 / alone);
        }
    }

    /** Payload bytes per wire byte at this MTU: three segments of 1344 in a frame. */
    private static double payloadShare() {
        double payload = 3 * 1344;
        return payload / (payload + 20 + 16 + 16 + 4 + SimPort.OVERHEAD_BYTES);
    }

    private static long[] landed(FlowNet net, int n) {
        long[] all = new long[n];
        Arrays.setAll(all, i -> net.flows().get(1 + i).landedBytes());
        return all;
    }

    private static void big(long seed, Figures figures) {
        int n = 1000;
        LeafSpineTopology fabric = fabric(n, 256 * 1024, 64 * 1024);
        int receiver = n + 1;
        try (FlowNet net = new FlowNet(seed, fabric, 4200, config -> config)) {
            for (int i = 0; i < n; i++) {
                net.flow(i, receiver, 1 << 18, 2, Long.MAX_VALUE);
            }
            net.run(100_000_000);
            SimPort cable = fabric.port(fabric.toHost(receiver, 0));
            figures.add("big_utilisation", cable.wireBytes() * 8.0 / 100_000_000 / GBPS);
            figures.add("big_drops_per_packet", (double) cable.drops() / cable.frames());
        }
    }
}
