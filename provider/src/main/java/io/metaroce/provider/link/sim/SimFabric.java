package io.metaroce.provider.link.sim;

import io.metaroce.provider.port.RxBatch;
import io.metaroce.wire.Mem;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The simulated network: a topology, its hosts, a virtual clock and one seed. The same seed gives the same run, byte for byte.
 *
 * <p>A host runs when frames have arrived, when its engine's deadline has come, when its NIC has room again or when it is woken; running takes no virtual time unless
 * {@link #hostDelayNs} says so.
 */
public final class SimFabric implements AutoCloseable {
    /** Every host's UDP port: base plus slot 0. */
    public static final int UDP_PORT = 47810;

    private static final int ARRIVE = 0;
    private static final int RUN = 1;
    private static final int ACTION = 2;

    private final Topology topology;
    private final int mtuBytes;
    private final Frames frames;
    private final EventQueue events = new EventQueue();
    private final SplittableRandom random;
    private final SimHost[] hosts;
    private final RxBatch batch = new RxBatch();
    private Runnable[] actions = new Runnable[16];
    private int actionCount;
    private long nowNs = 1_000_000;
    private int inboxLimit = 4096;
    private long hostDelayNs;
    private long eventCount;
    private long delivered;
    private long inboxDrops;

    public SimFabric(long seed, Topology topology, int mtuBytes) {
        this.topology = topology;
        this.mtuBytes = mtuBytes;
        random = new SplittableRandom(seed);
        frames = new Frames(mtuBytes);
        hosts = new SimHost[topology.hosts()];
        Arrays.setAll(hosts, i -> new SimHost(this, i, topology.planes()));
    }

    public SimHost host(int i) {
        return hosts[i];
    }

    public Topology topology() {
        return topology;
    }

    public long nowNs() {
        return nowNs;
    }

    int mtuBytes() {
        return mtuBytes;
    }

    Frames frames() {
        return frames;
    }

    /** Frames a host can hold before it runs; more are dropped, as a socket's ring does. */
    public SimFabric inboxLimit(int limit) {
        inboxLimit = limit;
        return this;
    }

    /** Time between a frame's arrival and the host's run. */
    public SimFabric hostDelayNs(long ns) {
        hostDelayNs = ns;
        return this;
    }

    /** Does something at a time (a fault, a measurement). */
    public void at(long timeNs, Runnable action) {
        if (actionCount == actions.length) {
            actions = Arrays.copyOf(actions, actionCount * 2);
        }
        actions[actionCount] = action;
        events.add(timeNs, event(ACTION, actionCount++));
    }

    /** Runs all events up to a time; the clock then stands there. */
    public void runUntil(long timeNs) {
        while (events.nextTimeNs() <= timeNs) {
            step();
        }
        nowNs = Math.max(nowNs, timeNs);
    }

    /** One event. False when there is none. */
    public boolean step() {
        if (events.isEmpty()) {
            return false;
        }
        nowNs = Math.max(nowNs, events.nextTimeNs());
        long event = events.poll();
        eventCount++;
        int arg = (int) event;
        switch ((int) (event >>> 32)) {
            case ARRIVE -> arrive(arg);
            case RUN -> run(hosts[arg]);
            default -> actions[arg].run();
        }
        return true;
    }

    void wake(SimHost host, long atNs) {
        long when = Math.max(Math.max(atNs, nowNs), host.stalledUntilNs);
        if (when < host.runAtNs) {
            host.runAtNs = when;
            events.add(when, event(RUN, host.index));
        }
    }

    void send(SimHost from, int frame, int target, int plane, int sourcePort, int bytes) {
        if (bytes > mtuBytes - 28) {
            throw new IllegalArgumentException("frame of " + bytes + " bytes on a link of MTU " + mtuBytes);
        }
        frames.length[frame] = bytes;
        frames.source[frame] = from.index;
        frames.target[frame] = target;
        frames.plane[frame] = plane;
        frames.sourcePlane[frame] = plane;
        frames.sourcePort[frame] = sourcePort;
        frames.targetPort[frame] = UDP_PORT;
        frames.congested[frame] = false;
        frames.hop[frame] = 0;
        int entropy = mix(from.index * 31 + target, sourcePort);
        frames.hops[frame] =
                topology.route(from.index, target, plane, entropy, random, frames.route, frame * Frames.MAX_HOPS);
        forward(frame);
    }

    private static int mix(int pair, int port) {
        long x = (pair * 0x9E3779B97F4A7C15L) ^ (port * 0xC2B2AE3D27D4EB4FL);
        x ^= x >>> 29;
        x *= 0xBF58476D1CE4E5B9L;
        return (int) (x >>> 32);
    }

    /** Into the queue of the frame's next port, or away. */
    private void forward(int frame) {
        int hop = frames.hop[frame];
        if (hop >= frames.hops[frame]) {
            deliver(frame);
            return;
        }
        SimPort port = topology.port(frames.route[frame * Frames.MAX_HOPS + hop]);
        if (port.isDown()
                || port.swallows(frames.sourcePort[frame])
                || !port.fits(nowNs, frames.length[frame])
                || chance(port.lossProbability())) {
            port.countDrop();
            frames.give(frame);
            return;
        }
        if (port.marks(nowNs) || chance(port.markProbability())) {
            frames.congested[frame] = true;
            port.countMark();
        }
        frames.hop[frame] = hop + 1;
        if (chance(port.corruptProbability()) && !corrupt(frame)) {
            port.countDrop();
            frames.give(frame);
            return;
        }
        long arrivesNs = port.send(nowNs, frames.length[frame]);
        if (chance(port.duplicateProbability())) {
            events.add(arrivesNs + random.nextLong(20_000), event(ARRIVE, frames.copy(frame)));
        }
        if (chance(port.reorderProbability())) {
            arrivesNs += random.nextLong(1 + port.reorderNs());
        }
        events.add(arrivesNs, event(ARRIVE, frame));
    }

    private boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** Flips a bit of the first 20 bytes; elsewhere the UDP checksum would have caught it: false. */
    private boolean corrupt(int frame) {
        int at = random.nextInt(frames.length[frame]);
        if (at >= 20) {
            return false;
        }
        long where = frames.address[frame] + at;
        Mem.putByte(where, (byte) (Mem.getByte(where) ^ 1 << random.nextInt(8)));
        return true;
    }

    private void arrive(int frame) {
        if (frames.hop[frame] < frames.hops[frame]) {
            forward(frame);
        } else {
            deliver(frame);
        }
    }

    private void deliver(int frame) {
        SimHost host = hosts[frames.target[frame]];
        if (host.station == null) {
            frames.give(frame);
        } else if (!host.receive(frame, inboxLimit)) {
            inboxDrops++;
            frames.give(frame);
        } else {
            delivered++;
            wake(host, nowNs + hostDelayNs);
        }
    }

    private void run(SimHost host) {
        if (host.runAtNs > nowNs) {
            return; // an earlier run has replaced this one
        }
        host.runAtNs = Long.MAX_VALUE;
        SimHost.Station station = host.station;
        if (station == null) {
            host.dropInbox(host.inboxCount, frames);
            return;
        }
        if (host.stalledUntilNs > nowNs) {
            wake(host, host.stalledUntilNs);
            return;
        }
        do {
            int n = host.takeInbox(batch, frames);
            if (n > 0) {
                station.onFrames(batch, nowNs);
                host.dropInbox(n, frames);
            }
            station.onTime(nowNs);
            host.blocked = false;
            station.transmit(host, nowNs);
        } while (host.inboxCount > 0 || (station.application(nowNs) && !host.blocked));
        long deadlineNs = station.nextDeadlineNs();
        boolean waitsForNic = host.blocked && deadlineNs <= nowNs; // called again when it has drained
        if (deadlineNs < Long.MAX_VALUE && !waitsForNic) {
            wake(host, deadlineNs);
        }
    }

    private static long event(int type, int arg) {
        return (long) type << 32 | (arg & 0xffffffffL);
    }

    /** Events handled since the start. */
    public long eventCount() {
        return eventCount;
    }

    public long delivered() {
        return delivered;
    }

    /** Frames that found a host's inbox full. */
    public long inboxDrops() {
        return inboxDrops;
    }

    /** Frames somewhere in the network or in an inbox. */
    public int inFlight() {
        return frames.outstanding();
    }

    @Override
    public void close() {
        frames.close();
    }
}
