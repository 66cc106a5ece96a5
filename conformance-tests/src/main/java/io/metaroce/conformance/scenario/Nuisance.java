package io.metaroce.conformance.scenario;

import io.metaroce.provider.device.QpMask;
import io.metaroce.provider.device.QpTransitions;
import io.metaroce.provider.link.sim.SimFabric;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.Sge;

/** A QP that a well-behaved neighbour on the same connection should not have to care about. */
final class Nuisance implements Work {
    private static final int ENTRIES = 16;
    private static final int WRITE = 0;
    private static final int SEND = 2;

    private final SimFabric fabric;
    private final FlowHost from;
    private final FlowHost to;
    private final int opcode;
    private final int bytes;
    private final int outstanding;
    private final int key;
    private final QpPair qps;
    private long done;
    private long failed;
    private boolean broken;

    private Nuisance(FlowNet net, int from, int to, int opcode, int bytes, int outstanding, int key) {
        fabric = net.fabric();
        this.from = net.host(from);
        this.to = net.host(to);
        this.opcode = opcode;
        this.bytes = bytes;
        this.outstanding = outstanding;
        this.key = key;
        qps = new QpPair(this, this.from, this.to, ENTRIES, ENTRIES);
    }

    /** SENDs, {@code outstanding} at a time, to a program that posts one receive every {@code pauseNs}; 0: none ever. */
    static Nuisance sends(FlowNet net, int bytes, int outstanding, long pauseNs) {
        Nuisance n = new Nuisance(net, 0, 1, SEND, bytes, outstanding, 1);
        if (pauseNs > 0) {
            n.receiveEvery(pauseNs);
        }
        return n;
    }

    /** Writes of any size, one after the other. */
    static Nuisance writes(FlowNet net, int bytes) {
        return new Nuisance(net, 0, 1, WRITE, bytes, 1, 1);
    }

    /** Writes with a wrong key; both QPs are connected anew after each. */
    static Nuisance errors(FlowNet net) {
        return new Nuisance(net, 0, 1, WRITE, 4096, 4, FlowHost.FORBIDDEN_KEY);
    }

    /** Messages completed at the sender. */
    long done() {
        return done;
    }

    /** Times that the QP failed. */
    long failed() {
        return failed;
    }

    private void receiveEvery(long pauseNs) {
        long rq = qps.receives();
        if (Ring.tail(rq) - Ring.headAcquire(rq) < ENTRIES) {
            long slot = Ring.slot(rq, Ring.tail(rq));
            RecvSlot.numSge(slot, 1);
            RecvSlot.length(slot, bytes);
            Sge.set(RecvSlot.sge(slot, 0), FlowHost.HUGE, bytes, 1);
            Ring.publishTail(rq, Ring.tail(rq) + 1);
            to.ring(this);
        }
        fabric.at(fabric.nowNs() + pauseNs, () -> receiveEvery(pauseNs));
    }

    @Override
    public int qp(FlowHost side) {
        return qps.qp(side);
    }

    @Override
    public void completed(FlowHost side, long wrId, int status, long nowNs) {
        if (side == from && status == 0) {
            done++;
        } else if (side == from) {
            broken = true;
        }
    }

    @Override
    public void refill(long nowNs) {
        if (broken) {
            broken = false;
            failed++;
            from.control().modify(qps.qpFrom, QpTransitions.RESET, QpMask.STATE, new QpAttributes(), nowNs);
            to.control().modify(qps.qpTo, QpTransitions.RESET, QpMask.STATE, new QpAttributes(), nowNs);
            qps.connect();
            to.host().wake();
        }
        int posted = 0;
        while (qps.posted() < outstanding) {
            qps.post(0, opcode, bytes, key, FlowHost.HUGE);
            posted++;
        }
        if (posted > 0) {
            from.ring(this);
        }
    }

    void free() {
        qps.free();
    }
}
