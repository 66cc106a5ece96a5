package io.metaroce.provider.engine;

import io.metaroce.provider.engine.conn.Connections;
import io.metaroce.provider.engine.stream.Streams;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.Regions;
import io.metaroce.provider.port.Routes;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.port.TxBatch;
import org.jspecify.annotations.Nullable;

/**
 * The MetaRoCE transport of one process, without any input or output of its own: frames and the time come in by arguments, frames go out through a batch. Four calls
 * drive it and {@link #control} commands it; all are made by one thread at a time (the holder of the turn). {@code nowNs} never goes back; its origin does not matter.
 */
public final class Engine implements AutoCloseable {
    private final StreamLayer streams;
    private final QpControl control;
    private final Connections connections;
    private final @Nullable Streams own;

    /**
     * An engine.
     *
     * @param config who we are, and the numbers of the protocol that can be chosen
     * @param routes where frames can go
     * @param regions application memory
     * @param completions where CQEs go
     * @param events async events and the log
     * @param counters counted into by both layers
     */
    public Engine(
            EngineConfig config,
            Routes routes,
            Regions regions,
            Completions completions,
            Events events,
            Counters counters) {
        own = new Streams(config, regions, completions, events, counters);
        streams = own;
        control = own;
        connections = new Connections(config, routes, own, events, counters);
        own.connect(connections);
    }

    /** An engine over any stream layer; the caller hands {@link #connections} to it before the first use. */
    public Engine(
            EngineConfig config,
            Routes routes,
            StreamLayer streams,
            QpControl control,
            Events events,
            Counters counters) {
        own = null;
        this.streams = streams;
        this.control = control;
        connections = new Connections(config, routes, streams, events, counters);
    }

    /** Takes in received frames; returns their number. */
    public int onFrames(RxBatch rx, long nowNs) {
        return connections.onFrames(rx, nowNs);
    }

    /** Handles every timer that is due. Cheap when none is. */
    public void onTime(long nowNs) {
        if (connections.nextDeadlineNs() <= nowNs) {
            connections.onTime(nowNs);
        }
        if (streams.nextDeadlineNs() <= nowNs) {
            streams.onTime(nowNs);
        }
    }

    /** Sends until nothing is due or the batch is full; returns the number of frames. */
    public int transmit(TxBatch tx, long nowNs) {
        return connections.transmit(tx, nowNs);
    }

    /**
     * When {@link #onTime} and {@link #transmit} are to be called next, if nothing else happens: Long.MIN_VALUE when there is something to send now (the last batch was
     * full), Long.MAX_VALUE when nothing is planned.
     */
    public long nextDeadlineNs() {
        if (connections.transmitDue()) {
            return Long.MIN_VALUE;
        }
        return Math.min(connections.nextDeadlineNs(), streams.nextDeadlineNs());
    }

    /** Commands and doorbells of QPs. */
    public QpControl control() {
        return control;
    }

    /** The connection layer, for the stream layer, for statistics and for tests. */
    public Connections connections() {
        return connections;
    }

    /** Whether last words of QPs that are gone are still under way to their peers (20 ms at most): {@link #shutdown} waits for them. */
    public boolean finalsPending() {
        return own != null && own.finalsPending();
    }

    /** The process ends: peers are told by a CLOSE each, in the next {@link #transmit}. */
    public void shutdown(long nowNs) {
        connections.shutdown(nowNs);
    }

    /** Gives back native memory. Nothing may be called afterwards. */
    @Override
    public void close() {
        connections.close();
        if (own != null) {
            own.close();
        }
    }
}
