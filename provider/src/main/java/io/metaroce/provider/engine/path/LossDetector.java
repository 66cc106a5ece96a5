package io.metaroce.provider.engine.path;

/**
 * When a packet counts as lost (protocol section 11, rules 2 and 3): it was sent before something that the peer has received, by more than a tolerance that is 0
 * until needless resends show that the network reorders. Transmit order is compared, not PSN, so a lost resend is caught like a lost first transmission.
 *
 * <p>Whatever the tolerance, a packet is lost that was overtaken and is late: older than the RTT by more than a quarter, or by more than what overtaken packets were
 * seen to be late. Both bounds grow with needless resends and shrink in quiet times, but not below what was measured meanwhile.
 */
public final class LossDetector {
    /** Largest tolerance, in transmissions. */
    public static final int MAX_TOLERANCE = SackWindow.SIZE;

    /** A packet is never waited for longer than this many RTTs once it was overtaken. */
    private static final int MAX_RTTS = 4;

    private static final int CLEAN_RTTS = 16;

    private int tolerance;
    private long slackNs;
    private int dupCount;
    private long changedNs;
    private int needless;
    private int mostBehind;
    private long mostLateNs;

    public int tolerance() {
        return tolerance;
    }

    /** A packet that had been sent again was acknowledged before the resend could have arrived. */
    public void onNeedlessResend() {
        needless++;
    }

    /**
     * A packet that was overtaken, and that the tolerance has spared, was acknowledged.
     *
     * @param behind transmissions that had overtaken it when it was judged last
     * @param ageNs since it was sent
     */
    public void onLate(int behind, long ageNs, long srttNs) {
        mostBehind = Math.max(mostBehind, behind);
        mostLateNs = Math.max(mostLateNs, ageNs - srttNs);
    }

    /**
     * The duplicates counted by the peer, modulo 256, as one ACK tells them. Only as many as there were needless resends are the tolerance's fault; the others the
     * network has made, or somebody who replays old frames.
     */
    public void onDupCount(int count, long srttNs, long nowNs) {
        int more = (byte) (count - dupCount);
        if (more > 0) {
            dupCount = count & 0xff;
            if (needless > 0) {
                needless = Math.max(0, needless - more);
                tolerance = Math.min(2 * tolerance + 1, MAX_TOLERANCE);
                slackNs = Math.min(slackNs + (srttNs >> 2), (MAX_RTTS - 1) * srttNs);
                changedNs = nowNs;
            }
        } else if (tolerance > 0 && nowNs - changedNs > CLEAN_RTTS * srttNs) {
            tolerance = Math.max(tolerance >> 1, Math.min(mostBehind + (mostBehind >> 2), MAX_TOLERANCE));
            slackNs = Math.max(slackNs >> 1, Math.min(mostLateNs + (mostLateNs >> 2), (MAX_RTTS - 1) * srttNs));
            mostBehind = 0;
            mostLateNs = 0;
            needless = 0;
            changedNs = nowNs;
        }
    }

    /** Whether a packet is lost, given the highest transmit order that the peer has received. */
    public boolean lost(int txOrder, int highest, long ageNs, long srttNs) {
        int behind = highest - txOrder;
        return behind > 0 && (behind > tolerance || ageNs > patienceNs(srttNs));
    }

    /** Age at which an overtaken packet is lost. */
    public long patienceNs(long srttNs) {
        return srttNs + Math.max(srttNs >> 2, slackNs);
    }

    /** A new epoch: the peer counts from 0 again. What is known of the network's reordering stays. */
    public void reset() {
        dupCount = 0;
        needless = 0;
    }
}
