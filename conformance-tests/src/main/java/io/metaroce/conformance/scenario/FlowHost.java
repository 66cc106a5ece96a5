package io.metaroce.conformance.scenario;

import io.metaroce.provider.engine.Engine;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.QpControl;
import io.metaroce.provider.link.sim.SimHost;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.port.Regions;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.port.TxBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A host of a scenario: an engine and the flows that begin or end on it. */
final class FlowHost implements SimHost.Station, Regions, Completions, Events {
    /** Application memory is never touched: any address from here on is good. */
    static final long MEMORY = 1L << 40;

    /** Memory for messages that do not fit into a flow's; what lands there counts for no flow. */
    static final long HUGE = 4 * MEMORY;

    /** A remote key that gives no access. */
    static final int FORBIDDEN_KEY = 0x666;

    /** Log of the bytes of memory that each flow has at its target. */
    static final int FLOW_BITS = 24;

    private final SimHost host;
    private final Engine engine;
    private final Counters counters = new Counters();
    private final List<Work> flows = new ArrayList<>();
    private final List<Work> ringing = new ArrayList<>();
    private final List<Work> completed = new ArrayList<>();
    private long landedBytes;
    private long[] landedOfFlow = new long[4];
    private long errors;

    FlowHost(SimHost host, EngineConfig config) {
        this.host = host;
        engine = new Engine(config, host, this, this, this, counters);
        host.start(this);
    }

    SimHost host() {
        return host;
    }

    Engine engine() {
        return engine;
    }

    Counters counters() {
        return counters;
    }

    QpControl control() {
        return engine.control();
    }

    void close() {
        engine.close();
    }

    /** Bytes of messages placed on this host since the start. */
    long landedBytes() {
        return landedBytes;
    }

    /** Bytes of one QP's messages placed on this host. */
    long landedBytes(int qp) {
        return landedOfFlow[qp - 2];
    }

    /** The memory at this host that a QP's peer writes to. */
    static long memory(int qp) {
        return MEMORY + ((long) (qp - 2) << FLOW_BITS);
    }

    /** CQEs with an error and QP events. */
    long errors() {
        return errors;
    }

    /** A QP for a flow; its index. */
    int createQp(Work flow, long sq, long rq) {
        flows.add(flow);
        int index = 1 + flows.size();
        if (landedOfFlow.length < flows.size()) {
            landedOfFlow = Arrays.copyOf(landedOfFlow, 2 * flows.size());
        }
        control().create(index, 2, 1, 0, 0, sq, rq);
        return index;
    }

    void connect(int qp, FlowHost peer, int peerQp) {
        QpAttributes a = new QpAttributes();
        a.remoteHi = 0;
        a.remoteLo = peer.host.planeLo(0);
        a.destQpn = peerQp;
        a.accessFlags = 15;
        a.maxRdAtomic = 16;
        a.maxDestRdAtomic = 16;
        a.minRnrTimer = 1;
        a.timeout = 14;
        a.retryCnt = 7;
        a.rnrRetry = 7;
        a.pathMtu = 3;
        long nowNs = nowNs();
        control().modify(qp, 1, 0x39, a, nowNs);
        control().modify(qp, 2, 0x129181, a, nowNs);
        control().modify(qp, 3, 0x12e01, a, nowNs);
    }

    private long nowNs;

    long nowNs() {
        return nowNs;
    }

    void ring(Work flow) {
        ringing.add(flow);
        host.wake();
    }

    // SimHost.Station

    @Override
    public int onFrames(RxBatch batch, long now) {
        nowNs = now;
        return engine.onFrames(batch, now);
    }

    @Override
    public void onTime(long now) {
        nowNs = now;
        for (int i = 0; i < ringing.size(); i++) {
            control().doorbell(ringing.get(i).qp(this), now);
        }
        ringing.clear();
        engine.onTime(now);
    }

    @Override
    public int transmit(TxBatch batch, long now) {
        nowNs = now;
        return engine.transmit(batch, now);
    }

    @Override
    public long nextDeadlineNs() {
        return engine.nextDeadlineNs();
    }

    @Override
    public boolean application(long now) {
        if (completed.isEmpty()) {
            return false;
        }
        for (int i = 0; i < completed.size(); i++) {
            completed.get(i).refill(now);
        }
        completed.clear();
        return true;
    }

    // Regions: every key but one is good, nothing is copied

    @Override
    public long local(int lkey, int pd, long addr, long length, int access) {
        return addr;
    }

    @Override
    public long remote(int rkey, int pd, long va, long length, int access) {
        return rkey == FORBIDDEN_KEY ? BAD_KEY : va;
    }

    @Override
    public boolean copy(long destination, long source, long bytes) {
        if (destination >= HUGE && destination < 2 * HUGE) {
            landedBytes += bytes;
        } else if (destination >= MEMORY && destination < 2 * MEMORY) {
            landedBytes += bytes;
            landedOfFlow[(int) ((destination - MEMORY) >>> FLOW_BITS)] += bytes;
        }
        return true;
    }

    @Override
    public boolean storeRelease(long destination, long source, int bytes) {
        return copy(destination, source, bytes);
    }

    @Override
    public boolean compareSwap(long address, long compare, long swap) {
        return true;
    }

    @Override
    public boolean fetchAdd(long address, long add) {
        return true;
    }

    @Override
    public long old() {
        return 0;
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
        Work flow = flows.get(qp - 2);
        if (status != 0) {
            errors++;
        }
        flow.completed(this, wrId, status, nowNs);
        completed.add(flow);
        return true;
    }

    @Override
    public int room(int cq) {
        return 1 << 20;
    }

    @Override
    public void publish() {
        // a flow learns of its completions in application()
    }

    // Events

    @Override
    public void qpEvent(int qp, int eventType) {
        errors++;
    }

    @Override
    public void log(String line) {
        // a scenario prints figures only
    }
}
