package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.LeafSpineTopology;
import io.metaroce.provider.link.sim.StarTopology;

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
                hosts1024: each of 1,024 hosts writes 4 KB to the 10 hosts 1, 2, 4 ... 512 further on: 10,240 connections; events per second, heap of an
                engine without a connection, and heap of one end of a connection with its QP and paths.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        double one = 0;
        for (int qps : new int[] {1, 10, 100, 1_000, 8_000}) {
            StarTopology star = new StarTopology(2, 1, 100, 10_000, 4 << 20, 200_000);
            long heap = heap();
            try (FlowNet net = new FlowNet(seed, star, 4200, c -> c)) {
                for (int i = 0; i < qps; i++) {
                    net.idleFlow(0, 1, 16_384, Math.max(1, 64 / qps), Long.MAX_VALUE);
                }
                net.run(200_000_000);
                if (qps == 8_000) {
                    figures.add("bytes_per_qp", (heap() - heap) / 2.0 / qps);
                }
                net.startAll();
                net.run(5_000_000);
                double gbps = net.goodputGbps(1, 5_000_000);
                one = qps == 1 ? gbps : one;
                figures.add("qps" + qps + "_gbps", gbps);
                figures.add("qps" + qps + "_relative", gbps / one);
            }
        }
        hosts(seed, figures);
    }

    private static void hosts(long seed, Figures figures) {
        int n = 1024;
        LeafSpineTopology fabric = new LeafSpineTopology(n, 32, 16, 1, 100, 200, 2_500, 4 << 20, 200_000);
        long heap = heap();
        long startedNs = System.nanoTime();
        try (FlowNet net = new FlowNet(seed, fabric, 4200, c -> c)) {
            long engines = heap();
            int connections = 0;
            boolean finished = true;
            for (int shift = 1; shift < n; shift *= 2) {
                for (int h = 0; h < n; h++) {
                    net.flow(h, (h + shift) % n, 4096, 1, 1);
                    connections++;
                }
                finished &= net.runToEnd(1_000_000_000L);
            }
            double seconds = (System.nanoTime() - startedNs) / 1e9;
            figures.add("hosts1024_finished", finished ? 1 : 0);
            figures.add("hosts1024_connections", connections);
            figures.add("hosts1024_events_per_s", net.fabric().eventCount() / seconds);
            figures.add("hosts1024_heap_mb", (heap() - heap) / 1e6);
            figures.add("bytes_per_engine", (engines - heap) / (double) n);
            figures.add("bytes_per_connection", (heap() - engines) / 2.0 / connections);
        }
    }

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
