package io.metaroce.provider.run;

import io.metaroce.provider.engine.Engine;
import io.metaroce.provider.engine.QpControl;
import io.metaroce.provider.link.Link;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.slots.Control;

/** The duty cycle: doorbells, reception, timers, transmission, completions, the next deadline. Run by the holder of the turn. */
final class Driver implements Cycle {
    /** Receive batches of one cycle. */
    static final int BATCHES = 4;

    private static final long CONGESTION_RETRY_NS = 20_000;

    private final long control;
    private final Link link;
    private final Engine engine;
    private final Completions completions;
    private final Counters counters;
    private final RxBatch rx = new RxBatch();
    private final Deferral deferral = new Deferral();
    private int received;

    Driver(long control, Link link, Engine engine, Completions completions, Counters counters) {
        this.control = control;
        this.link = link;
        this.engine = engine;
        this.completions = completions;
        this.counters = counters;
    }

    @Override
    public int run(long nowNs) {
        return run(nowNs, false);
    }

    /** As {@link #run(long)}, by a thread of the application, which may be waiting for what this cycle completes. */
    int run(long nowNs, boolean byApplication) {
        deferral.cycleBegins(nowNs);
        int moved = doorbells(nowNs);
        boolean mayDefer = byApplication && moved == 0;
        received = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            rx.clear();
            int n = link.poll(rx, nowNs);
            if (n != 0) {
                engine.onFrames(rx, nowNs);
                received += n;
                if (mayDefer
                        && n < RxBatch.CAPACITY
                        && completions.hasNews()
                        && !link.isCongested()
                        && deferral.defers(nowNs)) {
                    moved += n;
                    break;
                }
            }
            mayDefer = false;
            deferral.transmits();
            engine.onTime(nowNs);
            int sent = engine.transmit(link, nowNs);
            link.flush(nowNs);
            moved += n + sent;
            if (n < RxBatch.CAPACITY) {
                break;
            }
        }
        completions.publish();
        publishDeadline(nowNs);
        counters.inc(Counter.CYCLES);
        if (moved != 0) {
            counters.inc(Counter.CYCLES_BUSY);
        }
        return moved;
    }

    /** Frames that the last cycle received. */
    int received() {
        return received;
    }

    private void publishDeadline(long nowNs) {
        long deadline = engine.nextDeadlineNs();
        if (deadline < 0) {
            deadline = nowNs; // something is to be sent that had no room
        }
        if (link.isCongested()) {
            deadline = Math.min(deadline, nowNs + CONGESTION_RETRY_NS);
        }
        Control.nextDeadlineNs(control, deadline);
    }

    private int doorbells(long nowNs) {
        int n = 0;
        for (int word = 0; word < Control.SUMMARY_WORDS; word++) {
            for (long leaves = Control.takeSummary(control, word); leaves != 0; leaves &= leaves - 1) {
                int leaf = word << 6 | Long.numberOfTrailingZeros(leaves);
                n += leaf(leaf, nowNs);
            }
        }
        return n;
    }

    private int leaf(int leaf, long nowNs) {
        QpControl qps = engine.control();
        int n = 0;
        for (long bits = Control.takeLeaf(control, leaf); bits != 0; bits &= bits - 1) {
            qps.doorbell(leaf << 6 | Long.numberOfTrailingZeros(bits), nowNs);
            n++;
        }
        return n;
    }
}
