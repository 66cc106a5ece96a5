package io.metaroce.provider.engine.path;

/** One pair of addresses, ours and the peer's, and the paths that use it (protocol section 13). */
public final class Plane {
    /** Re-paths without an answer after which the plane itself is dead, if others live. */
    public static final int FAILED_REPATHS = 4;

    public final int index;
    public final int localPlane;
    public final int peerPlane;
    /** A bit per path. */
    public final long mask;

    private int failedRePaths;
    private boolean down;
    private boolean newsDue;

    public Plane(int index, int localPlane, int peerPlane, long mask) {
        this.index = index;
        this.localPlane = localPlane;
        this.peerPlane = peerPlane;
        this.mask = mask;
    }

    /** Nothing passes, as far as we know: its paths are not used, one of them probes for ever. */
    public boolean down() {
        return down;
    }

    /** Down or up; the peer is to be told. */
    public void down(boolean value) {
        down = value;
        newsDue = true;
    }

    /** Whether a PATH_CTL about it is due. */
    public boolean newsDue() {
        return newsDue;
    }

    public void newsTold() {
        newsDue = false;
    }

    /** A path of it was moved since it was heard last. */
    public void onRePath() {
        failedRePaths++;
    }

    public boolean exhausted() {
        return failedRePaths >= FAILED_REPATHS;
    }

    /** A path of it was heard. */
    public void onHeard() {
        failedRePaths = 0;
    }
}
