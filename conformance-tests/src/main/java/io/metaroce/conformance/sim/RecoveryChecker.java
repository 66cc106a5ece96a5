package io.metaroce.conformance.sim;

/**
 * I5: a packet whose loss is proven (a later transmission of its path was acknowledged, it was not) is sent again within an RTT and an acknowledgement delay. Holds where
 * paths are FIFO: in runs that reorder, duplicate, corrupt or stall it is silent.
 */
public final class RecoveryChecker extends Checker {
    private final PathLedger ledger = new PathLedger();
    private final Profile profile;
    private final long boundNs;

    public RecoveryChecker(Profile profile) {
        super("I5");
        this.profile = profile;
        // RTT with full queues, 25 us of acknowledgement delay, a burst at the sender's own NIC
        double queueNs = (profile.queueBytes() + 2 * 65_536.0) * 8 / profile.gbps();
        boundNs = (long) (2 * profile.delayNs() + queueNs) + 100_000;
    }

    private boolean silent() {
        return profile.reorder() > 0 || profile.duplicate() > 0 || profile.stall() || profile.corrupt() > 0;
    }

    @Override
    public void onTransmit(SimNode node, long frame, int bytes, int destination, int sourcePort, long nowNs) {
        ledger.sent(node, frame, bytes, nowNs);
    }

    @Override
    public void onReceive(SimNode node, long frame, int bytes, int plane, int sourcePort, long nowNs) {
        ledger.acknowledged(node, frame, bytes, nowNs);
    }

    @Override
    public void onCycle(SimNode node, long nowNs) {
        if (silent()) {
            return;
        }
        PathLedger.Path[] paths = ledger.paths(node);
        for (int i = 0; i < paths.length; i++) {
            PathLedger.Path path = paths[i];
            int psn = path.isMoved(node, i) ? -1 : path.oldestProven();
            if (psn >= 0 && nowNs - path.provenNs(psn) > boundNs) {
                fail(node + ": PSN " + Integer.toUnsignedString(psn) + " was proven lost "
                        + (nowNs - path.provenNs(psn)) + " ns ago and is not sent again (bound " + boundNs + ")");
            }
        }
    }
}
