package io.metaroce.conformance.sim;

/** I4: on every path psn - cum stays below 256, and what a connection has in flight stays below its window. Judged from the frames, not from the engine's books. */
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
        int ahead = path.inFlight.lastKey() - path.cum;
        require(ahead < 256, node + ": PSN " + path.inFlight.lastKey() + " sent while cum is " + path.cum);
        long inFlight = 0;
        for (PathLedger.Path p : ledger.paths(node)) {
            for (PathLedger.Sent s : p.inFlight.values()) {
                inFlight += s.bytes;
            }
        }
        require(inFlight <= windowBytes + bytes, node + ": " + inFlight + " bytes in flight, window " + windowBytes);
    }

    @Override
    public void onReceive(SimNode node, long frame, int bytes, int plane, int sourcePort, long nowNs) {
        ledger.acknowledged(node, frame, nowNs);
    }
}
