package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.StarTopology;

/** Long links. */
final class WanScenario implements Scenario {
    @Override
    public String name() {
        return "wan";
    }

    @Override
    public String explain() {
        return """
                RTT 10 ms, 1 % loss on data and ACKs, one flow of 1 MiB Writes: 1 Gb/s at MTU 1500 and 10 Gb/s at MTU 9000 with W = 32768 segments.
                Goodput relative to the payload rate of the cable.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        figures.add("gb1_mtu1500", share(seed, 1, 1500, 4096, 1344));
        figures.add("gb10_mtu9000", share(seed, 10, 9000, 32_768, 6 * 1344));
    }

    private static double share(long seed, double gbps, int mtu, int window, int payload) {
        StarTopology star = new StarTopology(2, 1, gbps, 5_000_000, 32 << 20, 8 << 20);
        star.port(star.toHost(0, 0)).loss(0.01);
        star.port(star.toHost(1, 0)).loss(0.01);
        try (FlowNet net =
                new FlowNet(seed, star, mtu, c -> c.withSegmentWindow(window).withPathsPerPlane(16))) {
            net.flow(0, 1, 1 << 20, 16, Long.MAX_VALUE);
            net.flow(0, 1, 1 << 20, 16, Long.MAX_VALUE);
            net.runUntilAllFlow();
            net.run(1_000_000_000);
            double goodput = net.goodputGbps(1, 2_000_000_000);
            return goodput / (gbps * payload / (payload + 56 + 66.0));
        }
    }
}
