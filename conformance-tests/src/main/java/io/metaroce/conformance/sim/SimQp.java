package io.metaroce.conformance.sim;

import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.Mem;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A QP of a simulated program: its rings, what was posted, and how far its completions are. */
public final class SimQp {
    static final int SEND_ENTRIES = 64;
    static final int RECV_ENTRIES = 64;
    static final int SEND_STRIDE = 128;
    static final int RECV_STRIDE = 64;

    final SimNode node;
    private final int index;
    final long sq;
    final long rq;

    @Nullable
    SimQp peer;

    /** All WRs of the send side, in post order. */
    final List<Message> sent = new ArrayList<>();

    final List<Message.Receive> receives = new ArrayList<>();
    /** The peer's receive-consuming messages, in its post order. */
    final List<Message> incoming = new ArrayList<>();
    /** WRs of {@link #sent} that are over, signalled or not. */
    int sendsDone;

    int receivesDone;
    /** A WR of this QP failed: it is in ERR. */
    boolean failed;
    /** A WR of the peer failed: this QP is in ERR or on its way, and may learn of it at any time. */
    boolean doomed;

    /** Something was done to this QP that makes its work, or its peer's, fail. */
    boolean faulty;
    /** Its receives are posted late. */
    boolean slow;

    // the plan
    private boolean revocable;
    private int messages;
    private int maxBytes;
    private int forbiddenAt = -1;
    private int sharedBytes;
    private long sharedTarget;
    /** Address at the peer that this QP's atomics work on. */
    long counter;

    private long counterModel;

    SimQp(SimNode node, int index) {
        this.node = node;
        this.index = index;
        sq = ring(node, SEND_ENTRIES, SEND_STRIDE);
        rq = ring(node, RECV_ENTRIES, RECV_STRIDE);
    }

    SimQp(SimNode node, SimQp earlierLife) {
        this.node = node;
        index = earlierLife.index;
        sq = earlierLife.sq;
        rq = earlierLife.rq;
    }

    private static long ring(SimNode node, int entries, int stride) {
        long bytes = Ring.bytes(entries, stride);
        long ring = node.allocate(bytes + 64) + 63 & -64; // a cache line, as the ABI says
        Mem.fill(ring, bytes, 0);
        Ring.init(ring, entries, stride);
        return ring;
    }

    int index() {
        return index;
    }

    int qpn() {
        return index; // slot 0
    }

    SimQp peer() {
        if (peer == null) {
            throw new IllegalStateException(this + " is not connected");
        }
        return peer;
    }

    /** INIT, RTR and RTS towards {@link #peer}. */
    void connect(SimQp to, QpAttributes attributes, long nowNs) {
        peer = to;
        attributes.remoteHi = 0;
        attributes.remoteLo = to.node.host().planeLo(0);
        attributes.destQpn = to.qpn();
        node.control().modify(index, 1, 0x39, attributes, nowNs);
        node.control().modify(index, 2, 0x121181 | 0x8000, attributes, nowNs);
        node.control().modify(index, 3, 0x12e01, attributes, nowNs);
    }

    int sendRoom() {
        return SEND_ENTRIES - (Ring.tail(sq) - Ring.head(sq));
    }

    int receiveRoom() {
        return RECV_ENTRIES - (Ring.tail(rq) - Ring.head(rq));
    }

    void post(Message m) {
        sent.add(m);
        if (m.consumesReceive()) {
            peer().incoming.add(m);
        }
        int tail = Ring.tail(sq);
        long slot = Ring.slot(sq, tail);
        SendSlot.wrId(slot, m.wrId());
        SendSlot.opcode(slot, m.opcode);
        SendSlot.flags(slot, (m.fence ? 1 : 0) | (m.signalled ? 2 : 0));
        SendSlot.imm(slot, m.imm);
        SendSlot.length(slot, m.length);
        int key = m.revocable ? SimNode.REVOCABLE_KEY : SimNode.KEY;
        SendSlot.rkey(slot, m.forbidden ? SimNode.BAD_KEY_VALUE : key);
        SendSlot.remoteAddr(slot, m.remote);
        SendSlot.compareAdd(slot, m.compareAdd);
        SendSlot.swap(slot, m.swap);
        int sges = m.length == 0 ? 0 : Math.min(m.length, 1 + (int) (m.dataSeed >>> 62));
        SendSlot.numSge(slot, sges);
        int done = 0;
        for (int i = 0; i < sges; i++) {
            int part = i == sges - 1 ? m.length - done : m.length / sges;
            long sge = SendSlot.sge(slot, i);
            Sge.addr(sge, m.local + done);
            Sge.length(sge, part);
            Sge.lkey(sge, key);
            done += part;
        }
        node.publish(this, tail + 1);
        node.ring(index);
    }

    void post(Message.Receive r) {
        receives.add(r);
        int tail = Ring.tail(rq);
        long slot = Ring.slot(rq, tail);
        RecvSlot.wrId(slot, r.number);
        RecvSlot.length(slot, r.length);
        RecvSlot.numSge(slot, r.length == 0 ? 0 : 1);
        if (r.length > 0) {
            long sge = RecvSlot.sge(slot, 0);
            Sge.addr(sge, r.address);
            Sge.length(sge, r.length);
            Sge.lkey(sge, SimNode.KEY);
        }
        Ring.publishTail(rq, tail + 1);
        Mem.fullFence();
        if (Ring.waiting(rq) != 0) {
            node.ring(index);
        }
    }

    /** Decides what this QP's program will do. */
    void plan(Profile profile, SplittableRandom random, boolean postsForbidden) {
        messages = profile.messages();
        maxBytes = profile.maxBytes();
        forbiddenAt = postsForbidden ? random.nextInt(messages) : -1;
        slow = profile.slowReceiver() && random.nextBoolean();
        sharedBytes = Math.min(maxBytes, 4096);
        sharedTarget = peer().node.allocate(sharedBytes);
        counter = peer().node.allocate(8);
        Mem.putLong(counter, 0);
    }

    /** Half of its messages from now on use the memory that will be deregistered. */
    void useRevocable() {
        revocable = true;
    }

    boolean wantsSend() {
        return sent.size() < messages && sendRoom() > 0 && !failed && !doomed;
    }

    boolean wantsReceive() {
        return receives.size() < messages && receiveRoom() > 0 && !failed && !doomed;
    }

    Message.Receive nextReceive() {
        return new Message.Receive(receives.size(), node.allocate(maxBytes), maxBytes);
    }

    /** Whether something is wrong that may make work of this QP or of its peer fail. */
    boolean mayFail() {
        return faulty || (forbiddenAt >= 0 && sent.size() > forbiddenAt);
    }

    /** What writes to the shared memory must have left: for each byte the last write that covers it. */
    void checkShared(PlacementChecker judge) {
        SimNode at = peer().node;
        boolean[] judged = new boolean[sharedBytes];
        for (int k = sent.size() - 1; k >= 0; k--) {
            Message m = sent.get(k);
            for (int i = 0; m.shared && i < m.length; i++) {
                int to = (int) (m.remote - sharedTarget) + i;
                if (!judged[to] && Mem.getByte(m.remote + i) != Message.data(m.dataSeed, i)) {
                    judge.wrong(at + ": shared byte " + to + " does not show the last write " + m);
                }
                judged[to] = true;
            }
        }
    }

    boolean finished() {
        if (failed || doomed) {
            return idle();
        }
        if (messages == 0) {
            return false; // reset, and not connected yet
        }
        return sent.size() == messages && idle() && receivesDone == incoming.size() && peer().sentAll();
    }

    private boolean sentAll() {
        return failed || doomed || sent.size() == messages;
    }

    /** The next WR of the plan. */
    Message nextMessage(SplittableRandom random) {
        int number = sent.size();
        boolean forbidden = number == forbiddenAt;
        int opcode = forbidden ? Message.WRITE : random.nextInt(7);
        boolean atomic = opcode == Message.CAS || opcode == Message.FADD;
        boolean inDoubt = revocable && !forbidden && random.nextBoolean();
        boolean shared = opcode == Message.WRITE && !forbidden && !inDoubt && random.nextInt(3) == 0;
        int length = atomic ? 8 : size(random);
        if (shared) {
            length = Math.min(length, sharedBytes);
        }
        if (forbidden) {
            length = Math.max(1, length);
        }
        long dataSeed = random.nextLong();
        long local = node.allocate(length);
        boolean source = opcode <= Message.SEND_IMM;
        long remote = 0;
        if (atomic) {
            remote = counter;
        } else if (shared) {
            remote = sharedTarget + (sharedBytes == length ? 0 : random.nextInt(sharedBytes - length + 1));
        } else if (opcode != Message.SEND && opcode != Message.SEND_IMM) {
            remote = peer().node.allocate(length);
        }
        long filled = source ? local : opcode == Message.READ ? remote : 0;
        if (filled != 0) {
            Message.fill(filled, length, dataSeed);
        }
        // a CAS succeeds in about half of the cases: its compare value is the model's or not
        long compare = random.nextBoolean() ? counterModel : random.nextLong();
        long operand = random.nextLong();
        Message m = new Message(
                this,
                number,
                opcode,
                length,
                dataSeed,
                random.nextInt(4) != 0 || number == messages - 1,
                random.nextInt(10) == 0,
                random.nextInt(),
                local,
                remote,
                shared,
                forbidden,
                inDoubt,
                opcode == Message.CAS ? compare : operand,
                operand);
        if (opcode == Message.FADD) {
            counterModel += operand;
        } else if (opcode == Message.CAS && compare == counterModel) {
            counterModel = operand;
        }
        return m;
    }

    private int size(SplittableRandom random) {
        int bits = random.nextInt(1 + 32 - Integer.numberOfLeadingZeros(maxBytes));
        return Math.min(maxBytes, bits == 0 ? 0 : random.nextInt(1 << bits));
    }

    boolean idle() {
        boolean overWithoutCqe = (failed || doomed) && Ring.head(sq) == Ring.tail(sq) && node.allCqesTaken();
        return sendsDone == sent.size() || overWithoutCqe;
    }

    @Override
    public String toString() {
        return node + ".qp" + index;
    }
}
