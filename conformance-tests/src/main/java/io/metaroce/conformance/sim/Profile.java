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
 * @param fault what happens to one QP while its work is under way
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
        Fault fault,
        NextLife nextLife) {
    /** What a program does to a QP while its work is under way. */
    public enum Fault {
        NONE,
        /** ibv_modify_qp to ERR: everything is flushed. */
        FLUSH,
        /** ibv_dereg_mr of memory that posted work uses, on one side or on both. */
        DEREG,
        /** Both sides through RESET and connected anew, one of them a little later than the other. */
        RESET
    }

    /** After the first workload: nothing, all QPs reset and connected again, or one process restarted; frames of the first life are then replayed. */
    public enum NextLife {
        NONE,
        RESET,
        RESTART
    }

    /** The profile in which everything may happen. */
    public static final String RANDOM = "random";

    /** All profiles. */
    public static final List<String> NAMES =
            List.of(RANDOM, "calm", "lossy", "reorder", "rnr", "restart", "errors", "flush", "dereg", "reset");

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
            case "calm" ->
                new Profile(
                        p.planes,
                        p.mtuBytes,
                        p.gbps,
                        p.delayNs,
                        p.queueBytes,
                        p.windowBytes,
                        0,
                        0,
                        p.corrupt,
                        0,
                        p.mark,
                        p.reorderNs,
                        false,
                        p.qps,
                        p.messages,
                        p.maxBytes,
                        false,
                        false,
                        Fault.NONE,
                        NextLife.NONE);
            case "lossy" -> p.withNetwork(0.2, p.duplicate, p.reorder);
            case "reorder" -> p.withNetwork(p.loss, 0.1, 0.3);
            case "rnr" -> p.withProgram(true, p.forbidden, p.fault, p.nextLife);
            case "restart" -> p.withProgram(p.slowReceiver, p.forbidden, p.fault, NextLife.RESTART);
            case "errors" -> p.withProgram(p.slowReceiver, true, p.fault, p.nextLife);
            case "flush" -> p.withProgram(p.slowReceiver, false, Fault.FLUSH, p.nextLife);
            case "dereg" -> p.withProgram(p.slowReceiver, false, Fault.DEREG, p.nextLife);
            case "reset" -> p.withProgram(p.slowReceiver, false, Fault.RESET, p.nextLife);
            default -> throw new IllegalArgumentException("no profile " + name);
        };
    }

    private Profile withNetwork(double newLoss, double newDuplicate, double newReorder) {
        return new Profile(
                planes,
                mtuBytes,
                gbps,
                delayNs,
                queueBytes,
                windowBytes,
                newLoss,
                newDuplicate,
                corrupt,
                newReorder,
                mark,
                reorderNs,
                stall,
                qps,
                messages,
                maxBytes,
                slowReceiver,
                forbidden,
                fault,
                nextLife);
    }

    private Profile withProgram(boolean newSlowReceiver, boolean newForbidden, Fault newFault, NextLife newNextLife) {
        return new Profile(
                planes,
                mtuBytes,
                gbps,
                delayNs,
                queueBytes,
                windowBytes,
                loss,
                duplicate,
                corrupt,
                reorder,
                mark,
                reorderNs,
                stall,
                qps,
                messages,
                maxBytes,
                newSlowReceiver,
                newForbidden,
                newFault,
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
                r.nextInt(3) == 0 ? Fault.values()[1 + r.nextInt(3)] : Fault.NONE,
                r.nextInt(4) == 0 ? NextLife.values()[1 + r.nextInt(2)] : NextLife.NONE);
    }
}
