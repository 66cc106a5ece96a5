package io.metaroce.conformance.sim;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The faults and sizes of one run, drawn from its seed.
 *
 * @param planes of every host
 * @param mtuBytes of every netdev
 * @param gbps of every cable
 * @param delayNs one way
 * @param queueBytes limit of each switch queue; it marks from a quarter on
 * @param windowBytes of every connection
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
        long windowBytes,
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

    /** The profile in which everything may happen. */
    public static final String RANDOM = "random";

    /** All profiles. */
    public static final List<String> NAMES = List.of(RANDOM, "calm", "lossy", "reorder", "rnr", "restart", "errors");

    private static final double[] LOSS = {0, 0, 0.001, 0.01, 0.05, 0.2};
    private static final int[] MTU = {1500, 1500, 4200, 9000};
    private static final long[] WINDOW = {20_000, 65_536, 1 << 20};
    private static final double[] GBPS = {1, 10, 100};
    private static final int[] BYTES = {64, 2048, 20_000, 60_000};

    /** A run of one of {@link #NAMES}: the random mix with some of its dice fixed. */
    public static Profile named(String name, SplittableRandom r) {
        Profile p = random(r);
        return switch (name) {
            case RANDOM -> p;
            case "calm" -> p.with(0, 0, 0, 0, false, false, false, NextLife.NONE);
            case "lossy" ->
                p.with(0.2, p.duplicate, p.corrupt, p.reorder, p.stall, p.slowReceiver, p.forbidden, p.nextLife);
            case "reorder" -> p.with(p.loss, 0.1, p.corrupt, 0.3, p.stall, p.slowReceiver, p.forbidden, p.nextLife);
            case "rnr" -> p.with(p.loss, p.duplicate, p.corrupt, p.reorder, p.stall, true, p.forbidden, p.nextLife);
            case "restart" ->
                p.with(
                        p.loss,
                        p.duplicate,
                        p.corrupt,
                        p.reorder,
                        p.stall,
                        p.slowReceiver,
                        p.forbidden,
                        NextLife.RESTART);
            case "errors" ->
                p.with(p.loss, p.duplicate, p.corrupt, p.reorder, p.stall, p.slowReceiver, true, p.nextLife);
            default -> throw new IllegalArgumentException("no profile " + name);
        };
    }

    private Profile with(
            double newLoss,
            double newDuplicate,
            double newCorrupt,
            double newReorder,
            boolean newStall,
            boolean newSlowReceiver,
            boolean newForbidden,
            NextLife newNextLife) {
        return new Profile(
                planes,
                mtuBytes,
                gbps,
                delayNs,
                queueBytes,
                windowBytes,
                newLoss,
                newDuplicate,
                newCorrupt,
                newReorder,
                mark,
                reorderNs,
                newStall,
                qps,
                messages,
                maxBytes,
                newSlowReceiver,
                newForbidden,
                newNextLife);
    }

    /** A run of the random mix. */
    public static Profile random(SplittableRandom r) {
        boolean chaotic = r.nextInt(4) != 0;
        return new Profile(
                1 + r.nextInt(2),
                MTU[r.nextInt(MTU.length)],
                GBPS[r.nextInt(GBPS.length)],
                500 + r.nextLong(r.nextBoolean() ? 5_000 : 100_000),
                r.nextInt(4) == 0 ? 30_000 : 1 << 20,
                WINDOW[r.nextInt(WINDOW.length)],
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
