package io.metaroce.conformance.sim;

import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.FrameFlag;

/**
 * I4: on every path psn - cum stays below 256, and nothing new is sent that makes what a connection has in flight exceed its window. Judged from the frames, not from
 * the engine's books, but for one thing: bytes on paths that the engine suspects do not count (protocol section 11, rule 6).
 */
public final class WindowChecker extends Checker {
    private final PathLedger ledger = new PathLedger();
    private final long windowBytes;

    /** @param windowBytes the connection window the engines were given */
    public WindowChecker(long windowBytes) {
        super("I4");
        this.windowBytes = windowBytes;
    }

    @Override
    public void onTransmit(SimNode node, long frame, int bytes, int destination, int sourcePort, long nowNs) {
        PathLedger.Path path = ledger.sent(node, frame, bytes, nowNs);
        if (path == null) {
            return;
        }
        if (path.ahead() > 256) {
            fail(node + ": PSN " + (path.cum + path.ahead() - 1) + " sent while cum is " + path.cum);
        }
        if ((CommonHeader.flags(frame) & FrameFlag.RTX) != 0) {
            return; // a path that is trusted again brings its bytes back, and what is lost goes before anything new
        }
        long inFlight = 0;
        PathLedger.Path[] paths = ledger.paths(node);
        for (int i = 0; i < paths.length; i++) {
            inFlight += node.suspects(i) || paths[i].isMoved(node, i) ? 0 : paths[i].inFlightBytes;
        }
        if (inFlight > windowBytes + bytes) {
            fail(node + ": " + inFlight + " bytes in flight, window " + windowBytes);
        }
    }

    @Override
    public void onReceive(SimNode node, long frame, int bytes, int plane, int sourcePort, long nowNs) {
        ledger.acknowledged(node, frame, bytes, nowNs);
    }
}
