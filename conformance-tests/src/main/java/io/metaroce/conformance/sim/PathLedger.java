package io.metaroce.conformance.sim;

import io.metaroce.provider.engine.conn.Connection;
import io.metaroce.provider.engine.conn.Connections;
import io.metaroce.wire.AckHeader;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.FrameFlag;
import io.metaroce.wire.FrameReader;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Serial;
import java.util.Arrays;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/** What each node has sent on each of its paths and what was acknowledged, read from the frames alone: the view of an outsider with a tap at the host. */
final class PathLedger {
    /** PSNs of a path that can be told apart: more than any window that the protocol allows. */
    private static final int RING = 1024;

    private static final Path[] NONE = {};

    /** One path of one sender in its present epoch. */
    static final class Path {
        private final int[] txOrder = new int[RING];
        private final int[] bytes = new int[RING];
        private final long[] provenNs = new long[RING];
        private final boolean[] open = new boolean[RING];
        private int connection;
        private int epoch;
        private int end;
        private int highestTxOrder;
        private int proven;

        /** First PSN that is not acknowledged. */
        int cum;

        /** Bytes of the packets that are neither acknowledged nor proven lost. */
        long inFlightBytes;

        private void begin(int newConnection, int newEpoch) {
            connection = newConnection;
            epoch = newEpoch;
            Arrays.fill(open, false);
            cum = 0;
            end = 0;
            highestTxOrder = 0;
            proven = 0;
            inFlightBytes = 0;
        }

        /** Whether the engine has moved the path since, or the connection is over: what it held is due again under other numbers, on any path. */
        boolean isMoved(SimNode node, int id) {
            return !node.isAt(id, connection, epoch);
        }

        /** One more than the highest PSN sent, less the first that is not acknowledged. */
        int ahead() {
            return end - cum;
        }

        private void close(int psn) {
            int at = psn & RING - 1;
            if (open[at]) {
                open[at] = false;
                if (provenNs[at] != 0) {
                    proven--;
                } else {
                    inFlightBytes -= bytes[at];
                }
            }
        }

        /** The packet that has been known to be lost for longest; -1 when there is none that still waits to be sent again. */
        int oldestProven() {
            if (proven == 0) {
                return -1;
            }
            int oldest = -1;
            for (int psn = cum; psn != end; psn++) {
                int at = psn & RING - 1;
                if (open[at] && provenNs[at] != 0 && (oldest < 0 || provenNs[at] < provenNs[oldest & RING - 1])) {
                    oldest = psn;
                }
            }
            return oldest;
        }

        long provenNs(int psn) {
            return provenNs[psn & RING - 1];
        }
    }

    private final IdentityHashMap<SimNode, Path[]> paths = new IdentityHashMap<>();

    private static boolean sequenced(int type) {
        return type == FrameType.DATA
                || type == FrameType.VOID
                || type == FrameType.STREAM_CTL
                || type == FrameType.PATH_CTL;
    }

    /** Notes a frame that leaves; answers its path when it carries a PSN. */
    @Nullable
    Path sent(SimNode node, long frame, int datagramBytes, long nowNs) {
        if (!sequenced(CommonHeader.type(frame))) {
            return null;
        }
        int bytes = datagramBytes - behind(frame, datagramBytes);
        Path path = path(node, CommonHeader.path(frame));
        int connection = CommonHeader.connectionId(frame);
        int epoch = CommonHeader.epoch(frame);
        if (path.connection != connection || path.epoch != epoch) { // simultaneous open, a restart, or a re-path
            path.begin(connection, epoch);
        }
        int psn = CommonHeader.psn(frame);
        int at = psn & RING - 1;
        if (path.open[at]) {
            path.close(psn);
        }
        if (psn - path.end >= 0) {
            path.end = psn + 1;
        }
        path.open[at] = true;
        path.txOrder[at] = CommonHeader.txOrder(frame);
        path.bytes[at] = bytes;
        path.provenNs[at] = 0;
        path.inFlightBytes += bytes;
        return path;
    }

    private Path path(SimNode node, int id) {
        Path[] all = paths.get(node);
        if (all == null || id >= all.length) {
            Path[] more = new Path[id + 1];
            for (int i = 0; i <= id; i++) {
                more[i] = all != null && i < all.length ? all[i] : new Path();
            }
            all = more;
            paths.put(node, all);
        }
        return all[id];
    }

    /** Bytes of the ACK that a DATA packet has taken along; 0 when it has none. */
    static int behind(long frame, int datagramBytes) {
        boolean follows =
                CommonHeader.type(frame) == FrameType.DATA && (CommonHeader.flags(frame) & FrameFlag.ACK_FOLLOWS) != 0;
        long read = follows ? FrameReader.read(frame, datagramBytes) : -1;
        return read < 0 ? 0 : datagramBytes - FrameReader.length(read);
    }

    /** Notes an ACK that arrives, by itself or behind DATA. */
    void acknowledged(SimNode node, long datagram, int bytes, long nowNs) {
        int behind = behind(datagram, bytes);
        long frame = behind > 0 ? datagram + bytes - behind : datagram;
        if (CommonHeader.type(frame) != FrameType.ACK) {
            return;
        }
        Path[] all = paths(node);
        int id = CommonHeader.path(frame);
        if (id >= all.length || all[id].epoch != CommonHeader.epoch(frame)) {
            return;
        }
        Path path = all[id];
        if (!isOf(node, path.connection, CommonHeader.connectionId(frame))) {
            return;
        }
        long ack = frame + AckHeader.OFFSET;
        int cum = AckHeader.cumPsn(ack);
        int hi = AckHeader.echoTxOrder(ack);
        if (cum - path.end > 0) {
            return; // not of this life
        }
        if (Serial.before(path.highestTxOrder, hi)) {
            path.highestTxOrder = hi;
        }
        while (cum - path.cum > 0) {
            path.close(path.cum++);
        }
        int words = AckHeader.sackWords(ack);
        for (int i = 0; i < 64 * words; i++) {
            int psn = cum + 1 + i;
            if ((AckHeader.sackWord(ack, i >>> 6) >>> i & 1) != 0 && psn - path.cum >= 0 && psn - path.end < 0) {
                path.close(psn);
            }
        }
        for (int psn = path.cum; psn != path.end; psn++) {
            int at = psn & RING - 1;
            if (path.open[at] && path.provenNs[at] == 0 && Serial.before(path.txOrder[at], path.highestTxOrder)) {
                path.provenNs[at] = nowNs;
                path.proven++;
                path.inFlightBytes -= path.bytes[at];
            }
        }
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

    /** All paths that a node has sent on. */
    Path[] paths(SimNode node) {
        return paths.getOrDefault(node, NONE);
    }
}
