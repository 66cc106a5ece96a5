package io.metaroce.conformance.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.cc.RateShares;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** I9 with many senders, which the runs of two processes do not have: they come, fall silent, end and send at any rate, and the receiver falls behind now and then. */
final class SharesSeedsTest {
    private static final int SEEDS = 500;
    private static final int PACKETS = 4000;

    @Test
    void the_sum_of_the_hints_is_never_above_what_there_is() {
        long given = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            given += play(seed);
        }
        assertTrue(given > (long) SEEDS * PACKETS / 2, "hints were given " + given + " times only");
    }

    private static long play(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long linkBps = new long[] {1_000_000_000L, 10_000_000_000L, 100_000_000_000L}[random.nextInt(3)];
        int senders = 1 + random.nextInt(random.nextBoolean() ? 8 : 300);
        RateShares shares = new RateShares(1);
        shares.link(0, linkBps);
        long nowNs = random.nextLong(1_000_000_000L);
        long given = 0;
        for (int k = 0; k < PACKETS; k++) {
            nowNs +=
                    random.nextInt(20) == 0 ? random.nextLong(300_000) : random.nextLong(1 + 12_000_000_000L / linkBps);
            if (random.nextInt(64) == 0) {
                shares.onBatch(random.nextInt(4) != 0);
            }
            int sender = random.nextBoolean() ? random.nextInt(senders) : random.nextInt(1 + senders / 8);
            if (random.nextInt(200) == 0) {
                shares.remove(sender);
            }
            boolean newest = random.nextInt(30) == 0;
            boolean marked = random.nextInt(3) != 0;
            shares.onPacket(
                    0, sender, 60 + random.nextInt(9000), newest, marked, 5_000 + random.nextLong(50_000), 1472, nowNs);
            long sum = shares.sumOfHintsBps(0);
            long most = (long) (0.95 * linkBps);
            int packet = k;
            long number = seed;
            assertTrue(
                    sum <= most,
                    () -> "seed " + number + " packet " + packet + ": " + sum + " bit/s of " + most + " for "
                            + shares.senders(0));
            given += sum > 0 ? 1 : 0;
        }
        return given;
    }
}
