package io.metaroce.provider.device;

import io.metaroce.provider.port.EventSignal;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.slots.AsyncSlot;
import io.metaroce.provider.slots.Ring;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Asynchronous events: a ring and an event descriptor with one permit per event. What finds the ring full waits in order until the program has read some; the number of
 * events is bounded by the number of objects, so the line is bounded as well.
 */
public final class AsyncEvents implements Events {
    /** {@code enum ibv_event_type}. */
    public static final int CQ_ERR = 0;

    public static final int QP_FATAL = 1;
    public static final int QP_REQ_ERR = 2;
    public static final int QP_ACCESS_ERR = 3;
    public static final int COMM_EST = 4;
    public static final int SQ_DRAINED = 5;
    public static final int DEVICE_FATAL = 8;
    public static final int PORT_ACTIVE = 9;
    public static final int PORT_ERR = 10;

    private static final int MAX_WAITING = 1 << 16;

    private final long ring;
    private final int fd;
    private final EventSignal signal;
    private final QpTable qps;
    private final Consumer<String> log;
    private final Consumer<String> notes;
    private final ArrayDeque<long[]> waiting = new ArrayDeque<>();

    AsyncEvents(long ring, int fd, EventSignal signal, QpTable qps, Consumer<String> log, Consumer<String> notes) {
        this.ring = ring;
        this.fd = fd;
        this.signal = signal;
        this.qps = qps;
        this.log = log;
        this.notes = notes;
    }

    /** An event of a QP that exists; SQ_DRAINED only if the program asked for it when it moved the QP to SQD. */
    @Override
    public void qpEvent(int qp, int eventType) {
        QpTable.Qp object = qps.get(qp);
        if (object == null || (eventType == SQ_DRAINED && !object.takeDrainedNotice())) {
            return;
        }
        post(object.cookie, eventType);
    }

    @Override
    public void log(String line) {
        log.accept(line);
    }

    @Override
    public void note(String line) {
        notes.accept(line);
    }

    void cqEvent(long cookie) {
        post(cookie, CQ_ERR);
    }

    /** An event of the device or its port. */
    void deviceEvent(int eventType) {
        post(0, eventType);
    }

    /** Forgets what waits for an object that is destroyed. What stands in the ring already is skipped by its reader. */
    void forget(long cookie) {
        waiting.removeIf(event -> event[0] == cookie);
    }

    /** Moves what waits into the ring as far as there is room. */
    void flush() {
        while (!waiting.isEmpty() && Ring.tail(ring) - Ring.headAcquire(ring) < Ring.entries(ring)) {
            long[] event = waiting.remove();
            write(event[0], (int) event[1]);
        }
    }

    private void post(long cookie, int eventType) {
        if (waiting.isEmpty() && Ring.tail(ring) - Ring.headAcquire(ring) < Ring.entries(ring)) {
            write(cookie, eventType);
        } else if (waiting.size() < MAX_WAITING) {
            waiting.add(new long[] {cookie, eventType});
        } else {
            log.accept("asynchronous event " + eventType + " lost: " + MAX_WAITING + " wait and nobody reads them");
        }
    }

    private void write(long cookie, int eventType) {
        int tail = Ring.tail(ring);
        long slot = Ring.slot(ring, tail);
        AsyncSlot.cookie(slot, cookie);
        AsyncSlot.eventType(slot, eventType);
        AsyncSlot.port(slot, 1);
        Ring.publishTail(ring, tail + 1);
        signal.signal(fd);
    }
}
