package io.metaroce.provider.engine.path;

import org.jspecify.annotations.Nullable;

/**
 * The receiving half of one of the peer's paths: what has arrived in the current epoch, and what the next ACK says of it. When an epoch ends, its state is kept
 * until its last ACK is out.
 */
public final class PathReceiver {
    /** How far the peer's epoch may run ahead of the last one heard. */
    public static final int MAX_EPOCHS_AHEAD = 16;

    /** The peer's number of this path. */
    public final int id;

    /** What has arrived in one epoch. */
    private static final class Received {
        final SackWindow window = new SackWindow();
        int epoch;
        int highestTxOrder;
        long highestAtNs;
        int ceCount;
        int dupCount;
    }

    private Received now = new Received();
    private @Nullable Received last;
    private boolean lastAckDue;
    private int attempt;
    private int localPlane = -1;
    private long sourceHi;
    private long sourceLo;
    private int peerPlane = -1;

    public PathReceiver(int id) {
        this.id = id;
    }

    public SackWindow window() {
        return now.window;
    }

    public int epoch() {
        return now.epoch;
    }

    /**
     * Looks at the epoch of a frame and switches to a newer one.
     *
     * @return false when the frame is of an epoch that is over (or absurdly far ahead): it has no effect
     */
    public boolean enter(int frameEpoch) {
        if (frameEpoch == now.epoch) {
            return true;
        }
        int ahead = frameEpoch - now.epoch & 0xff;
        if (ahead > MAX_EPOCHS_AHEAD) {
            return false;
        }
        if (!lastAckDue || now.window.cum() != 0 || now.window.gap()) {
            keepForLastAck();
        }
        now.epoch = frameEpoch;
        now.window.reset();
        now.highestTxOrder = 0;
        now.ceCount = 0;
        now.dupCount = 0;
        attempt = 0;
        return true;
    }

    /** Of two epochs that end before an ACK is sent the earlier one's is kept unless the later one received more than PROBEs. */
    private void keepForLastAck() {
        Received spare = last == null ? new Received() : last;
        spare.highestAtNs = now.highestAtNs;
        last = now;
        now = spare;
        lastAckDue = true;
    }

    /** Whether the last ACK of the epoch before is still due. */
    public boolean lastAckDue() {
        return lastAckDue;
    }

    /** The last ACK of the epoch before is about to be written: until {@link #swap} is called again, everything here is that epoch's. */
    public void swap() {
        Received other = last;
        if (other == null) {
            throw new IllegalStateException("no earlier epoch");
        }
        last = now;
        now = other;
    }

    /** The last ACK of the epoch before is out. */
    public void lastAckSent() {
        lastAckDue = false;
    }

    /** A frame of the current epoch counts as received: its transmit order is echoed, and its CE mark, if it has one that the peer should know of, counted. */
    public void onReceived(int txOrder, boolean marked, int frameAttempt, long nowNs) {
        if (txOrder - now.highestTxOrder > 0) {
            now.highestTxOrder = txOrder;
            now.highestAtNs = nowNs;
        }
        if (frameAttempt > 0) {
            attempt = frameAttempt;
        }
        if (marked) {
            now.ceCount++;
        }
    }

    public void onDuplicate() {
        now.dupCount++;
    }

    /** Highest transmit order received; 0 before the first. */
    public int highestTxOrder() {
        return now.highestTxOrder;
    }

    public long highestAtNs() {
        return now.highestAtNs;
    }

    public int ceCount() {
        return now.ceCount;
    }

    public int dupCount() {
        return now.dupCount;
    }

    /** Attempt of the last PROBE that asked whether the path lives, 0 before the first: ACKs go on taking the way on which it was answered. */
    public int attempt() {
        return attempt;
    }

    /** Whether frames of this path came last from this address and plane. */
    public boolean cameFrom(int plane, long hi, long lo) {
        return plane == localPlane && hi == sourceHi && lo == sourceLo;
    }

    /** Remembers where the path's frames come from, and so where its ACKs go. */
    public void comesFrom(int plane, long hi, long lo, int indexOfPeerPlane) {
        localPlane = plane;
        sourceHi = hi;
        sourceLo = lo;
        peerPlane = indexOfPeerPlane;
    }

    public int localPlane() {
        return localPlane;
    }

    public int peerPlane() {
        return peerPlane;
    }
}
