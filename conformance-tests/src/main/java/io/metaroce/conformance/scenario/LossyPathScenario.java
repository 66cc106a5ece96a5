package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.StarTopology;

/** One bad path among good ones. */
final class LossyPathScenario implements Scenario {
    @Override
    public String name() {
        return "lossypath";
    }

    @Override
    public String explain() {
        return """
                One flow over 8 ways of 12.5 Gb/s each, RTT 20 us; one of them loses 10 % of its frames in both directions.
                kept: goodput relative to no loss; ideal: 7/8 + 0.9/8; of_ideal: their ratio.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        double whole = goodput(seed, 0);
        double kept = goodput(seed, 0.1) / whole;
        double ideal = 7.0 / 8 + 0.9 / 8;
        figures.add("kept", kept);
        figures.add("ideal", ideal);
        figures.add("of_ideal", kept / ideal);
    }

    private static double goodput(long seed, double loss) {
        StarTopology star = new StarTopology(2, 8, 12.5, 10_000, 4 << 20, 200_000);
        star.port(star.toHost(0, 3)).loss(loss);
        star.port(star.toHost(1, 3)).loss(loss);
        try (FlowNet net = new FlowNet(seed, star, 4200, c -> c.withPathsPerPlane(1))) {
            net.flow(0, 1, 1 << 20, 8, Long.MAX_VALUE);
            net.runUntilAllFlow();
            net.run(5_000_000);
            return net.goodputGbps(1, 10_000_000);
        }
    }
}
