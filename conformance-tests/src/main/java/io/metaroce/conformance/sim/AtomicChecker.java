package io.metaroce.conformance.sim;

import io.metaroce.wire.Mem;
import java.util.HashMap;
import java.util.Map;

/** I3: atomics run exactly once and in SPSN order: each finds what its predecessor left, and the requester gets that value. */
public final class AtomicChecker extends Checker {
    private static final class Counter {
        long value;
        int executed;
    }

    private final Map<Long, Counter> counters = new HashMap<>();
    private final Map<SimQp, Integer> posted = new HashMap<>();
    private final Map<SimQp, Long> model = new HashMap<>();
    private final Map<SimQp, Integer> checked = new HashMap<>();

    public AtomicChecker() {
        super("I3");
    }

    @Override
    public void onPost(Message m) {
        if (m.isAtomic()) {
            posted.merge(m.from, 1, Integer::sum);
        }
    }

    @Override
    public void onAtomic(SimNode node, long address, long before, long after) {
        Counter c = counters.computeIfAbsent(address, a -> new Counter());
        require(before == c.value, () -> node + ": an atomic found " + before + " where " + c.value + " was left");
        c.value = after;
        c.executed++;
    }

    @Override
    public void onSendCqe(SimQp qp, SimCqe cqe) {
        long value = model.getOrDefault(qp, 0L);
        int last = cqe.status() == 0 ? (int) cqe.wrId() : (int) cqe.wrId() - 1;
        for (int i = checked.getOrDefault(qp, 0); i <= last; i++) {
            Message m = qp.sent.get(i);
            if (qp.failed || !m.isAtomic()) {
                continue;
            }
            long got = Mem.getLong(m.local);
            if (got != value) {
                fail(m + ": returned " + got + ", not " + value);
            }
            if (m.opcode == Message.FADD) {
                value += m.compareAdd;
            } else if (m.compareAdd == value) {
                value = m.swap;
            }
        }
        model.put(qp, value);
        checked.put(qp, (int) cqe.wrId() + 1);
    }

    @Override
    public void onEnd(SimWorld world) {
        for (SimQp qp : world.qps()) {
            Counter c = counters.get(qp.counter);
            int ran = c == null ? 0 : c.executed;
            if (!qp.failed && !qp.doomed) {
                require(ran == posted.getOrDefault(qp, 0), () -> qp + ": " + ran + " atomics ran of " + posted.get(qp));
            }
        }
    }
}
