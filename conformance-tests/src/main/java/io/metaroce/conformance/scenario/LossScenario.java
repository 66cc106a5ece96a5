package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.SimFabric;
import io.metaroce.provider.link.sim.StarTopology;
import io.metaroce.provider.port.Counter;

/** Goodput kept under random loss. */
final class LossScenario implements Scenario {
    private static final double[] RATES = {0, 0.001, 0.01, 0.05, 0.1};
    private static final double GBPS = 100;
    private static final long ONE_WAY_NS = 10_000;
    private static final long WARM_NS = 2_000_000;
    private static final long MEASURE_NS = 5_000_000;

    @Override
    public String name() {
        return "loss";
    }

    @Override
    public String explain() {
        return """
                One flow of 1 MiB Writes over 16 paths, 100 Gb/s, RTT 20 us, i.i.d. loss on data and ACKs alike.
                metaroce_P: goodput relative to the lossless run at P percent loss; beside it go-back-N, one sequence space with
                SACK and a retransmission timer, and a window halved at every loss.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        double lossless = 0;
        for (double rate : RATES) {
            double goodput = ours(seed, rate, figures);
            if (rate == 0) {
                lossless = goodput;
                figures.add("metaroce_lossless_gbps", goodput);
            } else {
                figures.add("metaroce_" + percent(rate), goodput / lossless);
            }
        }
        for (Baseline.Kind kind : Baseline.Kind.values()) {
            double whole = 0;
            for (double rate : RATES) {
                double goodput = baseline(seed, rate, kind);
                if (rate == 0) {
                    whole = goodput;
                } else {
                    figures.add(kind.name().toLowerCase(java.util.Locale.ROOT) + "_" + percent(rate), goodput / whole);
                }
            }
        }
    }

    private static String percent(double rate) {
        return rate < 0.01 ? "0.1" : Long.toString(Math.round(rate * 100));
    }

    private static StarTopology star(double rate) {
        StarTopology star = new StarTopology(2, 1, GBPS, ONE_WAY_NS, 4 << 20, 1 << 20);
        for (int h = 0; h < 2; h++) {
            star.port(star.toHost(h, 0)).loss(rate);
        }
        return star;
    }

    private static double ours(long seed, double rate, Figures figures) {
        try (FlowNet net = new FlowNet(seed, star(rate), 4200, c -> c.withPathsPerPlane(16))) {
            net.flow(0, 1, 1 << 20, 8, Long.MAX_VALUE);
            net.runUntilAllFlow();
            net.run(WARM_NS);
            long resent = net.count(Counter.TX_RESENT);
            double goodput = net.goodputGbps(1, MEASURE_NS);
            figures.add("resent_" + percent(rate), net.count(Counter.TX_RESENT) - resent);
            return goodput;
        }
    }

    private static double baseline(long seed, double rate, Baseline.Kind kind) {
        try (SimFabric fabric = new SimFabric(seed, star(rate), 4200)) {
            new Baseline(kind, fabric.host(0), true, fabric.host(1).planeLo(0), 2 * ONE_WAY_NS, GBPS);
            Baseline receiver =
                    new Baseline(kind, fabric.host(1), false, fabric.host(0).planeLo(0), 2 * ONE_WAY_NS, GBPS);
            fabric.runUntil(fabric.nowNs() + WARM_NS);
            long before = receiver.landedBytes();
            fabric.runUntil(fabric.nowNs() + MEASURE_NS);
            return (receiver.landedBytes() - before) * 8.0 / MEASURE_NS;
        }
    }
}
