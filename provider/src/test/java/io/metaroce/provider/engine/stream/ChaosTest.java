package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Random traffic in both directions over a wire that delays, reorders, doubles and loses: every byte and every completion is compared with a model. */
final class ChaosTest {
    private static final long SEEDS = Long.getLong("metaroce.chaos.seeds", 60);
    private static final long FIRST = Long.getLong("metaroce.chaos.first", 1);

    private long outOfOrder;
    private long refused;
    private long resent;

    @Test
    void every_byte_and_completion_is_right_whatever_the_wire_does() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            try {
                run(seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "-Dmetaroce.chaos.first=" + seed + " -Dmetaroce.chaos.seeds=1: " + e.getMessage(), e);
            }
        }
        // The schedules were not harmless.
        assertTrue(outOfOrder > SEEDS * 10, "out of order " + outOfOrder);
        assertTrue(refused > SEEDS, "RNR " + refused);
        assertTrue(resent > 0, "resent " + resent);
    }

    private void run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean tight = random.nextInt(4) == 0; // pools that run out
        Peer a = new Peer("a", 1, seed, tight ? 2 : 64, tight ? 310 : 4096, tight ? 4 : 4096, tight ? 2 : 1024);
        Peer b = new Peer("b", 2, seed + 1, tight ? 2 : 64, tight ? 310 : 4096, tight ? 4 : 4096, tight ? 2 : 1024);
        Pair pair = new Pair(seed, a, b);
        if (random.nextInt(4) > 0) {
            pair.loss = random.nextInt(25) / 100.0;
            pair.ackLoss = random.nextInt(40) / 100.0;
            pair.duplication = random.nextInt(20) / 100.0;
        }
        pair.spreadNs = random.nextInt(3) == 0 ? 0 : random.nextInt(1, 400_000);
        for (Peer p : List.of(a, b)) {
            p.room = List.of(1452, 1452, 3000, 8952, 40_000).get(random.nextInt(5));
            p.segmentBytes = random.nextBoolean() ? 1344 : 1152;
            p.window = random.nextInt(8, 256);
            p.blocksPerAck = random.nextInt(1, 16);
        }
        int qps = random.nextInt(1, 5);
        List<Traffic> traffic = new ArrayList<>();
        for (int i = 0; i < qps; i++) {
            var attributes = Peer.attributes(0);
            attributes.maxRdAtomic = random.nextInt(1, 6);
            attributes.maxDestRdAtomic = random.nextInt(1, 6);
            attributes.minRnrTimer = random.nextInt(1, 16);
            pair.connected(10 + i, 1 << random.nextInt(1, 7), 1 << random.nextInt(1, 7), attributes);
            for (boolean forth : new boolean[] {true, false}) {
                Traffic t = new Traffic(forth ? a : b, forth ? b : a, 10 + i, random.nextInt(5, 80), random.split());
                t.eagerness = random.nextInt(5, 100);
                t.largest = List.of(200, 3000, 30_000).get(random.nextInt(3));
                traffic.add(t);
            }
        }
        int steps = 0;
        while (!traffic.stream().allMatch(Traffic::done)) {
            for (Traffic t : traffic) {
                t.step(pair.nowNs);
            }
            boolean more = pair.step();
            if ((!more && steps > 100_000) || steps++ > 400_000) {
                StringBuilder text = new StringBuilder("stuck after " + steps + " steps at " + pair.nowNs + ": ");
                traffic.stream()
                        .filter(t -> !t.done())
                        .forEach(t -> text.append(t.state()).append("; "));
                throw new AssertionError(text.toString());
            }
        }
        traffic.forEach(Traffic::finish);
        assertEquals(List.of(), a.events);
        assertEquals(List.of(), b.events);
        for (Peer p : List.of(a, b)) {
            outOfOrder += p.count(Counter.RX_OUT_OF_ORDER);
            refused += p.count(Counter.TX_RNR);
            resent += p.count(Counter.TX_RESENT);
            for (int i = 0; i < qps; i++) {
                p.streams.destroy(10 + i, pair.nowNs);
            }
            p.assertPoolsFull();
            p.streams.onPeerGone(Peer.CONN, Verbs.RETRY_EXC_ERR, "end", pair.nowNs);
            p.free();
        }
        traffic.forEach(Traffic::free);
    }
}
