package io.metaroce.conformance.scenario;

import io.metaroce.provider.engine.conn.Connections;
import io.metaroce.provider.link.sim.LeafSpineTopology;
import java.util.Locale;
import java.util.stream.IntStream;

/** Every host of a large fabric with a connection to every other, all open at the end. */
final class MeshScenario implements Scenario {
    static final int HOSTS = 1024;

    private static final int TOLD = 64;

    /** Half of the default: half a million connections with 16 paths need 19 GB. */
    private static final int PATHS = 8;

    @Override
    public String name() {
        return "mesh";
    }

    @Override
    public String explain() {
        return """
                1,024 hosts on 32 leaves, 16 spines, 100 Gb/s: in round k each host writes 4 KB to the host k further on, k = 1 ... 1,023. Half a million
                connections of 8 paths are open at the end, 1,023 and 2,046 QPs on each host. Events per second; heap in all, of an engine without a connection,
                and of one end of a connection with its two QPs and the harness's own. Needs 20 GB of memory and a quarter of an hour.""";
    }

    @Override
    public void run(long seed, Figures figures) {
        run(seed, figures, "mesh", PATHS, IntStream.range(1, HOSTS));
    }

    /** One round after the other; the figures' names begin with {@code name}. */
    static void run(long seed, Figures figures, String name, int paths, IntStream rounds) {
        LeafSpineTopology fabric = new LeafSpineTopology(HOSTS, 32, 16, 1, 100, 200, 2_500, 4 << 20, 200_000);
        long heap = heap();
        long startNs = System.nanoTime();
        try (FlowNet net = new FlowNet(seed, fabric, 4200, c -> c.withPathsPerPlane(paths))) {
            long engines = heap();
            boolean finished = true;
            int ends = 0;
            int round = 0;
            for (int shift : rounds.toArray()) {
                for (int h = 0; h < HOSTS; h++) {
                    net.flow(h, (h + shift) % HOSTS, 4096, 1, 1);
                }
                finished &= net.runToEnd(1_000_000_000L);
                if (++round % TOLD == 0) {
                    System.err.printf(
                            Locale.ROOT, "%s: round %d, %.0f s%n", name, round, (System.nanoTime() - startNs) / 1e9);
                }
            }
            double seconds = (System.nanoTime() - startNs) / 1e9;
            for (int h = 0; h < HOSTS; h++) {
                ends += connections(net.host(h).engine().connections());
            }
            long atEnd = heap();
            figures.add(name + "_finished", finished ? 1 : 0);
            figures.add(name + "_connections", ends / 2);
            figures.add(name + "_events_per_s", net.fabric().eventCount() / seconds);
            figures.add(name + "_virtual_ms", net.fabric().nowNs() / 1e6);
            figures.add(name + "_heap_mb", (atEnd - heap) / 1e6);
            figures.add(name + "_bytes_per_engine", (engines - heap) / (double) HOSTS);
            figures.add(name + "_bytes_per_end", (atEnd - engines) / (double) ends);
        }
    }

    private static int connections(Connections all) {
        int n = 0;
        for (int i = 0; i < all.end(); i++) {
            n += all.isOpen(i) ? 1 : 0;
        }
        return n;
    }

    /** Bytes of live objects. */
    static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
