package io.metaroce.conformance.sim;

/** I8: any schedule of drops, duplicates, reordering, corruption and stalls with one live path ends with all delivered. */
public final class DeliveryChecker extends Checker {
    public DeliveryChecker() {
        super("I8");
    }

    @Override
    public void onEnd(SimWorld world) {
        for (SimQp qp : world.qps()) {
            require(
                    qp.finished(),
                    () -> qp + ": " + qp.sendsDone + " of " + qp.sent.size() + " WRs are over, " + qp.receivesDone
                            + " of "
                            + qp.incoming.size() + " messages received" + (qp.failed ? " (failed)" : "")
                            + (qp.doomed ? " (doomed)" : "") + " state "
                            + qp.node.control().state(qp.index()));
        }
    }
}
