package io.metaroce.conformance.sim;

import io.metaroce.provider.engine.conn.Connection;
import io.metaroce.provider.engine.conn.Connections;
import io.metaroce.wire.AckHeader;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Serial;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What each node has sent on each of its paths and what was acknowledged, read from the frames alone: the view of an outsider with a tap at the host. */
final class PathLedger {
    /** A packet in flight. */
    static final class Sent {
        final int psn;
        int txOrder;
        long sentNs;
        long firstSentNs;
        int bytes;
        /** When an ACK proved it lost; 0 not yet. */
        long provenNs;

        Sent(int psn) {
            this.psn = psn;
        }
    }

    /** One path and epoch of one sender. */
    static final class Path {
        final TreeMap<Integer, Sent> inFlight = new TreeMap<>(Integer::compareUnsigned);
        int cum;
        int highestTxOrder;
        int connection;
    }

    private record Key(SimNode node, int path, int epoch) {}

    private final Map<Key, Path> paths = new HashMap<>();

    private static boolean sequenced(int type) {
        return type == FrameType.DATA
                || type == FrameType.VOID
                || type == FrameType.STREAM_CTL
                || type == FrameType.PATH_CTL;
    }

    /** Notes a frame that leaves; answers its path when it carries a PSN. */
    @Nullable
    Path sent(SimNode node, long frame, int bytes, long nowNs) {
        if (!sequenced(CommonHeader.type(frame))) {
            return null;
        }
        Path path = paths.computeIfAbsent(
                new Key(node, CommonHeader.path(frame), CommonHeader.epoch(frame)), k -> new Path());
        int connection = CommonHeader.connectionId(frame);
        if (path.connection != connection) { // another connection than before: simultaneous open, or a restart
            path.inFlight.clear();
            path.cum = 0;
            path.highestTxOrder = 0;
            path.connection = connection;
        }
        int psn = CommonHeader.psn(frame);
        Sent sent = path.inFlight.get(psn);
        if (sent == null) {
            sent = new Sent(psn);
            sent.firstSentNs = nowNs;
            path.inFlight.put(psn, sent);
        }
        sent.txOrder = CommonHeader.txOrder(frame);
        sent.sentNs = nowNs;
        sent.bytes = bytes;
        sent.provenNs = 0;
        return path;
    }

    /** Notes an ACK that arrives; answers the path it speaks of. */
    @Nullable
    Path acknowledged(SimNode node, long frame, long nowNs) {
        if (CommonHeader.type(frame) != FrameType.ACK) {
            return null;
        }
        Path path = paths.get(new Key(node, CommonHeader.path(frame), CommonHeader.epoch(frame)));
        if (path == null || !isOf(node, path.connection, CommonHeader.connectionId(frame))) {
            return null;
        }
        long ack = frame + AckHeader.OFFSET;
        int cum = AckHeader.cumPsn(ack);
        if (Serial.before(path.cum, cum)) {
            path.cum = cum;
        }
        int hi = AckHeader.echoTxOrder(ack);
        if (Serial.before(path.highestTxOrder, hi)) {
            path.highestTxOrder = hi;
        }
        int words = AckHeader.sackWords(ack);
        for (Iterator<Sent> it = path.inFlight.values().iterator(); it.hasNext(); ) {
            Sent s = it.next();
            int distance = s.psn - cum - 1;
            boolean selected = distance >= 0
                    && distance < 64 * words
                    && (AckHeader.sackWord(ack, distance / 64) >>> (distance % 64) & 1) != 0;
            if (Serial.before(s.psn, cum) || selected) {
                it.remove();
            } else if (s.provenNs == 0 && Serial.before(s.txOrder, path.highestTxOrder)) {
                s.provenNs = nowNs;
            }
        }
        return path;
    }

    /** Whether an ACK to {@code localId} is of the connection whose frames carry {@code peerId}, and not a late one of an earlier life. */
    private static boolean isOf(SimNode node, int peerId, int localId) {
        Connections connections = node.engine().connections();
        for (int i = 0; i < connections.end(); i++) {
            Connection c = connections.connection(i);
            if (c != null && c.localId() == localId) {
                return c.peerId() == peerId;
            }
        }
        return false;
    }

    List<Path> paths(SimNode node) {
        List<Path> all = new ArrayList<>();
        paths.forEach((key, path) -> {
            if (key.node() == node) {
                all.add(path);
            }
        });
        return all;
    }
}
