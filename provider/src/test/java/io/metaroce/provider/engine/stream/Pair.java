package io.metaroce.provider.engine.stream;

import io.metaroce.provider.port.QpAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Two fake processes and a virtual wire between them: seeded delay (and so reordering), duplication and loss of whole frames and acknowledgements. */
final class Pair {
    final long seed;
    final SplittableRandom random;
    final Peer a;
    final Peer b;
    long nowNs = 1_000_000_000L;
    double loss;
    double duplication;
    double ackLoss;
    int leastDelayNs = 10_000;
    int spreadNs;
    /** What the test drops by hand. */
    Predicate<Peer.Frame> dropData = f -> false;

    Predicate<Peer.Ack> dropAck = k -> false;
    int frames;
    int dropped;
    private long order;
    private final PriorityQueue<Flight> wire = new PriorityQueue<>();

    private final class Flight implements Comparable<Flight> {
        final long atNs;
        final long tie = order++;
        final Peer to;
        final Peer.@Nullable Frame frame;
        final Peer.@Nullable Ack ack;

        Flight(long atNs, Peer to, Peer.@Nullable Frame frame, Peer.@Nullable Ack ack) {
            this.atNs = atNs;
            this.to = to;
            this.frame = frame;
            this.ack = ack;
        }

        @Override
        public int compareTo(Flight other) {
            return atNs != other.atNs ? Long.compare(atNs, other.atNs) : Long.compare(tie, other.tie);
        }
    }

    Pair(long seed) {
        this(seed, new Peer("a", 1, seed), new Peer("b", 2, seed + 1));
    }

    Pair(long seed, Peer a, Peer b) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.a = a;
        this.b = b;
    }

    /** QP {@code qp} on both sides, connected and at RTS. */
    Pair connected(int qp, int sqEntries, int rqEntries) {
        return connected(qp, sqEntries, rqEntries, Peer.attributes(0));
    }

    Pair connected(int qp, int sqEntries, int rqEntries, QpAttributes template) {
        for (Peer p : List.of(a, b)) {
            p.create(qp, sqEntries, rqEntries);
        }
        template.destQpn = b.qpn(qp);
        a.toInit(qp, template, nowNs);
        a.toRtr(qp, template, nowNs);
        a.toRts(qp, template, nowNs);
        template.destQpn = a.qpn(qp);
        b.toInit(qp, template, nowNs);
        b.toRtr(qp, template, nowNs);
        b.toRts(qp, template, nowNs);
        return this;
    }

    private Peer other(Peer p) {
        return p == a ? b : a;
    }

    private long delay() {
        return (long) leastDelayNs + (spreadNs == 0 ? 0 : random.nextInt(spreadNs));
    }

    private void pump(Peer p) {
        for (Peer.Frame f : p.transmit(nowNs)) {
            launch(other(p), f);
        }
        for (Peer.Ack k : p.acks(nowNs)) {
            if (dropAck.test(k) || random.nextDouble() < ackLoss) {
                dropped++;
            } else {
                wire.add(new Flight(nowNs + delay(), other(p), null, k));
            }
        }
    }

    void launch(Peer to, Peer.Frame f) {
        frames++;
        if (dropData.test(f) || random.nextDouble() < loss) {
            dropped++;
        } else {
            wire.add(new Flight(nowNs + delay(), to, f, null));
        }
        if (random.nextDouble() < duplication) {
            wire.add(new Flight(nowNs + delay() + delay(), to, f, null));
        }
    }

    /** What is due now is sent; answers when the next thing happens, or Long.MAX_VALUE. */
    private long nextEventNs() {
        pump(a);
        pump(b);
        long nextNs = Math.min(a.streams.nextDeadlineNs(), b.streams.nextDeadlineNs());
        if (!wire.isEmpty()) {
            nextNs = Math.min(nextNs, wire.peek().atNs);
        }
        return Math.min(nextNs, Math.min(a.nextResendNs(), b.nextResendNs()));
    }

    /** One step: what is due now is sent; then time moves to the next event. False: nothing will ever happen again. */
    boolean step() {
        long nextNs = nextEventNs();
        if (nextNs == Long.MAX_VALUE) {
            return false;
        }
        moveTo(nextNs);
        return true;
    }

    private void moveTo(long nextNs) {
        nowNs = Math.max(nextNs, nowNs);
        List<Flight> batch = new ArrayList<>();
        while (!wire.isEmpty() && wire.peek().atNs <= nowNs) {
            batch.add(wire.poll());
        }
        for (Flight f : batch) {
            if (f.frame != null) {
                f.to.arrive(f.frame, nowNs);
            } else if (f.ack != null) {
                f.to.onAck(f.ack, nowNs);
            }
        }
        for (Peer p : List.of(a, b)) {
            if (p.streams.nextDeadlineNs() <= nowNs) {
                p.streams.onTime(nowNs);
            }
        }
    }

    /** Runs until the condition holds; fails with the seed when it does not within {@code limitNs} of virtual time. */
    void until(BooleanSupplier done, long limitNs) {
        long endNs = nowNs + limitNs;
        int steps = 0;
        while (!done.getAsBoolean()) {
            if (!step() || nowNs > endNs || steps++ > 3_000_000) {
                if (done.getAsBoolean()) {
                    return;
                }
                throw new AssertionError("seed " + seed + ": not done after " + steps + " steps, "
                        + (nowNs - endNs + limitNs) + " ns; a " + a.completions + " b " + b.completions);
            }
        }
    }

    void until(BooleanSupplier done) {
        until(done, 10_000_000_000L);
    }

    /** Runs until nothing is on its way any more: binds are exchanged. */
    void settle() {
        forNs(5_000_000);
    }

    /** Runs for some virtual time, to the nanosecond. */
    void forNs(long ns) {
        long endNs = nowNs + ns;
        long nextNs = nextEventNs();
        while (nextNs <= endNs) {
            moveTo(nextNs);
            nextNs = nextEventNs();
        }
        nowNs = endNs;
    }
}
