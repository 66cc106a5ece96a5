package io.metaroce.conformance.sim;

import java.util.function.Supplier;

/**
 * One invariant, watching a world. A violation is thrown as {@link Violation}. All hooks have empty bodies: a checker overrides what it needs.
 */
public abstract class Checker {
    /** What an invariant says did not hold. */
    public static final class Violation extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public Violation(String message) {
            super(message);
        }

        Violation withCause(Throwable cause) {
            initCause(cause);
            return this;
        }
    }

    private final String name;

    protected Checker(String name) {
        this.name = name;
    }

    /** I1 .. I9. */
    public final String name() {
        return name;
    }

    protected final void fail(String what) {
        throw new Violation(name + ": " + what);
    }

    protected final void require(boolean holds, Supplier<String> what) {
        if (!holds) {
            fail(what.get());
        }
    }

    /** A WR was posted. */
    public void onPost(Message message) {}

    /** A receive was posted. */
    public void onReceivePosted(SimQp qp, Message.Receive receive) {}

    /** A QP goes through RESET: of what it has posted nothing may happen any more. */
    public void onReset(SimQp qp) {}

    /** What messages of a QP use at a node was deregistered. */
    public void onRevoked(SimQp qp, SimNode node) {}

    /** The engine wrote application memory of a node. */
    public void onPlaced(SimNode node, long address, long bytes) {}

    /** The engine ran an atomic on a node's memory. */
    public void onAtomic(SimNode node, long address, long before, long after) {}

    /** The engine wrote a CQE, which the program has not seen yet. */
    public void onCqeWritten(SimNode node, SimCqe cqe) {}

    /** A node's program took a CQE for a send-side WR, before the message is closed. */
    public void onSendCqe(SimQp qp, SimCqe cqe) {}

    /** A node's program took a CQE of a receive. */
    public void onReceiveCqe(SimQp qp, SimCqe cqe) {}

    /** A node is about to hand this frame to its network. */
    public void onTransmit(SimNode node, long frame, int bytes, int destination, int sourcePort, long nowNs) {}

    /** A frame reached a node, before its engine sees it. */
    public void onReceive(SimNode node, long frame, int bytes, int plane, int sourcePort, long nowNs) {}

    /** After each duty cycle of a node. */
    public void onCycle(SimNode node, long nowNs) {}

    /** The run is over, however it ended. */
    public void close() {}

    /** All faults are over and the network had time enough. */
    public void onEnd(SimWorld world) {}
}
