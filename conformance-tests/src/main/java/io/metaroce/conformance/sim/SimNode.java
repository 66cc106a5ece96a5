package io.metaroce.conformance.sim;

import io.metaroce.provider.engine.Engine;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.QpControl;
import io.metaroce.provider.engine.conn.Connection;
import io.metaroce.provider.link.sim.SimHost;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.port.Regions;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.port.TxBatch;
import io.metaroce.provider.slots.Ring;
import io.metaroce.wire.AckHeader;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.RateHint;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A process with an engine on a simulated host: memory, QPs, completions, all observed by the world's checkers. */
public final class SimNode implements SimHost.Station, Regions, Completions, Events, TxBatch {
    static final int KEY = 0x1234501;
    static final int REVOCABLE_KEY = 0x2222201;
    static final int BAD_KEY_VALUE = 0x6666601;

    private final SimWorld world;
    private final String name;
    private final SimHost host;
    private final Engine engine;
    private final Counters counters = new Counters();
    private final long arena;
    private final long arenaBytes;
    private long arenaUsed;
    private long old;
    final List<SimQp> qps = new ArrayList<>();
    private final List<SimCqe> written = new ArrayList<>();
    private final List<SimCqe> readable = new ArrayList<>();
    private final List<Integer> doorbells = new ArrayList<>();
    private final List<Past> past = new ArrayList<>();
    private boolean replaying;
    private boolean revoked;
    final List<String> log = new ArrayList<>();

    SimNode(SimWorld world, String name, SimHost host, EngineConfig config, long arenaBytes) {
        this.world = world;
        this.name = name;
        this.host = host;
        this.arenaBytes = arenaBytes;
        arena = Arenas.take(arenaBytes);
        engine = new Engine(config, host, this, this, this, counters);
    }

    SimHost host() {
        return host;
    }

    public Engine engine() {
        return engine;
    }

    public Counters counters() {
        return counters;
    }

    QpControl control() {
        return engine.control();
    }

    /** The same QP in its next life: reset, its rings empty, nothing posted. */
    SimQp reset(SimQp qp, long nowNs) {
        return reset(qp, new SimQp(this, qp), nowNs);
    }

    /** The same, where the next life has been made already. As with ibv_modify_qp, CQEs that nobody has taken are gone. */
    SimQp reset(SimQp qp, SimQp next, long nowNs) {
        control().modify(qp.index(), 0, 1, new QpAttributes(), nowNs);
        written.removeIf(cqe -> cqe.qp() == qp.index());
        readable.removeIf(cqe -> cqe.qp() == qp.index());
        qps.set(qp.index() - 2, next);
        return next;
    }

    boolean allCqesTaken() {
        return written.isEmpty() && readable.isEmpty();
    }

    /** The memory under {@link #REVOCABLE_KEY} is deregistered. */
    void revoke() {
        revoked = true;
    }

    SimQp createQp() {
        SimQp qp = new SimQp(this, 2 + qps.size());
        qps.add(qp);
        control().create(qp.index(), 2, 1, 0, 1, qp.sq, qp.rq);
        return qp;
    }

    /** Fresh memory of the arena, never used before. */
    long allocate(long bytes) {
        long at = arena + arenaUsed;
        arenaUsed += bytes + 8 & ~7L;
        if (arenaUsed > arenaBytes) {
            throw new IllegalStateException("arena of " + name + " is used up");
        }
        return at;
    }

    boolean owns(long address) {
        return address >= arena && address < arena + arenaBytes;
    }

    int arenaOffset(long address) {
        return (int) (address - arena);
    }

    int arenaSize() {
        return (int) arenaBytes;
    }

    int arenaUsed() {
        return (int) arenaUsed;
    }

    /** Whether the engine suspects this path of its open connection. */
    boolean suspects(int path) {
        for (int i = 0; i < engine.connections().end(); i++) {
            Connection c = engine.connections().connection(i);
            if (c != null && c.isOpen() && path < c.pathCount()) {
                return c.path(path).suspect();
            }
        }
        return false;
    }

    /** Whether the engine's open connection is that with this peer's id, and the path in this epoch. */
    boolean isAt(int path, int peerId, int epoch) {
        for (int i = 0; i < engine.connections().end(); i++) {
            Connection c = engine.connections().connection(i);
            if (c != null && c.isOpen() && path < c.pathCount()) {
                return c.peerId() == peerId && c.path(path).epoch() == epoch;
            }
        }
        return false;
    }

    /** A program posts to a send queue: its engine sees a ring up to {@code tail}. */
    void publish(SimQp qp, int tail) {
        if (!world.hides(qp)) {
            Ring.publishTail(qp.sq, tail);
        }
    }

    void ring(int qp) {
        doorbells.add(qp);
        host.wake();
    }

    void free() {
        engine.close();
        Arenas.give(arena, arenaBytes);
    }

    boolean replaying() {
        return replaying;
    }

    /** Hands the engine a frame of the past. */
    void replay(SplittableRandom random, long nowNs) {
        Past frame = past.remove(random.nextInt(past.size()));
        long copy = allocate(frame.bytes.length);
        Mem.copy(frame.bytes, 0, copy, frame.bytes.length);
        RxBatch batch = new RxBatch();
        batch.add(copy, frame.bytes.length, frame.plane, 2, 0, frame.source, frame.sourcePort);
        replaying = true;
        try {
            engine.onFrames(batch, nowNs);
        } finally {
            replaying = false;
        }
    }

    /** Hands the engine frames that must have no effect. */
    void handleForged(RxBatch batch, long nowNs) {
        replaying = true;
        engine.onFrames(batch, nowNs);
        replaying = false;
    }

    /** A frame that was received in an earlier life. */
    private static final class Past {
        final byte[] bytes;
        final int plane;
        final long source;
        final int sourcePort;

        Past(byte[] bytes, int plane, long source, int sourcePort) {
            this.bytes = bytes;
            this.plane = plane;
            this.source = source;
            this.sourcePort = sourcePort;
        }
    }

    boolean hasPast() {
        return !past.isEmpty();
    }

    void inheritPast(SimNode earlier) {
        past.addAll(earlier.past);
    }

    private void remember(RxBatch batch, int i) {
        byte[] bytes = new byte[batch.length(i)];
        Mem.copy(batch.address(i), bytes, 0, bytes.length);
        past.add(new Past(bytes, batch.plane(i), batch.sourceLo(i), batch.sourcePort(i)));
    }

    // SimHost.Station

    @Override
    public int onFrames(RxBatch batch, long nowNs) {
        for (int i = 0; i < batch.count(); i++) {
            if (world.remembers() && past.size() < 100) {
                remember(batch, i);
            }
        }
        for (int i = 0; i < batch.count(); i++) {
            for (Checker c : world.checkers()) {
                c.onReceive(this, batch.address(i), batch.length(i), batch.plane(i), batch.sourcePort(i), nowNs);
            }
        }
        replaying = world.strikes(Mutation.CALL_IT_STALE);
        int handled = engine.onFrames(batch, nowNs);
        replaying = false;
        Forger forger = world.forger();
        if (forger != null) {
            forger.capture(this, batch);
            forger.attack(this, nowNs);
        }
        return handled;
    }

    @Override
    public void onTime(long nowNs) {
        for (int i = 0; i < doorbells.size(); i++) {
            control().doorbell(doorbells.get(i), nowNs);
        }
        doorbells.clear();
        engine.onTime(nowNs);
    }

    private TxBatch out = this;

    @Override
    public int transmit(TxBatch batch, long nowNs) {
        out = batch;
        int sent = engine.transmit(this, nowNs);
        publish();
        for (Checker c : world.checkers()) {
            c.onCycle(this, nowNs);
        }
        return sent;
    }

    @Override
    public long nextDeadlineNs() {
        return engine.nextDeadlineNs();
    }

    @Override
    public boolean application(long nowNs) {
        boolean busy = !readable.isEmpty();
        for (int i = 0; i < readable.size(); i++) {
            world.onCqe(this, readable.get(i));
        }
        readable.clear();
        return world.program(this, nowNs) || busy;
    }

    // TxBatch, observed

    @Override
    public long begin(int destination) {
        return out.begin(destination);
    }

    @Override
    public void commit(int destination, int sourcePort, int bytes) {
        long frame = out.begin(destination);
        if (world.swallows(frame, bytes)) {
            return; // the next begin gives out the same room
        }
        if (CommonHeader.type(frame) == FrameType.ACK && world.strikes(Mutation.GENEROUS_HINT)) {
            AckHeader.rateHint(frame + AckHeader.OFFSET, RateHint.encode((long)
                    (world.profile().gbps() * 1e9)));
        }
        for (Checker c : world.checkers()) {
            c.onTransmit(this, frame, bytes, destination, sourcePort, world.nowNs());
        }
        out.commit(destination, sourcePort, bytes);
    }

    // Regions

    private long check(int key, long address, long length) {
        if (length == 0) {
            return address;
        }
        if (key != KEY && (key != REVOCABLE_KEY || revoked)) {
            return BAD_KEY;
        }
        return address >= arena && address + length <= arena + arenaBytes ? address : BAD_RANGE;
    }

    @Override
    public long local(int lkey, int pd, long addr, long length, int access) {
        return check(lkey, addr, length);
    }

    @Override
    public long remote(int rkey, int pd, long va, long length, int access) {
        return check(rkey, va, length);
    }

    @Override
    public boolean copy(long destination, long source, long bytes) {
        if (owns(destination)) {
            world.onPlaced(this, destination, bytes);
            if (world.strikes(Mutation.PLACE_TWICE)) {
                world.onPlaced(this, destination, bytes);
            }
        }
        Mem.copy(source, destination, bytes);
        return true;
    }

    @Override
    public boolean storeRelease(long destination, long source, int bytes) {
        return copy(destination, source, bytes);
    }

    @Override
    public boolean compareSwap(long address, long compare, long swap) {
        old = Mem.getLong(address);
        if (old == compare) {
            Mem.putLong(address, swap);
        }
        world.onAtomic(this, address, old, Mem.getLong(address));
        return true;
    }

    @Override
    public boolean fetchAdd(long address, long add) {
        old = Mem.getLong(address);
        Mem.putLong(address, old + add);
        world.onAtomic(this, address, old, old + add);
        if (world.strikes(Mutation.ATOMIC_TWICE)) {
            Mem.putLong(address, old + 2 * add);
            world.onAtomic(this, address, old + add, old + 2 * add);
        }
        return true;
    }

    @Override
    public long old() {
        return old;
    }

    // Completions

    @Override
    public boolean add(
            int cq,
            int qp,
            long wrId,
            int status,
            int opcode,
            int byteLen,
            int imm,
            int wcFlags,
            int srcQpn,
            boolean solicited) {
        SimCqe cqe = new SimCqe(qp, wrId, status, opcode, byteLen, imm, wcFlags, cq == 1);
        for (Checker c : world.checkers()) {
            c.onCqeWritten(this, cqe);
        }
        world.mutateCqe(written, cqe);
        return true;
    }

    @Override
    public int room(int cq) {
        return 1 << 20;
    }

    @Override
    public void publish() {
        readable.addAll(written);
        written.clear();
    }

    // Events

    @Override
    public void qpEvent(int qp, int eventType) {
        log.add("event " + eventType + " on qp " + qp);
    }

    @Override
    public void log(String line) {
        log.add(line);
    }

    @Override
    public String toString() {
        return name;
    }
}
