package io.metaroce.conformance.sim;

import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.link.sim.SimFabric;
import io.metaroce.provider.link.sim.StarTopology;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.FrameFlag;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.Qpn;
import io.metaroce.wire.StreamHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One seeded run: two processes, their QPs, a random program on each, and the checkers that watch. */
public final class SimWorld implements AutoCloseable {
    /** Virtual time within which every schedule must end. */
    static final long LIMIT_NS = 60_000_000_000L;

    private static final long MUTATED_LIMIT_NS = 1_000_000_000L;
    private static final int VISIBLE_POSTS = 3;
    private static final int NARROW_BYTES = 1500 - 28;
    private static final int WIDE_PASSED = 20;
    private static final long NO_SEGMENT = -1;

    private final long seed;
    private final Profile profile;
    private final SplittableRandom random;
    private final List<Checker> checkers;
    private final Mutation mutation;
    private final SimFabric fabric;
    private final SimNode[] nodes = new SimNode[2];
    private final List<SimQp> qps = new ArrayList<>();
    private final List<SimNode> buried = new ArrayList<>();
    private long mutated;
    private int widePassed;
    private boolean starving;
    private long swallowedSegment = NO_SEGMENT;
    private boolean remembers;
    private @Nullable Forger forger;

    public SimWorld(long seed, List<Checker> checkers, Mutation mutation) {
        this(seed, Profile.random(new SplittableRandom(seed ^ 0x5eed)), checkers, mutation);
    }

    public SimWorld(long seed, Profile profile, List<Checker> checkers, Mutation mutation) {
        this.seed = seed;
        this.profile = profile;
        this.checkers = checkers;
        this.mutation = mutation;
        random = new SplittableRandom(seed);
        StarTopology star = new StarTopology(
                2, profile.planes(), profile.gbps(), profile.delayNs(), profile.queueBytes(), profile.queueBytes() / 4);
        for (int h = 0; h < 2; h++) {
            for (int p = 0; p < profile.planes(); p++) {
                star.port(star.toHost(h, p))
                        .loss(profile.loss())
                        .duplicate(profile.duplicate())
                        .corrupt(profile.corrupt())
                        .reorder(profile.reorder(), profile.reorderNs())
                        .mark(profile.mark());
            }
        }
        fabric = new SimFabric(random.nextLong(), star, profile.mtuBytes());
        // With a restart, an outage hides the end of the first process from QPs that are already connected to the
        // second: they fail, rightly.
        if (profile.stall()
                && profile.fault() == Profile.Fault.NONE
                && profile.nextLife() != Profile.NextLife.RESTART) {
            Outages.plan(fabric, star, profile.planes(), new SplittableRandom(seed ^ 0x0dead));
        }
        for (int i = 0; i < 2; i++) {
            nodes[i] = start(i);
        }
        for (int i = 0; i < profile.qps(); i++) {
            SimQp a = nodes[0].createQp();
            SimQp b = nodes[1].createQp();
            connect(a, b);
            qps.add(a);
            qps.add(b);
        }
        remembers = profile.nextLife() != Profile.NextLife.NONE;
        plan();
        planFault();
        if (profile.stall()) {
            for (int i = 0; i < 3; i++) {
                SimNode node = nodes[random.nextInt(2)];
                fabric.at(
                        fabric.nowNs() + random.nextLong(3_000_000),
                        () -> node.host().stall(10_000 + random.nextLong(2_000_000)));
            }
        }
    }

    private void plan() {
        int doomed = profile.forbidden() ? random.nextInt(qps.size()) : -1;
        for (int i = 0; i < qps.size(); i++) {
            qps.get(i).plan(profile, random, i == doomed);
        }
        nodes[0].host().wake();
        nodes[1].host().wake();
    }

    // ---- what a program does to a QP while its work is under way ----

    private void planFault() {
        if (profile.fault() == Profile.Fault.NONE) {
            return;
        }
        int victim = random.nextInt(qps.size());
        long atNs = fabric.nowNs() + random.nextLong(random.nextBoolean() ? 200_000 : 3_000_000);
        if (profile.fault() == Profile.Fault.DEREG) {
            qps.get(victim).useRevocable();
        }
        fabric.at(atNs, () -> {
            if (qps.get(victim).node.engine().control().state(qps.get(victim).index()) == 3) { // RTS
                strike(victim);
            }
        });
    }

    private void strike(int victim) {
        SimQp qp = qps.get(victim);
        switch (profile.fault()) {
            case FLUSH -> {
                qp.faulty = true;
                qp.doomed = true;
                qp.peer().doomed = true;
                qp.node.control().modify(qp.index(), 6, 1, new QpAttributes(), fabric.nowNs());
                qp.node.host().wake();
            }
            case DEREG -> {
                qp.faulty = true;
                int where = random.nextInt(3);
                if (where != 0) {
                    revoke(qp, qp.node);
                }
                if (where != 1) {
                    revoke(qp, qp.peer().node);
                }
            }
            default -> resetOne(victim, victim ^ 1);
        }
    }

    /** Deregisters, and gives the memory another use: what is sent of it from now on is wrong. */
    private void revoke(SimQp qp, SimNode node) {
        node.revoke();
        for (Checker c : checkers) {
            c.onRevoked(qp, node);
        }
        for (Message m : qp.sent) {
            boolean fromHere = m.opcode <= Message.SEND_IMM && node == qp.node;
            boolean fromThere = m.opcode == Message.READ && node != qp.node;
            if (m.revocable && m.length > 0 && (fromHere || fromThere)) {
                Mem.fill(fromHere ? m.local : m.remote, m.length, 0x5a);
            }
        }
    }

    /** One side goes through RESET, the other a little later; then both connect anew, again not at the same time. */
    private void resetOne(int first, int second) {
        SimQp a = qps.get(first);
        SimQp b = qps.get(second);
        SimQp nextA = new SimQp(a.node, a);
        SimQp nextB = new SimQp(b.node, b);
        a.faulty = true;
        b.doomed = true;
        qps.set(first, nextA);
        qps.set(second, nextB);
        nextA.peer = nextB;
        nextB.peer = nextA;
        forget(a, nextA);
        long laterNs = fabric.nowNs() + (random.nextBoolean() ? 0 : random.nextLong(3_000_000));
        long ready = laterNs + random.nextLong(500_000);
        QpAttributes attributes = attributes();
        fabric.at(laterNs, () -> {
            forget(b, nextB);
            nextA.plan(profile, random, false);
            nextB.plan(profile, random, false);
            nextA.connect(nextB, attributes, fabric.nowNs());
            nextA.node.host().wake();
        });
        fabric.at(ready, () -> {
            nextB.connect(nextA, attributes, fabric.nowNs());
            nextB.node.host().wake();
        });
    }

    private void forget(SimQp before, SimQp next) {
        for (Checker c : checkers) {
            c.onReset(before);
        }
        before.node.reset(before, next, fabric.nowNs());
    }

    private long arenaBytes() {
        long most = (long) (profile.messages() + 4) * profile.qps() * (profile.maxBytes() + 64L) * 3 * 2 + 65_536;
        return Math.max(most, 1 << 27);
    }

    private void connect(SimQp a, SimQp b) {
        QpAttributes attributes = attributes();
        a.connect(b, attributes, fabric.nowNs());
        b.connect(a, attributes, fabric.nowNs());
    }

    private QpAttributes attributes() {
        QpAttributes attributes = new QpAttributes();
        attributes.accessFlags = 15;
        attributes.maxRdAtomic = 1 + random.nextInt(16);
        attributes.maxDestRdAtomic = attributes.maxRdAtomic;
        attributes.minRnrTimer = 1;
        attributes.timeout = profile.fault() == Profile.Fault.NONE ? 0 : 17; // a QP may cease to answer
        attributes.retryCnt = 7;
        attributes.rnrRetry = 7;
        attributes.pathMtu = 3;
        return attributes;
    }

    /** Runs to the end. A violation carries the seed. */
    public void run() {
        try {
            live();
            if (profile.nextLife() != Profile.NextLife.NONE) {
                if (profile.nextLife() == Profile.NextLife.RESTART) {
                    restart();
                } else {
                    reset();
                }
                plan();
                live();
            }
        } catch (RuntimeException e) {
            throw new Checker.Violation("seed " + seed + " step " + fabric.eventCount() + " at " + fabric.nowNs()
                            + " ns: " + e.getMessage() + "\n" + profile + "\n" + nodes[0].log + "\n" + nodes[1].log
                            + "\n" + counters(0) + "\n" + counters(1))
                    .withCause(e);
        }
    }

    private String counters(int i) {
        return nodes[i] + ": "
                + nodes[i].counters().toString().replaceAll("(?m)^\\w+ 0\n", "").replace('\n', ' ');
    }

    private void live() {
        long limitNs = fabric.nowNs() + (isFaultOfOurs() ? MUTATED_LIMIT_NS : LIMIT_NS);
        while (!finished()) {
            if (!fabric.step() || fabric.nowNs() > limitNs) {
                break;
            }
        }
        fabric.runUntil(fabric.nowNs() + 20_000_000);
        for (Checker c : checkers) {
            c.onEnd(this);
        }
    }

    private boolean narrows() {
        return mutation == Mutation.NARROW_NETWORK || mutation == Mutation.NARROWING_NETWORK;
    }

    private boolean isFaultOfOurs() {
        return mutation != Mutation.NONE && !narrows();
    }

    /** All QPs go through RESET and are connected again. */
    private void reset() {
        remembers = false;
        for (int i = 0; i < qps.size(); i++) {
            SimQp qp = qps.get(i);
            for (Checker c : checkers) {
                c.onReset(qp);
            }
            qps.set(i, qp.node.reset(qp, fabric.nowNs()));
        }
        for (int i = 0; i < qps.size(); i += 2) {
            connect(qps.get(i), qps.get(i + 1));
        }
    }

    /** Process B dies without a word and starts again; A connects its QPs anew. */
    private void restart() {
        remembers = false;
        SimNode dead = nodes[1];
        dead.host().kill();
        buried.add(dead);
        nodes[1] = start(1);
        nodes[1].inheritPast(dead);
        if (forger != null) {
            forger.onNextLife(nodes[0], nodes[0]);
            forger.onNextLife(dead, nodes[1]);
        }
        for (int i = 0; i < qps.size(); i += 2) {
            SimQp a = qps.get(i);
            qps.set(i, a.node.reset(a, fabric.nowNs()));
            qps.set(i + 1, nodes[1].createQp());
        }
        for (int i = 0; i < qps.size(); i += 2) {
            connect(qps.get(i), qps.get(i + 1));
        }
    }

    private SimNode start(int i) {
        EngineConfig config = EngineConfig.of(1 + (random.nextLong() >>> 1), random.nextLong(), 0)
                .withWindowBytes(profile.windowBytes() * (mutation == Mutation.WIDE_WINDOW ? 4 : 1));
        SimNode node = new SimNode(this, i == 0 ? "A" : "B", fabric.host(i), config, arenaBytes());
        fabric.host(i).start(node);
        return node;
    }

    private boolean finished() {
        for (int i = 0; i < qps.size(); i++) {
            if (!qps.get(i).finished()) {
                return false;
            }
        }
        return true;
    }

    /** A node's program: posts receives and sends as its plan and its luck have it. True when it posted. */
    boolean program(SimNode node, long nowNs) {
        boolean posted = false;
        boolean waits = false;
        if (!remembers && node.hasPast() && random.nextInt(4) == 0) {
            node.replay(random, nowNs);
        }
        for (int i = 0; i < node.qps.size(); i++) {
            SimQp qp = node.qps.get(i);
            if (qp.wantsReceive() && (!qp.slow || random.nextInt(8) == 0)) {
                Message.Receive receive = qp.nextReceive();
                for (Checker c : checkers) {
                    c.onReceivePosted(qp, receive);
                }
                qp.post(receive);
            }
            if (qp.wantsSend()) {
                if (random.nextInt(3) != 0) {
                    Message m = qp.nextMessage(random);
                    for (Checker c : checkers) {
                        c.onPost(m);
                    }
                    qp.post(m);
                    posted = true;
                }
                waits = true;
            }
            waits |= qp.wantsReceive();
        }
        if (waits) {
            node.host().wakeAt(nowNs + 1 + random.nextLong(profile.slowReceiver() ? 200_000 : 20_000));
        }
        return posted;
    }

    void onCqe(SimNode node, SimCqe cqe) {
        SimQp qp = node.qps.get(cqe.qp() - 2);
        if (cqe.receive()) {
            for (Checker c : checkers) {
                c.onReceiveCqe(qp, cqe);
            }
            qp.receivesDone++;
            qp.doomed |= cqe.status() != 0;
            return;
        }
        for (Checker c : checkers) {
            c.onSendCqe(qp, cqe);
        }
        qp.sendsDone = (int) cqe.wrId() + 1;
        if (cqe.status() != 0) {
            qp.failed = true;
            qp.peer().doomed = true;
        }
    }

    void onPlaced(SimNode node, long address, long bytes) {
        for (Checker c : checkers) {
            c.onPlaced(node, address, bytes);
        }
    }

    void onAtomic(SimNode node, long address, long before, long after) {
        for (Checker c : checkers) {
            c.onAtomic(node, address, before, after);
        }
    }

    /** Whether the mutation under test keeps a frame from ever leaving its host. */
    boolean swallows(long frame, int bytes) {
        if (narrows()) {
            boolean wide = bytes > NARROW_BYTES && (mutation == Mutation.NARROW_NETWORK || ++widePassed > WIDE_PASSED);
            mutated += wide ? 1 : 0;
            return wide;
        }
        if (CommonHeader.type(frame) != FrameType.DATA) {
            return false;
        }
        boolean swallowed = switch (mutation) {
            case SWALLOW_RESENDS -> (CommonHeader.flags(frame) & FrameFlag.RTX) != 0;
            case STARVE_QP -> starves(frame + StreamHeader.OFFSET);
            case SWALLOW_SEGMENT -> isTheSwallowedSegment(frame + StreamHeader.OFFSET);
            default -> false;
        };
        mutated += swallowed ? 1 : 0;
        return swallowed;
    }

    /** From its first WRITE on but for the very first message, a QP is not heard any more. */
    private boolean starves(long streamHeader) {
        boolean victim = Qpn.index(StreamHeader.qpn(streamHeader)) == 2;
        starving |= victim && StreamHeader.opcode(streamHeader) == Opcode.WRITE && StreamHeader.msn(streamHeader) > 0;
        return victim && starving;
    }

    /** Whether the mutation under test keeps from the engine what a QP posts now. */
    boolean hides(SimQp qp) {
        boolean hidden = mutation == Mutation.HIDE_POSTS && qp.index() == 2 && qp.sent.size() > VISIBLE_POSTS;
        mutated += hidden ? 1 : 0;
        return hidden;
    }

    /** The first segment whose hour has come is the one; a QPN and a SPSN name it (requests and answers start at unlike random SPSNs). */
    private boolean isTheSwallowedSegment(long streamHeader) {
        long name = (long) StreamHeader.qpn(streamHeader) << 32 | (StreamHeader.spsn(streamHeader) & 0xffff_ffffL);
        if (swallowedSegment == NO_SEGMENT && strikes(Mutation.SWALLOW_SEGMENT)) {
            swallowedSegment = name;
        }
        return name == swallowedSegment;
    }

    /** Whether this mutation is under test and its hour has come. */
    boolean strikes(Mutation candidate) {
        if (mutation != candidate || random.nextInt(3) != 0) {
            return false;
        }
        mutated++;
        return true;
    }

    /** Adds a CQE to those a node's program will see; a mutation may have its way. */
    void mutateCqe(List<SimCqe> written, SimCqe cqe) {
        if (!written.isEmpty() && strikes(Mutation.SWAP_COMPLETIONS)) {
            written.add(written.size() - 1, cqe);
            return;
        }
        written.add(cqe);
        if (strikes(Mutation.DOUBLE_COMPLETION)) {
            written.add(cqe);
        }
    }

    /** Frames of a forger arrive between the honest ones from now on. */
    void forge(Forger newForger) {
        forger = newForger;
    }

    @Nullable
    Forger forger() {
        return forger;
    }

    /** Whether frames are kept to be replayed in the next life. */
    boolean remembers() {
        return remembers;
    }

    /** How often the mutation struck. */
    public long mutated() {
        return mutated;
    }

    public List<Checker> checkers() {
        return checkers;
    }

    public long nowNs() {
        return fabric.nowNs();
    }

    public SimFabric fabric() {
        return fabric;
    }

    public Profile profile() {
        return profile;
    }

    public List<SimQp> qps() {
        return qps;
    }

    public SimNode node(int i) {
        return nodes[i];
    }

    @Override
    public void close() {
        checkers.forEach(Checker::close);
        buried.forEach(SimNode::free);
        nodes[0].free();
        nodes[1].free();
        fabric.close();
    }

    @Override
    public String toString() {
        return "seed " + seed + " " + profile;
    }
}
