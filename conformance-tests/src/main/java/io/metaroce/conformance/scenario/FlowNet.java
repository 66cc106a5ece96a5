package io.metaroce.conformance.scenario;

import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.link.sim.SimFabric;
import io.metaroce.provider.link.sim.Topology;
import io.metaroce.provider.port.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** A fabric with an engine on every host, and the flows of one scenario run. */
final class FlowNet implements AutoCloseable {
    private final SimFabric fabric;
    private final FlowHost[] hosts;
    private final List<Flow> flows = new ArrayList<>();
    private final SplittableRandom random;
    /** Flows before this one are finished. */
    private int unfinished;

    /** @param change what is unlike the engine's defaults */
    FlowNet(long seed, Topology topology, int mtuBytes, UnaryOperator<EngineConfig> change) {
        random = new SplittableRandom(seed);
        fabric = new SimFabric(random.nextLong(), topology, mtuBytes);
        hosts = new FlowHost[topology.hosts()];
        for (int i = 0; i < hosts.length; i++) {
            EngineConfig config = EngineConfig.of(1 + (random.nextLong() >>> 1), random.nextLong(), 0);
            hosts[i] = new FlowHost(fabric.host(i), change.apply(config));
        }
    }

    SimFabric fabric() {
        return fabric;
    }

    SplittableRandom random() {
        return random;
    }

    FlowHost host(int i) {
        return hosts[i];
    }

    /** A flow that starts at once. */
    Flow flow(int from, int to, int bytes, int outstanding, long messages) {
        Flow flow = new Flow(hosts[from], hosts[to], bytes, outstanding, messages);
        flows.add(flow);
        flow.start(fabric.nowNs());
        return flow;
    }

    /** A flow that waits for {@link #startAll}. */
    void idleFlow(int from, int to, int bytes, int outstanding, long messages) {
        flows.add(new Flow(hosts[from], hosts[to], bytes, outstanding, messages));
    }

    void startAll() {
        for (int i = 0; i < flows.size(); i++) {
            flows.get(i).start(fabric.nowNs());
        }
    }

    /** Runs until every flow has completed a message: a lost INIT alone costs 20 ms. */
    void runUntilAllFlow() {
        long limitNs = fabric.nowNs() + 10_000_000_000L;
        for (Flow flow : flows) {
            while (flow.done() == 0) {
                if (!fabric.step() || fabric.nowNs() > limitNs) {
                    throw new IllegalStateException("a flow does not start within 10 s");
                }
            }
        }
    }

    void run(long durationNs) {
        fabric.runUntil(fabric.nowNs() + durationNs);
    }

    /** Runs until every limited flow is finished; false when the time ran out. */
    boolean runToEnd(long limitNs) {
        long end = fabric.nowNs() + limitNs;
        int check = 0;
        while (fabric.nowNs() < end) {
            if (++check % 256 == 0 && finished()) {
                return true;
            }
            if (!fabric.step()) {
                return finished();
            }
        }
        return finished();
    }

    private boolean finished() {
        while (unfinished < flows.size() && flows.get(unfinished).finished()) {
            unfinished++;
        }
        return unfinished == flows.size();
    }

    /** Payload bits a nanosecond placed on a host during a time that runs now. */
    double goodputGbps(int host, long durationNs) {
        long before = hosts[host].landedBytes();
        run(durationNs);
        return (hosts[host].landedBytes() - before) * 8.0 / durationNs;
    }

    long count(Counter counter) {
        long sum = 0;
        for (FlowHost host : hosts) {
            sum += host.counters().get(counter);
        }
        return sum;
    }

    long errors() {
        long sum = 0;
        for (FlowHost host : hosts) {
            sum += host.errors();
        }
        return sum;
    }

    List<Flow> flows() {
        return flows;
    }

    @Override
    public void close() {
        flows.forEach(Flow::free);
        for (FlowHost host : hosts) {
            host.close();
        }
        fabric.close();
    }
}
