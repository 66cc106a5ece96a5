package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.LeafSpineTopology;
import io.metaroce.provider.link.sim.SimPort;
import java.util.Arrays;
import java.util.SplittableRandom;

/** 64 hosts, each to one other, or each to all others. */
final class MatrixScenario implements Scenario {
    private static final int HOSTS = 64;
    private static final double GBPS = 100;

    /** For the handshakes: what is measured is the transfer over connections that are open. */
    private static final long OPEN_NS = 10_000_000;

    private final boolean all;

    MatrixScenario(boolean all) {
        this.all = all;
    }

    @Override
    public String name() {
        return all ? "alltoall" : "permutation";
    }

    @Override
    public String explain() {
        String what = all ? "each host writes 256 KB to every other" : "each host writes 16 MB to one other";
        return """
                64 hosts on 8 leaves, 4 spines, no oversubscription, 100 Gb/s, RTT 20 us, connections open; %s.
                metaroce: ideal completion time over the real one (1 is perfect); single_path: the same with one path per connection (ECMP).""".formatted(what);
    }

    @Override
    public void run(long seed, Figures figures) {
        figures.add("metaroce", share(seed, 0, figures));
        figures.add("single_path", share(seed, 1, figures));
    }

    private double share(long seed, int paths, Figures figures) {
        LeafSpineTopology fabric = new LeafSpineTopology(HOSTS, 8, 4, 1, GBPS, 2 * GBPS, 2_500, 4 << 20, 200_000);
        long perHost = all ? 63L * 262_144 : 16L << 20;
        try (FlowNet net = new FlowNet(seed, fabric, 4200, c -> paths > 0 ? c.withPathsPerPlane(paths) : c)) {
            if (all) {
                for (int shift = 1; shift < HOSTS; shift++) {
                    for (int h = 0; h < HOSTS; h++) {
                        net.idleFlow(h, (h + shift) % HOSTS, 262_144, 1, 1);
                    }
                }
            } else {
                int[] to = derangement(new SplittableRandom(seed));
                for (int h = 0; h < HOSTS; h++) {
                    net.idleFlow(h, to[h], 1 << 20, 8, 16);
                }
            }
            net.run(OPEN_NS);
            long startNs = net.fabric().nowNs();
            net.startAll();
            boolean finished = net.runToEnd(2_000_000_000L);
            long tookNs = net.fabric().nowNs() - startNs;
            long lastNs = 0;
            for (Flow f : net.flows()) {
                lastNs = Math.max(lastNs, f.lastDoneNs());
            }
            if (finished) {
                tookNs = lastNs - startNs;
            }
            double payload = 3 * 1344;
            double wire = perHost * (payload + 56 + SimPort.OVERHEAD_BYTES) / payload;
            double idealNs = wire * 8 / GBPS + 20_000;
            figures.add(paths == 1 ? "single_path_ms" : "metaroce_ms", tookNs / 1e6);
            return idealNs / tookNs;
        }
    }

    private static int[] derangement(SplittableRandom random) {
        int[] to = new int[HOSTS];
        Arrays.setAll(to, i -> i);
        // Sattolo: one cycle, so nobody sends to itself
        for (int i = HOSTS - 1; i > 0; i--) {
            int j = random.nextInt(i);
            int t = to[i];
            to[i] = to[j];
            to[j] = t;
        }
        return to;
    }
}
