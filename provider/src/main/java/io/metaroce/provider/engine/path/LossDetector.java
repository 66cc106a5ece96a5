package io.metaroce.provider.engine.path;

/**
 * When a packet counts as lost (protocol section 6, rules 2 and 3): it was sent before something that the peer has received, by more than a tolerance that is 0
 * until needless resends show that the network reorders. Transmit order is compared, not PSN, so a lost resend is caught like a lost first transmission.
 */
public final class LossDetector {
    /** Largest tolerance, in transmissions. */
    public static final int MAX_TOLERANCE = 64;

    private static final int CLEAN_RTTS = 16;

    private int tolerance;
    private int dupCount;
    private long changedNs;
    private int needless;

    public int tolerance() {
        return tolerance;
    }

    /** A packet that had been sent again was acknowledged before the resend could have arrived. */
    public void onNeedlessResend() {
        needless++;
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
                changedNs = nowNs;
            }
        } else if (tolerance > 0 && nowNs - changedNs > CLEAN_RTTS * srttNs) {
            tolerance >>= 1;
            needless = 0;
            changedNs = nowNs;
        }
    }

    /** Whether a packet is lost, given the highest transmit order that the peer has received. */
    public boolean lost(int txOrder, int highest, long ageNs, long srttNs) {
        int behind = highest - txOrder;
        return behind > 0 && (behind > tolerance || ageNs > srttNs + (srttNs >> 2));
    }

    /** A new epoch: the peer counts from 0 again. */
    public void reset() {
        tolerance = 0;
        dupCount = 0;
        needless = 0;
    }
}
