package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.LeafSpineTopology;
import io.metaroce.provider.port.Counter;

/** A fabric that sprays by itself, so that every path is reordered. */
final class SprayingScenario implements Scenario {
    @Override
    public String name() {
        return "spraying";
    }

    @Override
    public String explain() {
        return """
                Eight flows between 16 hosts over 4 spines whose switches spray each packet; 100 Gb/s, RTT 20 us.
                goodput: relative to the ideal of the cables; needless: packets sent again that had arrived, relative to all data packets.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        LeafSpineTopology fabric = new LeafSpineTopology(16, 8, 4, 1, 100, 200, 2_500, 4 << 20, 200_000).sprays(true);
        try (FlowNet net = new FlowNet(seed, fabric, 4200, c -> c)) {
            for (int i = 0; i < 8; i++) {
                net.flow(i, 8 + i, 1 << 20, 8, Long.MAX_VALUE);
            }
            net.run(3_000_000);
            long duplicates = net.count(Counter.RX_DUPLICATE);
            long frames = net.count(Counter.TX_FRAMES) - net.count(Counter.TX_ACKS);
            long[] before = new long[8];
            for (int i = 0; i < 8; i++) {
                before[i] = net.flows().get(i).landedBytes();
            }
            net.run(5_000_000);
            double bytes = 0;
            for (int i = 0; i < 8; i++) {
                bytes += net.flows().get(i).landedBytes() - before[i];
            }
            double payload = 3 * 1344;
            double ideal = 8 * 100 * payload / (payload + 56 + 66);
            figures.add("goodput", bytes * 8 / 5_000_000 / ideal);
            figures.add(
                    "needless",
                    (double) (net.count(Counter.RX_DUPLICATE) - duplicates)
                            / (net.count(Counter.TX_FRAMES) - net.count(Counter.TX_ACKS) - frames));
        }
    }
}
