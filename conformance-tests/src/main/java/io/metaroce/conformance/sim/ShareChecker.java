package io.metaroce.conformance.sim;

import io.metaroce.provider.engine.conn.Connection;
import io.metaroce.provider.engine.conn.Connections;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.DataLayout;
import io.metaroce.wire.FrameFlag;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.Qpn;
import io.metaroce.wire.Space;
import io.metaroce.wire.StreamFlag;
import io.metaroce.wire.StreamHeader;
import java.util.IdentityHashMap;

/**
 * I6: whatever the other QPs of a connection do (wait for receives, fail, send huge messages), none delays a QP beyond its share. A QP whose next message is a plain
 * WRITE can be served at any time: until it is, each of the others sends a quantum of 32 KB and the packet that exceeds it at most; and it does not wait while
 * nothing at all is in flight. Where all paths are silent nobody can be served, and nothing is in flight once they have been moved: that wait is the network's.
 */
public final class ShareChecker extends Checker {
    private static final long QUANTUM_BYTES = 32 * 1024;
    private static final long FRAME_BYTES = 9000;
    private static final long IDLE_NS = 10_000_000;

    private static final class Share {
        /** The first message of which no last packet has left. */
        int next;
        /** Both sides know the stream. */
        boolean bound;

        boolean waits;
        long othersBytes;
        long idleSinceNs = -1;
    }

    private final IdentityHashMap<SimQp, Share> shares = new IdentityHashMap<>();

    public ShareChecker() {
        super("I6");
    }

    private Share share(SimQp qp) {
        return shares.computeIfAbsent(qp, q -> new Share());
    }

    @Override
    public void onTransmit(SimNode node, long frame, int bytes, int destination, int sourcePort, long nowNs) {
        if (CommonHeader.type(frame) != FrameType.DATA
                || (CommonHeader.flags(frame) & (FrameFlag.RTX | FrameFlag.HEDGE)) != 0) {
            return; // what is lost goes before anything new, whosever it is
        }
        long header = frame + StreamHeader.OFFSET;
        int index = Qpn.index(StreamHeader.qpn(header)) - 2; // peers have the same index here
        for (int i = 0; i < node.qps.size(); i++) {
            SimQp qp = node.qps.get(i);
            Share share = share(qp);
            if (i == index) {
                served(share, header);
            } else if (share.waits) {
                share.othersBytes += bytes;
                long most = node.qps.size() * (QUANTUM_BYTES + FRAME_BYTES);
                require(
                        share.othersBytes <= most,
                        () -> qp + " waits to send " + qp.sent.get(share.next) + " while others send "
                                + share.othersBytes + " bytes, " + most + " at most");
            }
        }
    }

    private static void served(Share share, long header) {
        share.bound = true;
        share.waits = false;
        share.othersBytes = 0;
        share.idleSinceNs = -1;
        boolean last = (StreamHeader.flags(header) & StreamFlag.LAST) != 0;
        int opcode = StreamHeader.opcode(header);
        if (DataLayout.space(opcode) == Space.REQUEST && (last || isWhole(opcode))) {
            share.next = Math.max(share.next, StreamHeader.msn(header) + 1);
        }
    }

    private static boolean isWhole(int opcode) {
        return opcode == Opcode.READ_REQ || opcode == Opcode.ATOMIC_REQ;
    }

    private static boolean canBeServed(SimQp qp, Share share) {
        if (!share.bound || qp.failed || qp.doomed || share.next >= qp.sent.size()) {
            return false;
        }
        Message m = qp.sent.get(share.next);
        return m.opcode == Message.WRITE && !m.fence && !m.forbidden && !m.revocable;
    }

    @Override
    public void onCycle(SimNode node, long nowNs) {
        boolean idle = nothingInFlight(node);
        for (int i = 0; i < node.qps.size(); i++) {
            SimQp qp = node.qps.get(i);
            Share share = share(qp);
            if (!canBeServed(qp, share)) {
                share.waits = false;
                share.idleSinceNs = -1;
                continue;
            }
            if (!share.waits) {
                share.waits = true;
                share.othersBytes = 0;
            }
            if (!idle) {
                share.idleSinceNs = -1;
            } else if (share.idleSinceNs < 0) {
                share.idleSinceNs = nowNs;
            } else {
                judgeIdle(qp, share, nowNs);
            }
        }
    }

    private void judgeIdle(SimQp qp, Share share, long nowNs) {
        require(
                nowNs - share.idleSinceNs <= IDLE_NS,
                () -> qp + " waits to send " + qp.sent.get(share.next) + " while nothing is in flight for "
                        + (nowNs - share.idleSinceNs) + " ns");
    }

    /** Nothing moves any more: perhaps it is that wait. */
    @Override
    public void onEnd(SimWorld world) {
        for (SimQp qp : world.qps()) {
            Share share = share(qp);
            if (canBeServed(qp, share) && share.idleSinceNs >= 0) {
                judgeIdle(qp, share, world.nowNs());
            }
        }
    }

    private static boolean nothingInFlight(SimNode node) {
        Connections all = node.engine().connections();
        for (int i = 0; i < all.end(); i++) {
            Connection c = all.connection(i);
            if (c != null && c.isOpen() && c.inFlight() == 0 && livesOnAPath(c)) {
                return true;
            }
        }
        return false;
    }

    private static boolean livesOnAPath(Connection c) {
        for (int i = 0; i < c.pathCount(); i++) {
            if (!c.path(i).suspect()) {
                return true;
            }
        }
        return false;
    }
}
