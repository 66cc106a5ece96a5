package io.metaroce.provider.engine.path;

/** The receiving half of one of the peer's paths: what has arrived in the current epoch, and what the next ACK says of it. */
public final class PathReceiver {
    /** How far the peer's epoch may run ahead of the last one heard. */
    public static final int MAX_EPOCHS_AHEAD = 16;

    /** The peer's number of this path. */
    public final int id;

    private final SackWindow window = new SackWindow();
    private int epoch;
    private int highestTxOrder;
    private long highestAtNs;
    private int ceCount;
    private int dupCount;
    private int attempt;
    private int localPlane = -1;
    private long sourceHi;
    private long sourceLo;
    private int peerPlane = -1;

    public PathReceiver(int id) {
        this.id = id;
    }

    public SackWindow window() {
        return window;
    }

    public int epoch() {
        return epoch;
    }

    /**
     * Looks at the epoch of a frame and switches to a newer one.
     *
     * @return false when the frame is of an epoch that is over (or absurdly far ahead): it has no effect
     */
    public boolean enter(int frameEpoch) {
        if (frameEpoch == epoch) {
            return true;
        }
        int ahead = frameEpoch - epoch & 0xff;
        if (ahead > MAX_EPOCHS_AHEAD) {
            return false;
        }
        epoch = frameEpoch;
        window.reset();
        highestTxOrder = 0;
        ceCount = 0;
        dupCount = 0;
        return true;
    }

    /** A frame of the current epoch counts as received: its transmit order is echoed. */
    public void onReceived(int txOrder, int ecn, int frameAttempt, long nowNs) {
        if (txOrder - highestTxOrder > 0) {
            highestTxOrder = txOrder;
            highestAtNs = nowNs;
            attempt = frameAttempt;
        }
        if (ecn == 3) {
            ceCount++;
        }
    }

    public void onDuplicate() {
        dupCount++;
    }

    /** Highest transmit order received; 0 before the first. */
    public int highestTxOrder() {
        return highestTxOrder;
    }

    public long highestAtNs() {
        return highestAtNs;
    }

    public int ceCount() {
        return ceCount;
    }

    public int dupCount() {
        return dupCount;
    }

    /** Attempt of the frame with the highest transmit order. */
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
