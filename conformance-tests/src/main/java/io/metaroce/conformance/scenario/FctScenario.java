package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.StarTopology;

/** How long single messages take under loss. */
final class FctScenario implements Scenario {
    @Override
    public String name() {
        return "fct";
    }

    @Override
    public String explain() {
        return """
                64 KB Writes one after another over 4 and over 16 paths, 100 Gb/s, RTT 20 us, 1 % loss on data and ACKs:
                completion times in microseconds, and P99 and P99.9 as multiples of P50.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        for (int paths : new int[] {4, 16}) {
            StarTopology star = new StarTopology(2, 1, 100, 10_000, 4 << 20, 1 << 20);
            star.port(star.toHost(0, 0)).loss(0.01);
            star.port(star.toHost(1, 0)).loss(0.01);
            try (FlowNet net = new FlowNet(seed, star, 4200, c -> c.withPathsPerPlane(paths))) {
                net.flow(0, 1, 65_536, 1, 5000);
                net.runToEnd(5_000_000_000L);
                long[] took = net.flows().get(0).sortedNs();
                double p50 = took[took.length / 2];
                String at = "_" + paths + "paths";
                figures.add("p50_us" + at, p50 / 1000);
                figures.add("p99_us" + at, took[(int) (took.length * 0.99)] / 1000.0);
                figures.add("p999_us" + at, took[(int) (took.length * 0.999)] / 1000.0);
                figures.add("p99_over_p50" + at, took[(int) (took.length * 0.99)] / p50);
                figures.add("p999_over_p50" + at, took[(int) (took.length * 0.999)] / p50);
                figures.add("messages" + at, took.length);
            }
        }
    }
}
