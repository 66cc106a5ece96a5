package io.metaroce.conformance.sim;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.IdentityHashMap;

/**
 * I1: no byte placed twice, none after its CQE, none outside what the program gave, none of an older write over a newer one. Memory that several writes share is
 * judged by its content: when a write to it completes it must show that write or a later one, and at the end the last one.
 */
public final class PlacementChecker extends Checker {
    // 0: outside any work
    private static final byte EXPECTED = 1;
    private static final byte PLACED = 2;
    private static final byte CLOSED = 3;
    private static final byte SHARED = 4;
    private static final String[] STATES = {
        "outside any work", "expected", "placed before", "closed by its CQE", "shared"
    };

    /** As in {@link Arenas}: what earlier runs have left, all zero. */
    private static final ThreadLocal<ArrayDeque<byte[]>> CLEAN = ThreadLocal.withInitial(ArrayDeque::new);

    private final IdentityHashMap<SimNode, byte[]> memory = new IdentityHashMap<>();

    public PlacementChecker() {
        super("I1");
    }

    private byte[] memory(SimNode node) {
        byte[] m = memory.get(node);
        if (m == null) {
            m = CLEAN.get().poll();
            if (m == null || m.length < node.arenaSize()) {
                m = new byte[node.arenaSize()];
            }
            memory.put(node, m);
        }
        return m;
    }

    private void mark(SimNode node, long address, int length, byte state) {
        int at = node.arenaOffset(address);
        Arrays.fill(memory(node), at, at + length, state);
    }

    @Override
    public void close() {
        memory.forEach((node, m) -> {
            Arrays.fill(m, 0, node.arenaUsed(), (byte) 0);
            CLEAN.get().push(m);
        });
        memory.clear();
    }

    @Override
    public void onPost(Message m) {
        SimNode remote = m.from.peer().node;
        if (m.opcode == Message.READ || m.isAtomic()) {
            mark(m.from.node, m.local, m.length, EXPECTED);
        } else if (m.isWrite() && !m.forbidden) {
            mark(remote, m.remote, m.length, m.shared ? SHARED : EXPECTED);
        }
    }

    @Override
    public void onReceivePosted(SimQp qp, Message.Receive receive) {
        mark(qp.node, receive.address, receive.length, EXPECTED);
    }

    @Override
    public void onPlaced(SimNode node, long address, long bytes) {
        int at = node.arenaOffset(address);
        byte[] m = memory(node);
        for (int i = 0; i < bytes; i++) {
            byte state = m[at + i];
            if (state == EXPECTED) {
                m[at + i] = PLACED;
            } else if (state != SHARED) {
                fail(node + ": " + bytes + " bytes placed at offset " + at + ", byte " + i + " is " + STATES[state]);
            }
        }
    }

    @Override
    public void onSendCqe(SimQp qp, SimCqe cqe) {
        for (int i = qp.sendsDone; i <= (int) cqe.wrId(); i++) {
            Message m = qp.sent.get(i);
            if (m.opcode == Message.READ || m.isAtomic()) {
                mark(qp.node, m.local, m.length, CLOSED);
            } else if (m.isWrite() && !m.shared && (i < (int) cqe.wrId() || cqe.status() == 0)) {
                mark(qp.peer().node, m.remote, m.length, CLOSED);
            }
        }
    }

    @Override
    public void onReceiveCqe(SimQp qp, SimCqe cqe) {
        Message.Receive r = qp.receives.get(qp.receivesDone);
        mark(qp.node, r.address, r.length, CLOSED);
    }

    @Override
    public void onReset(SimQp qp) {
        for (int i = qp.receivesDone; i < qp.receives.size(); i++) {
            Message.Receive r = qp.receives.get(i);
            mark(qp.node, r.address, r.length, CLOSED);
        }
        for (int i = qp.sendsDone; i < qp.sent.size(); i++) {
            closeTarget(qp.sent.get(i), qp.node);
        }
        for (Message m : qp.peer().sent) {
            closeTarget(m, qp.node);
        }
    }

    @Override
    public void onRevoked(SimQp qp, SimNode node) {
        for (Message m : qp.sent) {
            if (m.revocable) {
                closeTarget(m, node);
            }
        }
    }

    /** Nothing may be written for this message any more, where its target is at this node. */
    private void closeTarget(Message m, SimNode node) {
        if ((m.opcode == Message.READ || m.isAtomic()) && m.from.node == node) {
            mark(node, m.local, m.length, CLOSED);
        } else if (m.isWrite() && !m.forbidden && m.from.peer().node == node) {
            mark(node, m.remote, m.length, CLOSED);
        }
    }

    @Override
    public void onEnd(SimWorld world) {
        for (SimQp qp : world.qps()) {
            if (!qp.failed && !qp.doomed) {
                qp.checkShared(this);
            }
        }
    }

    void wrong(String what) {
        fail(what);
    }
}
