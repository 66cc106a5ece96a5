package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.StarTopology;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A QP with small messages, alone and beside QPs of the same connection that are in trouble or make it. */
final class IsolationScenario implements Scenario {
    private static final long RTT_NS = 20_000;
    private static final int BYTES = 4096;
    private static final int OUTSTANDING = 8;

    private final long durationNs;
    private final int hugeBytes;

    IsolationScenario() {
        this(20_000_000, 64 << 20);
    }

    /** @param durationNs how long each neighbour is measured */
    IsolationScenario(long durationNs, int hugeBytes) {
        this.durationNs = durationNs;
        this.hugeBytes = hugeBytes;
    }

    @Override
    public String name() {
        return "isolation";
    }

    @Override
    public String explain() {
        return """
                A QP with 4 KB Writes, 8 outstanding, and a neighbour on the same connection; 100 Gb/s, RTT 20 us.
                alone: no neighbour; rnr: 16 SENDs of 64 KB wait for receives that never come; slow: they get a receive every 100 us; errors: 4 Writes with a wrong key,
                QPs connected anew after each failure; huge: 64 MB Writes, one after the other.
                X_gbps, X_p50_us, X_p99_us: goodput and times of the small messages beside X; X_kept: their goodput relative to alone; X_neighbour:
                what the neighbour did meanwhile (rnr, slow: messages delivered; errors: times it failed; huge: Gb/s).""";
    }

    @Override
    public void run(long seed, Figures figures) {
        double alone = beside(seed, "alone", net -> null, 0, figures);
        beside(seed, "rnr", net -> Nuisance.sends(net, 1 << 16, 16, 0), alone, figures);
        beside(seed, "slow", net -> Nuisance.sends(net, 1 << 16, 16, 100_000), alone, figures);
        beside(seed, "errors", Nuisance::errors, alone, figures);
        beside(seed, "huge", net -> Nuisance.writes(net, hugeBytes), alone, figures);
    }

    private double beside(
            long seed, String key, Function<FlowNet, @Nullable Nuisance> neighbour, double alone, Figures figures) {
        StarTopology star = new StarTopology(2, 1, 100, RTT_NS / 2, 4 << 20, 200_000);
        try (FlowNet net = new FlowNet(seed, star, 4200, c -> c)) {
            Flow small = net.flow(0, 1, BYTES, OUTSTANDING, Long.MAX_VALUE);
            Nuisance other = neighbour.apply(net);
            if (other != null) {
                other.refill(net.fabric().nowNs());
            }
            net.runUntilAllFlow();
            net.run(2_000_000);
            long smallBefore = small.done();
            long landedBefore = net.host(1).landedBytes() - small.landedBytes();
            long doneBefore = other == null ? 0 : other.done() + other.failed();
            small.clearTimes();
            net.run(durationNs);
            double gbps = (small.done() - smallBefore) * BYTES * 8.0 / durationNs;
            long[] times = small.sortedNs();
            figures.add(key + "_gbps", gbps);
            figures.add(key + "_p50_us", times[times.length / 2] / 1e3);
            figures.add(key + "_p99_us", times[times.length * 99 / 100] / 1e3);
            if (other != null) {
                figures.add(key + "_kept", gbps / alone);
                long landed = net.host(1).landedBytes() - small.landedBytes() - landedBefore;
                if (key.equals("huge")) {
                    figures.add(key + "_neighbour", landed * 8.0 / durationNs);
                } else {
                    figures.add(key + "_neighbour", other.done() + other.failed() - doneBefore);
                }
                other.free();
            }
            return gbps;
        }
    }
}
