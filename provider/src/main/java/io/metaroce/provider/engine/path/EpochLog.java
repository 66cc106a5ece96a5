package io.metaroce.provider.engine.path;

/**
 * Where the last epochs of a path began, so that an ACK of an earlier epoch can still be read: PSN and transmit order run on inside {@link PathSender}, on the wire
 * they start again in every epoch. Exists from the first re-path on.
 */
final class EpochLog {
    /** Epochs remembered: more than may be under way. */
    private static final int SIZE = 2 * PathReceiver.MAX_EPOCHS_AHEAD;

    private final int[] psnBase = new int[SIZE];
    private final int[] orderBase = new int[SIZE];
    private final int[] highest = new int[SIZE];
    private final int[] probeOrder = new int[SIZE];
    private final long[] probeSentNs = new long[SIZE];
    private int known = 1;

    /** An epoch is over. */
    void end(int epoch, int psn, int order, int highestHeard, int lastProbeOrder, long lastProbeNs) {
        int at = epoch & SIZE - 1;
        psnBase[at] = psn;
        orderBase[at] = order;
        highest[at] = highestHeard;
        probeOrder[at] = lastProbeOrder;
        probeSentNs[at] = lastProbeNs;
        known = Math.min(known + 1, SIZE);
    }

    /** Whether a number from a frame names an epoch before {@code current} that is remembered. */
    boolean knows(int epoch, int current) {
        int ago = current - epoch & 0xff;
        return ago > 0 && ago < known;
    }

    int psnBase(int epoch) {
        return psnBase[epoch & SIZE - 1];
    }

    int orderBase(int epoch) {
        return orderBase[epoch & SIZE - 1];
    }

    int probeOrder(int epoch) {
        return probeOrder[epoch & SIZE - 1];
    }

    long probeSentNs(int epoch) {
        return probeSentNs[epoch & SIZE - 1];
    }

    /** Whether a transmit order is later than any that was echoed in this epoch; remembers it. */
    boolean news(int epoch, int order) {
        int at = epoch & SIZE - 1;
        if (order - highest[at] <= 0) {
            return false;
        }
        highest[at] = order;
        return true;
    }
}
