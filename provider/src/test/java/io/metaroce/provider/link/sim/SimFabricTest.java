package io.metaroce.provider.link.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.port.TxBatch;
import io.metaroce.wire.Mem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The network itself, by hand calculation: 1000 B of payload are 1066 B on the wire; at 1 Gb/s a byte takes 8 ns. */
final class SimFabricTest {
    private static final int WIRE_NS = 8 * (1000 + SimPort.OVERHEAD_BYTES);

    /** Sends a number of frames at its first run and notes what arrives. */
    private static final class Host implements SimHost.Station {
        final List<String> got = new ArrayList<>();
        final List<Long> atNs = new ArrayList<>();
        final List<Integer> ecn = new ArrayList<>();
        private final SimHost host;
        private final int to;
        private int toSend;
        private int sent;

        Host(SimHost host, int to, int toSend) {
            this.host = host;
            this.to = to;
            this.toSend = toSend;
        }

        @Override
        public int onFrames(RxBatch batch, long nowNs) {
            for (int i = 0; i < batch.count(); i++) {
                got.add(batch.length(i) + ":" + Mem.getInt(batch.address(i)));
                atNs.add(nowNs);
                ecn.add(batch.ecn(i));
            }
            return batch.count();
        }

        @Override
        public void onTime(long nowNs) {}

        @Override
        public int transmit(TxBatch batch, long nowNs) {
            int destination = host.destination(0, 0, SimHost.address(to, 0), SimFabric.UDP_PORT);
            while (toSend > 0) {
                long room = batch.begin(destination);
                if (room == 0) {
                    break;
                }
                Mem.putInt(room, sent++);
                batch.commit(destination, 5000 + sent, 1000);
                toSend--;
            }
            return 0;
        }

        @Override
        public long nextDeadlineNs() {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean application(long nowNs) {
            return false;
        }
    }

    private static Host[] start(SimFabric fabric, int frames) {
        Host[] hosts = new Host[fabric.topology().hosts()];
        for (int i = 0; i < hosts.length; i++) {
            hosts[i] = new Host(fabric.host(i), hosts.length - 1, i == hosts.length - 1 ? 0 : frames);
            fabric.host(i).start(hosts[i]);
        }
        return hosts;
    }

    @Test
    void aFrameTakesTwoSerialisationsAndTheDelay() {
        StarTopology star = new StarTopology(2, 1, 1, 10_000, 1 << 20, 1 << 20);
        try (SimFabric fabric = new SimFabric(1, star, 1500)) {
            long startNs = fabric.nowNs();
            Host[] hosts = start(fabric, 2);
            fabric.runUntil(startNs + 1_000_000);
            assertEquals(List.of("1000:0", "1000:1"), hosts[1].got);
            assertEquals(startNs + 2L * WIRE_NS + 10_000, hosts[1].atNs.get(0));
            assertEquals(startNs + 3L * WIRE_NS + 10_000, hosts[1].atNs.get(1));
            assertEquals(0, fabric.inFlight());
        }
    }

    @Test
    void theNicStopsAHostAndCallsItAgain() {
        StarTopology star = new StarTopology(2, 1, 1, 10_000, 1 << 20, 1 << 20);
        try (SimFabric fabric = new SimFabric(1, star, 1500)) {
            Host[] hosts = start(fabric, 500);
            fabric.runUntil(fabric.nowNs() + 500L * WIRE_NS + 1_000_000);
            assertEquals(500, hosts[1].got.size());
            assertTrue(star.port(star.nic(0, 0)).maxQueueBytes() <= SimHost.NIC_BYTES + 1066L);
        }
    }

    @Test
    void twoIntoOneFillTheQueueMarkAndDrop() {
        // both NICs send 30 frames at once; the switch's queue holds 10 frames and marks from 5 on
        StarTopology star = new StarTopology(3, 1, 1, 10_000, 10 * 1066, 5 * 1066);
        try (SimFabric fabric = new SimFabric(1, star, 1500)) {
            Host[] hosts = start(fabric, 30);
            fabric.runUntil(fabric.nowNs() + 10_000_000);
            SimPort out = star.port(star.toHost(2, 0));
            // per frame time two arrive and one leaves: the queue grows by one a frame time and is full after about ten
            assertEquals(60, hosts[2].got.size() + out.drops());
            assertTrue(out.drops() >= 15 && out.drops() <= 22, "drops " + out.drops());
            assertEquals(2, hosts[2].ecn.get(0));
            assertEquals(out.marks(), hosts[2].ecn.stream().filter(e -> e == 3).count());
            assertTrue(out.maxQueueBytes() <= 10 * 1066);
        }
    }

    @Test
    void lossDuplicationAndReorderingFollowTheSeed() {
        List<List<String>> runs = new ArrayList<>();
        for (long seed : new long[] {7, 7, 8}) {
            StarTopology star = new StarTopology(2, 1, 10, 10_000, 1 << 20, 1 << 20);
            star.port(star.toHost(1, 0)).loss(0.1).duplicate(0.1).reorder(0.1, 50_000);
            try (SimFabric fabric = new SimFabric(seed, star, 1500)) {
                Host[] hosts = start(fabric, 400);
                fabric.runUntil(fabric.nowNs() + 10_000_000);
                runs.add(List.copyOf(hosts[1].got));
                long lost = star.port(star.toHost(1, 0)).drops();
                // binomial, 400 x 0.1: mean 40, standard deviation 6
                assertTrue(lost > 16 && lost < 64, "seed " + seed + " lost " + lost);
                assertTrue(hosts[1].got.size() > 400 - lost, "nothing was duplicated with seed " + seed);
                assertNotEquals(
                        hosts[1].got.stream()
                                .distinct()
                                .sorted(SimFabricTest::byNumber)
                                .toList(),
                        hosts[1].got.stream().distinct().toList(),
                        "nothing was reordered with seed " + seed);
            }
        }
        assertEquals(runs.get(0), runs.get(1));
        assertNotEquals(runs.get(0), runs.get(2));
    }

    private static int byNumber(String a, String b) {
        return Integer.compare(Integer.parseInt(a.substring(5)), Integer.parseInt(b.substring(5)));
    }

    @Test
    void aFlowKeepsItsSpineAndFlowsSpread() {
        LeafSpineTopology fabric = new LeafSpineTopology(4, 2, 4, 1, 10, 10, 1000, 1 << 20, 1 << 20);
        int[] used = new int[4];
        int[] route = new int[4];
        for (int entropy = 0; entropy < 400; entropy++) {
            assertEquals(4, fabric.route(0, 3, 0, entropy * 0x9E3779B9, new java.util.SplittableRandom(1), route, 0));
            int first = route[1];
            fabric.route(0, 3, 0, entropy * 0x9E3779B9, new java.util.SplittableRandom(2), route, 0);
            assertEquals(first, route[1]);
            used[first - fabric.up(0, 0, 0)]++;
        }
        for (int n : used) {
            assertTrue(n > 60 && n < 140, "100 expected per spine, got " + n);
        }
        assertEquals(2, fabric.route(0, 1, 0, 5, new java.util.SplittableRandom(1), route, 0));
    }

    @Test
    void aCableThatIsDownSwallows() {
        StarTopology star = new StarTopology(2, 1, 1, 10_000, 1 << 20, 1 << 20);
        try (SimFabric fabric = new SimFabric(1, star, 1500)) {
            fabric.at(
                    fabric.nowNs() + 5L * WIRE_NS,
                    () -> star.port(star.toHost(1, 0)).down(true));
            Host[] hosts = start(fabric, 10);
            fabric.runUntil(fabric.nowNs() + 10_000_000);
            assertTrue(hosts[1].got.size() < 6 && hosts[1].got.size() > 2, "got " + hosts[1].got.size());
            assertEquals(10 - hosts[1].got.size(), star.port(star.toHost(1, 0)).drops());
            assertEquals(0, fabric.inFlight());
        }
    }
}
