package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.StarTopology;
import io.metaroce.provider.port.Counter;

/** A process that does not run for a while. */
final class StallScenario implements Scenario {
    private static final long RTT_NS = 20_000;

    @Override
    public String name() {
        return "stall";
    }

    @Override
    public String explain() {
        return """
                One flow of 1 MiB Writes, 100 Gb/s, RTT 20 us; the receiver's process, then the sender's, is descheduled for 1, 5 and 50 ms.
                suspected: paths that fell silent; errors: CQEs with an error; back_rtts: RTTs from the end of the stall until the rate
                over 2 RTTs is 90 % of the old one again; needless: packets sent again that had arrived, relative to all.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        for (int side = 0; side < 2; side++) {
            for (long ms : new long[] {1, 5, 50}) {
                stall(seed, side, ms, figures);
            }
        }
    }

    private static void stall(long seed, int side, long ms, Figures figures) {
        String key = (side == 0 ? "sender_" : "receiver_") + ms + "ms";
        try (FlowNet net = new FlowNet(seed, new StarTopology(2, 1, 100, RTT_NS / 2, 4 << 20, 1 << 20), 4200, c -> c)) {
            net.flow(0, 1, 1 << 20, 8, Long.MAX_VALUE);
            net.run(1_000_000);
            double before = net.goodputGbps(1, 1_000_000);
            final long suspected = net.count(Counter.PATHS_SUSPECTED);
            final long duplicates = net.count(Counter.RX_DUPLICATE);
            final long frames = net.count(Counter.TX_FRAMES);
            net.host(side).host().stall(ms * 1_000_000);
            net.run(ms * 1_000_000);
            int rtts = 0;
            while (rtts < 200) {
                rtts += 2;
                if (net.goodputGbps(1, 2 * RTT_NS) >= 0.9 * before) {
                    break;
                }
            }
            figures.add(key + "_back_rtts", rtts);
            net.run(5_000_000);
            figures.add(key + "_suspected", net.count(Counter.PATHS_SUSPECTED) - suspected);
            figures.add(key + "_errors", net.errors());
            figures.add(
                    key + "_needless",
                    (double) (net.count(Counter.RX_DUPLICATE) - duplicates) / (net.count(Counter.TX_FRAMES) - frames));
        }
    }
}
