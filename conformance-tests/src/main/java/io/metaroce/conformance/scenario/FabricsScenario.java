package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.LeafSpineTopology;
import io.metaroce.provider.link.sim.StarTopology;
import io.metaroce.provider.link.sim.Topology;
import java.util.Arrays;

/** The same defaults on unlike fabrics. */
final class FabricsScenario implements Scenario {
    private static final int HOSTS = 32;

    @Override
    public String name() {
        return "fabrics";
    }

    @Override
    public String explain() {
        return """
                32 hosts, a permutation of 256 KB Writes, no setting changed: a leaf-spine tree, 4 planes, deep buffers (32 MB, no ECN), a 2:1 oversubscribed
                tree, and hosts of 10, 25 and 100 Gb/s mixed. goodput: relative to what the slower end of each pair allows; p99_us: of a message.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        double[] even = new double[HOSTS];
        Arrays.fill(even, 100);
        measure(
                seed,
                "tree",
                new LeafSpineTopology(HOSTS, 8, 4, 1, 100, 200, 2_500, 2 << 20, 200_000),
                even,
                1,
                figures);
        measure(seed, "planes4", new StarTopology(HOSTS, 4, 25, 10_000, 1 << 20, 100_000), even, 1, figures);
        measure(
                seed,
                "deep",
                new LeafSpineTopology(HOSTS, 8, 4, 1, 100, 200, 2_500, 32 << 20, Long.MAX_VALUE),
                even,
                1,
                figures);
        measure(
                seed,
                "oversubscribed",
                new LeafSpineTopology(HOSTS, 8, 4, 1, 100, 100, 2_500, 2 << 20, 200_000),
                even,
                2,
                figures);
        LeafSpineTopology mixed = new LeafSpineTopology(HOSTS, 8, 4, 1, 100, 200, 2_500, 2 << 20, 200_000);
        double[] speed = new double[HOSTS];
        for (int h = 0; h < HOSTS; h++) {
            speed[h] = new double[] {10, 25, 100}[h % 3];
            mixed.port(mixed.nic(h, 0)).rateGbps(speed[h]);
            mixed.port(mixed.toHost(h, 0)).rateGbps(speed[h]);
        }
        measure(seed, "mixed", mixed, speed, 1, figures);
    }

    private static void measure(
            long seed, String key, Topology topology, double[] speed, double oversubscription, Figures figures) {
        try (FlowNet net = new FlowNet(seed, topology, 4200, c -> c)) {
            double ideal = 0;
            int shift = 8 + (int) (seed % 16);
            for (int h = 0; h < HOSTS; h++) {
                int to = (h + shift) % HOSTS;
                net.flow(h, to, 262_144, 4, Long.MAX_VALUE);
                ideal += Math.min(speed[h], speed[to]) / oversubscription;
            }
            net.run(3_000_000);
            long before = 0;
            for (Flow f : net.flows()) {
                before += f.landedBytes();
            }
            net.run(10_000_000);
            long bytes = -before;
            for (Flow f : net.flows()) {
                bytes += f.landedBytes();
            }
            double payload = 3 * 1344;
            figures.add(key + "_goodput", bytes * 8.0 / 10_000_000 / (ideal * payload / (payload + 56 + 66)));
            long[] all = net.flows().stream()
                    .flatMapToLong(f -> Arrays.stream(f.sortedNs()))
                    .sorted()
                    .toArray();
            figures.add(key + "_p99_us", all.length == 0 ? 0 : all[(int) (all.length * 0.99)] / 1000.0);
        }
    }
}
