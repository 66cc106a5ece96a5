package io.metaroce.provider.engine.cc;

import io.metaroce.provider.engine.path.Path;

/** A window that never moves: nothing is learned from marks, losses or hints. */
public final class FixedWindow implements CongestionControl {
    private final long windowBytes;
    private final long shareBytes;

    /**
     * @param windowBytes of the connection
     * @param paths of the connection, at least 1
     */
    public FixedWindow(long windowBytes, int paths) {
        this.windowBytes = windowBytes;
        this.shareBytes = Math.max(windowBytes / paths, 1);
    }

    @Override
    public long connectionWindowBytes() {
        return windowBytes;
    }

    @Override
    public long pathWindowBytes(Path path) {
        return shareBytes;
    }

    @Override
    public void onSent(Path path, int bytes, long nowNs) {}

    @Override
    public void onAck(Path path, int ackedBytes, int ceMarks, int lostPackets, int rateHint, long nowNs) {}
}
