package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.SplitMix;
import io.metaroce.provider.engine.timer.TimerKind;
import io.metaroce.provider.engine.timer.Timers;
import org.jspecify.annotations.Nullable;

/**
 * Every connection of the process, at most {@link #CAPACITY}. A connection id is 22 random bits and the 10 bits of the index, so that finding one is an array access;
 * index 0 of the upper bits is left out, since no id is 0.
 */
final class ConnectionTable {
    static final int CAPACITY = 1024;
    private static final int INDEX_BITS = 10;

    private final @Nullable Connection[] byIndex = new Connection[CAPACITY];
    private final Timers timers;
    private final SplitMix random;
    private int end; // no connection at or above
    private int count;

    /** Connections with something to send, each at most once. */
    private final int[] queue = new int[CAPACITY];

    private int queueHead;
    private int queueCount;

    ConnectionTable(Timers timers, SplitMix random) {
        this.timers = timers;
        this.random = random;
    }

    /** A new connection with an id that nobody can guess; null when the table is full. */
    @Nullable
    Connection create() {
        int index = 0;
        while (index < CAPACITY && byIndex[index] != null) {
            index++;
        }
        if (index == CAPACITY) {
            return null;
        }
        int id;
        do {
            id = (int) random.nextLong() << INDEX_BITS | index;
        } while (id >>> INDEX_BITS == 0);
        Connection connection = new Connection(
                index,
                id,
                timers.add(TimerKind.CONNECTION, index),
                timers.add(TimerKind.ACK, index),
                timers.add(TimerKind.PACE, index));
        byIndex[index] = connection;
        end = Math.max(end, index + 1);
        count++;
        return connection;
    }

    void remove(Connection connection) {
        timers.remove(connection.connectionTimer);
        timers.remove(connection.ackTimer);
        timers.remove(connection.paceTimer);
        byIndex[connection.index] = null;
        count--;
        while (end > 0 && byIndex[end - 1] == null) {
            end--;
        }
    }

    int count() {
        return count;
    }

    /** Indexes in use are below. */
    int end() {
        return end;
    }

    @Nullable
    Connection at(int index) {
        return index >= 0 && index < CAPACITY ? byIndex[index] : null;
    }

    @Nullable
    Connection byId(int id) {
        Connection connection = byIndex[id & CAPACITY - 1];
        return connection != null && connection.localId == id ? connection : null;
    }

    /** The connection that {@code attach} means: to the process with this slot at this address; the one opened last if there are several. */
    @Nullable
    Connection toPeer(long hi, long lo, int port) {
        Connection best = null;
        for (int i = 0; i < end; i++) {
            Connection c = byIndex[i];
            if (c != null && c.state != Connection.State.CLOSED && c.remotePort == port && hasAddress(c, hi, lo)) {
                if (best == null || c.openedNs - best.openedNs > 0) {
                    best = c;
                }
            }
        }
        return best;
    }

    private static boolean hasAddress(Connection c, long hi, long lo) {
        Planes peer = c.peer;
        return (c.remoteLo == lo && c.remoteHi == hi) || (peer != null && peer.indexOf(hi, lo) >= 0);
    }

    // ---- the queue ----

    void enqueue(Connection connection) {
        if (!connection.queued) {
            connection.queued = true;
            queue[queueHead + queueCount & CAPACITY - 1] = connection.index;
            queueCount++;
        }
    }

    int queued() {
        return queueCount;
    }

    /** Takes the first one out; null if that connection is gone. */
    @Nullable
    Connection dequeue() {
        Connection connection = byIndex[queue[queueHead]];
        queueHead = queueHead + 1 & CAPACITY - 1;
        queueCount--;
        if (connection != null) {
            connection.queued = false;
        }
        return connection;
    }
}
