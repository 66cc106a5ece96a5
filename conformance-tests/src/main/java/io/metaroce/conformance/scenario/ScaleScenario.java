package io.metaroce.conformance.scenario;

import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.link.sim.StarTopology;
import java.util.stream.IntStream;

/** Many QPs on one connection; many hosts. */
final class ScaleScenario implements Scenario {
    @Override
    public String name() {
        return "scale";
    }

    @Override
    public String explain() {
        return """
                qpsN_gbps: goodput of N QPs between two hosts on one connection (16 KB Writes, 100 Gb/s, RTT 20 us), qpsN_relative: to one QP;
                bytes_per_qp: heap of both ends of an idle QP pair, halved, with the harness's own, rings not counted.
                hosts1024: each of 1,024 hosts writes 4 KB to the 10 hosts 1, 2, 4 ... 512 further on; events per second, heap of an engine without a
                connection, and heap of one end of a connection with its QP and paths. All to all: mesh.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        double one = 0;
        for (int qps : new int[] {1, 10, 100, 1_000, 10_000}) {
            StarTopology star = new StarTopology(2, 1, 100, 10_000, 4 << 20, 200_000);
            long heap = MeshScenario.heap();
            try (FlowNet net = new FlowNet(seed, star, 4200, c -> c)) {
                for (int i = 0; i < qps; i++) {
                    net.idleFlow(0, 1, 16_384, Math.max(1, 64 / qps), Long.MAX_VALUE);
                }
                net.run(200_000_000);
                if (qps == 10_000) {
                    figures.add("bytes_per_qp", (MeshScenario.heap() - heap) / 2.0 / qps);
                }
                net.startAll();
                net.run(5_000_000);
                double gbps = net.goodputGbps(1, 5_000_000);
                one = qps == 1 ? gbps : one;
                figures.add("qps" + qps + "_gbps", gbps);
                figures.add("qps" + qps + "_relative", gbps / one);
            }
        }
        MeshScenario.run(
                seed,
                figures,
                "hosts1024",
                EngineConfig.PATHS,
                IntStream.iterate(1, shift -> shift < MeshScenario.HOSTS, shift -> 2 * shift));
    }
}
