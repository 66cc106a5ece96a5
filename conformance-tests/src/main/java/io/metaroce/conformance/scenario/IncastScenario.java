package io.metaroce.conformance.scenario;

import io.metaroce.provider.engine.cc.CongestionControl;
import io.metaroce.provider.engine.conn.Connection;
import io.metaroce.provider.engine.conn.Connections;
import io.metaroce.provider.link.sim.LeafSpineTopology;
import io.metaroce.provider.link.sim.SimPort;
import java.util.Arrays;

/** Many senders, one receiver. */
final class IncastScenario implements Scenario {
    private static final double GBPS = 100;
    private static final long CABLE_NS = 2_500; // four cables one way: RTT 20 us
    private static final long RTT_NS = 20_000;
    private static final int STEPS_PER_RTT = 4;

    @Override
    public String name() {
        return "incast";
    }

    @Override
    public String explain() {
        return """
                8, 16, 32 and 64 hosts write 1 MiB messages to one host over leaf and spine, 100 Gb/s, RTT 20 us, ECN; connections are open and idle, all
                start at once. settled_rtts: when the rate that each sender allows itself (its pace, or its window over the RTT) has come within 10 %
                of the fair share for good; jain: fairness of what landed over 2 ms, from 100 RTTs on; utilisation: wire bits of the receiver's cable;
                victim: a flow between two other hosts on the same leaves, relative to being alone. nohints: the same with ACKs that tell
                no share. big: 1,000 to 1 over 100 ms with 256 KB of buffer.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        for (int n : new int[] {8, 16, 32, 64}) {
            incast(seed, n, true, n + "to1", figures);
        }
        for (int n : new int[] {8, 64}) {
            incast(seed, n, false, n + "to1_nohints", figures);
        }
        big(seed, figures);
    }

    private static LeafSpineTopology fabric(int senders, long queueBytes, long ecnBytes) {
        int perLeaf = senders + 1;
        // spines as fast as all hosts of a leaf together: only the receiver's cable is too small
        return new LeafSpineTopology(
                2 * perLeaf, perLeaf, 4, 1, GBPS, GBPS * perLeaf / 4, CABLE_NS, queueBytes, ecnBytes);
    }

    static void incast(long seed, int n, boolean hints, String key, Figures figures) {
        LeafSpineTopology fabric = fabric(n, 4 << 20, 200_000);
        int receiver = n + 1;
        try (FlowNet net = new FlowNet(seed, fabric, 4200, config -> config.withHints(hints))) {
            Flow victim = net.flow(n, n + 2, 1 << 20, 8, Long.MAX_VALUE);
            for (int i = 0; i < n; i++) {
                net.idleFlow(i, receiver, 1 << 20, 4, Long.MAX_VALUE);
            }
            net.run(10_000_000);
            long before = victim.landedBytes();
            net.run(1_000_000);
            final double alone = victim.landedBytes() - before;
            final long startNs = net.fabric().nowNs();
            net.startAll();
            long settledNs = -1;
            for (int step = 1; step <= 100 * STEPS_PER_RTT; step++) {
                net.run(RTT_NS / STEPS_PER_RTT);
                double worst = 0;
                for (int i = 0; i < n; i++) {
                    worst = Math.max(worst, Math.abs(allowedGbps(net, i) * n / GBPS - 1));
                }
                if (worst > 0.10) {
                    settledNs = -1;
                } else if (settledNs < 0) {
                    settledNs = net.fabric().nowNs() - startNs;
                }
            }
            figures.add(key + "_settled_rtts", settledNs < 0 ? 100 : (double) settledNs / RTT_NS);
            SimPort cable = fabric.port(fabric.toHost(receiver, 0));
            long wire = cable.wireBytes();
            final long drops = cable.drops();
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

    /** What a sender allows itself now. Rates over a few RTTs say nothing: at 64 to 1 a sender's share is one packet an RTT. */
    private static double allowedGbps(FlowNet net, int host) {
        Connections connections = net.host(host).engine().connections();
        double sum = 0;
        for (int i = 0; i < connections.end(); i++) {
            Connection c = connections.connection(i);
            CongestionControl control = c == null ? null : c.control();
            if (control != null) {
                sum += control.allowedBps(net.fabric().nowNs()) / 1e9;
            }
        }
        return sum;
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
                net.idleFlow(i, receiver, 1 << 18, 2, Long.MAX_VALUE);
            }
            net.run(20_000_000);
            net.startAll();
            SimPort cable = fabric.port(fabric.toHost(receiver, 0));
            long wire = cable.wireBytes();
            long frames = cable.frames();
            long drops = cable.drops();
            net.run(100_000_000);
            figures.add("big_utilisation", (cable.wireBytes() - wire) * 8.0 / 100_000_000 / GBPS);
            figures.add("big_drops_per_packet", (double) (cable.drops() - drops) / (cable.frames() - frames));
        }
    }
}
