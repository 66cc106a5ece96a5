package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.ConnectionLayer;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.StreamLayer;
import io.metaroce.provider.engine.cc.RateShares;
import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.PathReceiver;
import io.metaroce.provider.engine.path.RttEstimator;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.KeyedHash;
import io.metaroce.provider.port.Routes;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.port.TxBatch;
import io.metaroce.wire.CloseReason;
import io.metaroce.wire.Mem;
import io.metaroce.wire.MetaRoce;
import org.jspecify.annotations.Nullable;

/** The connection layer as a whole: all connections of the process, driven by the four calls of the engine, asked by the stream layer. */
public final class Connections implements ConnectionLayer, AutoCloseable {
    private final Context context;
    private final ConnectionTable table;
    private final PathLife pathLife;
    private final Handshake handshake;
    private final Dispatcher dispatcher;
    private final Transmitter transmitter;
    private final Replies replies;
    private final long memory;

    /** @param streams told of what arrives and asked for what to send */
    public Connections(EngineConfig config, Routes routes, StreamLayer streams, Events events, Counters counters) {
        context = new Context(config, routes, streams, events, counters);
        table = new ConnectionTable(context.timers, context.random);
        pathLife = new PathLife(context);
        memory = Mem.alloc(Replies.memoryBytes() + Cookie.scratchBytes());
        replies = new Replies(memory);
        long[] keys = {
            context.random.nextLong(), context.random.nextLong(), context.random.nextLong(), context.random.nextLong()
        };
        Cookie cookie = new Cookie(keys, memory + Replies.memoryBytes());
        handshake = new Handshake(context, table, pathLife, Planes.local(routes), cookie, replies);
        dispatcher = new Dispatcher(context, table, pathLife, handshake);
        transmitter = new Transmitter(context, pathLife, handshake);
    }

    /** From now on, before the first frame, a peer must prove that it has this key, and we prove it too. */
    public void require(KeyedHash presharedKey) {
        handshake.require(presharedKey);
    }

    // ---- driven by the engine ----

    /** Takes in a batch; returns its number of frames. */
    public int onFrames(RxBatch rx, long nowNs) {
        context.nowNs = nowNs;
        int n = rx.count();
        context.shares.onBatch(rx.full());
        for (int i = 0; i < n; i++) {
            dispatcher.onFrame(rx, i, nowNs);
        }
        for (int plane = 0; plane < context.routes.planes(); plane++) {
            tellShares(plane);
        }
        return n;
    }

    /** Senders whose shares have changed much since they were told them have an ACK at once. */
    private void tellShares(int plane) {
        int sender;
        while ((sender = context.shares.nextToTell(plane)) >= 0) {
            Connection c = table.at(sender);
            PathReceiver receiver = c == null ? null : c.receiverOn(plane);
            if (c != null && receiver != null && c.state == Connection.State.OPEN) {
                c.ackMask |= 1L << receiver.id;
                table.enqueue(c);
            }
        }
    }

    /** Handles the timers that are due. */
    public void onTime(long nowNs) {
        context.nowNs = nowNs;
        int timer;
        while ((timer = context.timers.poll(nowNs)) >= 0) {
            int owner = context.timers.owner(timer);
            switch (context.timers.kind(timer)) {
                case CONNECTION -> {
                    Connection c = table.at(owner);
                    if (c != null) {
                        handshake.onTimer(c, nowNs);
                    }
                }
                case ACK -> {
                    Connection c = table.at(owner);
                    if (c != null && c.state == Connection.State.OPEN) {
                        c.blocksDue = true;
                        table.enqueue(c);
                    }
                }
                case PACE -> {
                    Connection c = table.at(owner);
                    if (c != null && c.state == Connection.State.OPEN) {
                        table.enqueue(c);
                    }
                }
                case PATH -> onPathTimer(owner >>> 8, owner & 0xff, nowNs);
            }
        }
    }

    private void onPathTimer(int index, int id, long nowNs) {
        Connection c = table.at(index);
        if (c != null && id < c.paths.length) {
            pathLife.onTimer(c, c.paths[id], nowNs);
            if (c.hasSomethingToSend()) {
                table.enqueue(c);
            }
        }
    }

    /** Sends what is due until nothing is or the batch is full; returns the number of frames. */
    public int transmit(TxBatch tx, long nowNs) {
        context.nowNs = nowNs;
        int sent = 0;
        if (!replies.isEmpty()) {
            int n = replies.transmit(tx, context.routes, context.counters);
            if (n < 0) {
                return -1 - n;
            }
            sent = n;
        }
        while (table.queued() > 0) {
            Connection c = table.dequeue();
            if (c == null) {
                continue;
            }
            boolean all = transmitter.serve(c, tx, nowNs);
            sent += transmitter.sent();
            if (!all) {
                table.enqueue(c); // behind the others: all have their turn
                return sent;
            }
        }
        return sent;
    }

    /** Whether {@link #transmit} stopped because the batch was full, or somebody wants to send since. */
    public boolean transmitDue() {
        return table.queued() > 0 || !replies.isEmpty();
    }

    /** The next timer, or Long.MAX_VALUE. */
    public long nextDeadlineNs() {
        return context.timers.nextNs();
    }

    /** The process ends: every open connection is told (a CLOSE each in the next transmit). */
    public void shutdown(long nowNs) {
        for (int i = 0; i < table.end(); i++) {
            Connection c = table.at(i);
            if (c != null && c.state != Connection.State.CLOSED) {
                handshake.close(c, CloseReason.DONE, nowNs);
            }
        }
    }

    /** Gives back native memory. Nothing may be called afterwards. */
    @Override
    public void close() {
        Mem.free(memory);
    }

    // ---- for tests and checkers ----

    /** The connection with this number, or null. */
    public @Nullable Connection connection(int conn) {
        return table.at(conn);
    }

    /** Connection numbers are below. */
    public int end() {
        return table.end();
    }

    /** How this side divides what it takes in. */
    public RateShares shares() {
        return context.shares;
    }

    // ---- asked by the stream layer ----

    @Override
    public int attach(long remoteHi, long remoteLo, int slot, long nowNs) {
        int port = MetaRoce.port(slot);
        Connection c = table.toPeer(remoteHi, remoteLo, port);
        if (c == null) {
            c = handshake.start(remoteHi, remoteLo, port, nowNs);
            if (c == null) {
                return -1;
            }
        }
        c.attached++;
        return c.index;
    }

    @Override
    public void detach(int conn, long nowNs) {
        Connection c = table.at(conn);
        if (c != null && c.attached > 0) {
            c.attached--;
            c.idleSinceNs = nowNs;
        }
    }

    @Override
    public boolean isOpen(int conn) {
        Connection c = table.at(conn);
        return c != null && c.state == Connection.State.OPEN;
    }

    @Override
    public int segmentBytes(int conn) {
        Connection c = table.at(conn);
        return c == null ? MetaRoce.SMALL_SEGMENT_BYTES : c.segmentBytes;
    }

    @Override
    public void wantTransmit(int conn, int stream) {
        Connection c = table.at(conn);
        if (c != null && c.state != Connection.State.CLOSED) {
            c.addWork(stream);
            table.enqueue(c);
        }
    }

    @Override
    public void wantCtl(int conn) {
        Connection c = table.at(conn);
        if (c != null && c.state != Connection.State.CLOSED) {
            c.controlDue = true;
            table.enqueue(c);
        }
    }

    @Override
    public void wantAck(int conn, boolean atOnce) {
        Connection c = table.at(conn);
        if (c == null || c.state != Connection.State.OPEN) {
            return;
        }
        if (atOnce) {
            c.blocksDue = true;
            table.enqueue(c);
        } else {
            context.timers.setNoLaterThan(c.ackTimer, context.nowNs + context.config.ackDelayNs());
        }
    }

    @Override
    public long ptoNs(int conn) {
        Connection c = table.at(conn);
        if (c == null || c.paths.length == 0) {
            return context.config.ptoFloorNs();
        }
        return c.ptoNs(c.bestPath(), context.config.ptoFloorNs());
    }

    @Override
    public long rttNs(int conn) {
        Connection c = table.at(conn);
        if (c == null || c.paths.length == 0) {
            return RttEstimator.INITIAL_RTT_NS;
        }
        return c.bestPath().rtt().srttNs();
    }

    @Override
    public long lastHeardNs(int conn) {
        Connection c = table.at(conn);
        return c == null ? context.nowNs : c.lastHeardNs;
    }

    @Override
    public String describe(int conn, long nowNs) {
        Connection c = table.at(conn);
        if (c == null) {
            return "no connection " + conn;
        }
        StringBuilder text = new StringBuilder(160);
        text.append(c.name());
        if (c.state != Connection.State.OPEN) {
            text.append(c.state == Connection.State.OPENING ? ", does not answer the handshake (" : ", closed (");
            text.append(c.attempts).append(" attempts)");
        }
        text.append(", last heard ").append((nowNs - c.lastHeardNs) / 1_000_000).append(" ms ago");
        if (c.paths.length > 0) {
            int open = 0;
            for (Path path : c.paths) {
                open += path.sender().open();
            }
            text.append(", ").append(c.paths.length).append(" paths (");
            text.append(Long.bitCount(c.suspectMask)).append(" silent), ");
            text.append(open).append(" packets not acknowledged, RTT ");
            text.append(c.bestPath().rtt().srttNs() / 1000).append(" us");
        }
        return text.toString();
    }
}
