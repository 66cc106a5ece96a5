package io.metaroce.conformance.sim;

import java.util.SplittableRandom;

/**
 * The faults and sizes of one run, drawn from its seed.
 *
 * @param planes of every host
 * @param mtuBytes of every netdev
 * @param gbps of every cable
 * @param delayNs one way
 * @param loss probability per frame, as are the next four
 * @param reorderNs longest delay of a reordered frame
 * @param stall whether hosts are descheduled now and then
 * @param qps pairs of QPs
 * @param messages per QP
 * @param maxBytes of one message
 * @param slowReceiver whether receives are posted late (RNR)
 * @param forbidden whether one QP posts an access that must be refused
 * @param nextLife what happens when all is delivered
 */
public record Profile(
        int planes,
        int mtuBytes,
        double gbps,
        long delayNs,
        long queueBytes,
        double loss,
        double duplicate,
        double corrupt,
        double reorder,
        double mark,
        long reorderNs,
        boolean stall,
        int qps,
        int messages,
        int maxBytes,
        boolean slowReceiver,
        boolean forbidden,
        NextLife nextLife) {
    /** After the first workload: nothing, all QPs reset and connected again, or one process restarted; frames of the first life are then replayed. */
    public enum NextLife {
        NONE,
        RESET,
        RESTART
    }

    private static final double[] LOSS = {0, 0, 0.001, 0.01, 0.05, 0.2};
    private static final int[] MTU = {1500, 1500, 4200, 9000};
    private static final double[] GBPS = {1, 10, 100};
    private static final int[] BYTES = {64, 2048, 20_000, 60_000};

    /** A run of the random mix. */
    public static Profile random(SplittableRandom r) {
        boolean chaotic = r.nextInt(4) != 0;
        return new Profile(
                1 + r.nextInt(2),
                MTU[r.nextInt(MTU.length)],
                GBPS[r.nextInt(GBPS.length)],
                500 + r.nextLong(r.nextBoolean() ? 5_000 : 100_000),
                r.nextInt(4) == 0 ? 30_000 : 1 << 20,
                LOSS[r.nextInt(LOSS.length)],
                chaotic && r.nextBoolean() ? 0.02 : 0,
                chaotic && r.nextBoolean() ? 0.01 : 0,
                chaotic && r.nextBoolean() ? 0.05 : 0,
                r.nextInt(3) == 0 ? 0.05 : 0,
                20_000,
                chaotic && r.nextInt(3) == 0,
                1 + r.nextInt(4),
                5 + r.nextInt(40),
                BYTES[r.nextInt(BYTES.length)],
                r.nextInt(3) == 0,
                r.nextInt(5) == 0,
                r.nextInt(4) == 0 ? NextLife.values()[1 + r.nextInt(2)] : NextLife.NONE);
    }
}
