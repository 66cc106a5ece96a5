package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.LeafSpineTopology;
import io.metaroce.provider.link.sim.StarTopology;
import io.metaroce.provider.link.sim.Topology;
import io.metaroce.provider.port.Counter;

/** Routes and planes that die in silence and come back. */
final class FailoverScenario implements Scenario {
    private static final long RTT_NS = 20_000;

    @Override
    public String name() {
        return "failover";
    }

    @Override
    public String explain() {
        return """
                One flow of 64 KB Writes at 100 Gb/s in all. spine: one of 4 spines (25 Gb/s each, hashed by source port) swallows everything;
                plane4, plane8: one of 4 (25 Gb/s) or of 8 (12.5 Gb/s) planes does. stall_us: longest time without a completion around the fault
                (bound: 4 RTT + PTO + 2 acknowledgement delays); after: goodput 20 ms later relative to before; back: relative goodput 2 s after the repair.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        LeafSpineTopology spines = new LeafSpineTopology(2, 1, 4, 1, 100, 25, 2_500, 4 << 20, 200_000);
        run(seed, "spine", spines, 16, figures, down -> {
            spines.port(spines.up(0, 1, 0)).down(down);
            spines.port(spines.downTo(1, 1, 0)).down(down);
            spines.port(spines.up(1, 1, 0)).down(down);
            spines.port(spines.downTo(1, 0, 0)).down(down);
        });
        for (int planes : new int[] {4, 8}) {
            StarTopology star = new StarTopology(2, planes, 100.0 / planes, RTT_NS / 2, 4 << 20, 200_000);
            run(seed, "plane" + planes, star, 0, figures, down -> {
                for (int h = 0; h < 2; h++) {
                    star.port(star.nic(h, 1)).down(down);
                    star.port(star.toHost(h, 1)).down(down);
                }
            });
        }
    }

    private interface Switch {
        void down(boolean down);
    }

    private static void run(long seed, String key, Topology topology, int paths, Figures figures, Switch fault) {
        try (FlowNet net = new FlowNet(seed, topology, 4200, c -> paths > 0 ? c.withPathsPerPlane(paths) : c)) {
            Flow flow = net.flow(0, 1, 65_536, 16, Long.MAX_VALUE);
            net.run(5_000_000);
            double before = net.goodputGbps(1, 5_000_000);
            figures.add(key + "_before_gbps", before);
            flow.clearGap(net.fabric().nowNs());
            fault.down(true);
            net.run(20_000_000);
            figures.add(key + "_stall_us", flow.gapNs() / 1000.0);
            figures.add(key + "_after", net.goodputGbps(1, 20_000_000) / before);
            fault.down(false);
            net.run(200_000_000);
            double back = net.goodputGbps(1, 20_000_000) / before;
            if (back < 0.97) {
                net.run(1_780_000_000);
                back = net.goodputGbps(1, 20_000_000) / before;
            }
            figures.add(key + "_back", back);
            figures.add(key + "_errors", net.errors());
            figures.add(key + "_suspected", net.count(Counter.PATHS_SUSPECTED));
        }
    }
}
