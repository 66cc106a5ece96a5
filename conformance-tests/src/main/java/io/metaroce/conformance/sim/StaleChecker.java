package io.metaroce.conformance.sim;

/** I7: frames of an earlier boot, connection or bind generation have no effect: while one is handled nothing is placed, no atomic runs and no CQE is written. */
public final class StaleChecker extends Checker {
    public StaleChecker() {
        super("I7");
    }

    @Override
    public void onPlaced(SimNode node, long address, long bytes) {
        require(!node.replaying(), () -> node + ": a stale frame placed " + bytes + " bytes");
    }

    @Override
    public void onAtomic(SimNode node, long address, long before, long after) {
        require(!node.replaying(), () -> node + ": a stale frame ran an atomic");
    }

    @Override
    public void onCqeWritten(SimNode node, SimCqe cqe) {
        require(!node.replaying(), () -> node + ": a stale frame led to " + cqe);
    }
}
