package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.Engine;
import io.metaroce.provider.engine.EngineConfig;
import io.metaroce.provider.engine.QpControl;
import io.metaroce.provider.engine.StreamLayer;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.Regions;
import io.metaroce.provider.port.Routes;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.port.TxBatch;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.Mem;
import io.metaroce.wire.MetaRoce;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A few nodes, virtual time, and a network that a test can look into and cut: every frame in flight is an object. Subnet k reaches plane k only. */
final class TestNet {
    static final long MS = 1_000_000L;
    private static final int SLOT = 4608;

    /** One frame under way. */
    static final class Flight {
        final byte[] bytes;
        final Node from;
        final int plane;
        final long toLo;
        final int sourcePort;
        final int toPort;
        final long sentNs;
        long arrivesNs;
        int ecn = 2;
        final long number;

        Flight(byte[] bytes, Node from, int plane, long toLo, int sourcePort, int toPort, long sentNs, long number) {
            this.bytes = bytes;
            this.from = from;
            this.plane = plane;
            this.toLo = toLo;
            this.sourcePort = sourcePort;
            this.toPort = toPort;
            this.sentNs = sentNs;
            this.number = number;
        }

        int type() {
            return bytes[0] & 0xf;
        }

        int flags() {
            return bytes[1] & 0xff;
        }

        int path() {
            return bytes[2] & 0xff;
        }

        int psn() {
            return word(8);
        }

        int txOrder() {
            return word(12);
        }

        int attempt() {
            return (bytes[19] & 0xff) >>> 4;
        }

        int word(int at) {
            return (bytes[at] & 0xff) << 24
                    | (bytes[at + 1] & 0xff) << 16
                    | (bytes[at + 2] & 0xff) << 8
                    | (bytes[at + 3] & 0xff);
        }
    }

    long nowNs;
    long delayNs = 10_000;
    int maxPayload = 1472;
    /** Of nodes made from now on: tests count them. */
    int pathsPerPlane = 4;
    /** Judges every frame when it is sent: true drops it. May also change it. */
    Predicate<Flight> drop = f -> false;

    final List<Flight> sent = new ArrayList<>();
    final List<Node> nodes = new ArrayList<>();
    private final PriorityQueue<Flight> flights = new PriorityQueue<>(
            Comparator.<Flight>comparingLong(f -> f.arrivesNs).thenComparingLong(f -> f.number));
    private long number;

    private EngineConfig config(long bootNonce, int host) {
        return EngineConfig.of(bootNonce, bootNonce * 31 + host, host).withPathsPerPlane(pathsPerPlane);
    }

    /** A new node; its address on plane k is 10.k.0.{@code host}. */
    Node node(int host, long bootNonce, int planes, StreamLayer streams) {
        Node node = new Node(host, config(bootNonce, host), planes, streams);
        nodes.add(node);
        return node;
    }

    /** A node with the real stream layer. */
    Node verbs(int host, long bootNonce, int planes, Regions regions, Completions completions) {
        EngineConfig config = config(bootNonce, host);
        Node node = new Node(host, config, planes, regions, completions);
        nodes.add(node);
        return node;
    }

    static long address(int plane, int host) {
        return 0xffff_0a00_0000L | (long) plane << 16 | host;
    }

    /** Puts a frame on the wire as if a node had sent it now. */
    Flight inject(byte[] bytes, Node as, int plane, Node to, int sourcePort) {
        Flight flight = new Flight(
                bytes, as, plane, address(plane, to.host), sourcePort, MetaRoce.port(to.host), nowNs, number++);
        flight.arrivesNs = nowNs + delayNs;
        flights.add(flight);
        return flight;
    }

    /** Runs until nothing is under way and no timer is due within {@code quietNs}, at most {@code ns}. */
    void run(long ns) {
        runUntil(() -> false, ns);
    }

    /** Runs until the condition holds (true) or the time is over (false). */
    boolean runUntil(BooleanSupplier done, long ns) {
        long endNs = nowNs + ns;
        for (int steps = 0; ; steps++) {
            if (steps > 5_000_000) {
                throw new AssertionError("no end");
            }
            for (Node node : nodes) {
                node.cycle();
            }
            if (done.getAsBoolean()) {
                return true;
            }
            long nextNs = flights.isEmpty() ? Long.MAX_VALUE : flights.peek().arrivesNs;
            for (Node node : nodes) {
                if (!node.asleep) {
                    nextNs = Math.min(nextNs, node.deadlineNs());
                }
            }
            if (nextNs > endNs) {
                nowNs = endNs;
                return false;
            }
            nowNs = Math.max(nowNs, nextNs);
            while (!flights.isEmpty() && flights.peek().arrivesNs <= nowNs) {
                deliver(flights.remove());
            }
        }
    }

    private void deliver(Flight flight) {
        for (Node node : nodes) {
            if (node.dead || MetaRoce.port(node.host) != flight.toPort) {
                continue;
            }
            for (int plane = 0; plane < node.planes; plane++) {
                if (address(plane, node.host) == flight.toLo) {
                    node.inbox.add(flight);
                    return;
                }
            }
        }
    }

    /** One process: engine, routes, batches. */
    final class Node implements Routes, Events, TxBatch {
        final int host;
        final int planes;
        final Connections engine;
        final @Nullable StreamLayer streams;
        final @Nullable Engine facade;
        final Counters counters = new Counters();
        final List<String> log = new ArrayList<>();
        final List<Flight> inbox = new ArrayList<>();
        /** Does nothing while true: a process that is not scheduled. */
        boolean asleep;
        /** Receives nothing while true. */
        boolean dead;

        int batch = 256;
        int inUse;
        private final long[] addresses = new long[64];
        private final RxBatch rx = new RxBatch();
        private final long buffer = Mem.alloc(65_536);
        private final long rxBuffer = Mem.alloc(RxBatch.CAPACITY * SLOT);
        private final Map<String, Integer> handles = new HashMap<>();
        private final List<long[]> targets = new ArrayList<>();
        private int committed;

        Node(int host, EngineConfig config, int planes, StreamLayer streams) {
            this.host = host;
            this.planes = planes;
            this.streams = streams;
            for (int i = 0; i < planes; i++) {
                addresses[i] = address(i, host);
            }
            facade = null;
            engine = new Connections(config, this, streams, this, counters);
            if (streams instanceof FakeStreams fake) {
                fake.connect(engine);
            }
        }

        /** With the real stream layer. */
        Node(int host, EngineConfig config, int planes, Regions regions, Completions completions) {
            this.host = host;
            this.planes = planes;
            for (int i = 0; i < planes; i++) {
                addresses[i] = address(i, host);
            }
            facade = new Engine(config, this, regions, completions, this, counters);
            engine = facade.connections();
            streams = null;
        }

        QpControl control() {
            return Objects.requireNonNull(facade).control();
        }

        int attach(Node peer) {
            return engine.attach(0, address(0, peer.host), peer.host, nowNs);
        }

        Connection connection(int conn) {
            Connection c = engine.connection(conn);
            if (c == null) {
                throw new AssertionError("no connection " + conn);
            }
            return c;
        }

        /** The only open connection. */
        Connection open() {
            Connection found = null;
            for (int i = 0; i < engine.end(); i++) {
                Connection c = engine.connection(i);
                if (c != null && c.isOpen()) {
                    if (found != null) {
                        throw new AssertionError("two open connections");
                    }
                    found = c;
                }
            }
            if (found == null) {
                throw new AssertionError("no open connection: " + log);
            }
            return found;
        }

        long count(Counter counter) {
            return counters.get(counter);
        }

        long deadlineNs() {
            long nextNs = facade != null ? facade.nextDeadlineNs() : engine.nextDeadlineNs();
            return engine.transmitDue() ? nowNs : nextNs;
        }

        void cycle() {
            if (asleep) {
                return;
            }
            while (!inbox.isEmpty()) {
                rx.clear();
                int n = Math.min(inbox.size(), RxBatch.CAPACITY);
                for (int i = 0; i < n; i++) {
                    Flight f = inbox.get(i);
                    long at = rxBuffer + i * (long) SLOT;
                    Mem.copy(f.bytes, 0, at, f.bytes.length);
                    int plane = (int) (f.toLo >>> 16 & 0xff);
                    rx.add(at, f.bytes.length, plane, f.ecn, 0, address(plane, f.from.host), f.sourcePort);
                }
                inbox.subList(0, n).clear();
                engine.onFrames(rx, nowNs);
            }
            if (facade != null) {
                facade.onTime(nowNs);
            } else {
                engine.onTime(nowNs);
            }
            do {
                committed = 0;
                engine.transmit(this, nowNs);
            } while (engine.transmitDue());
        }

        @Override
        public void qpEvent(int qp, int eventType) {}

        @Override
        public void log(String line) {
            log.add(line);
        }

        @Override
        public int planes() {
            return planes;
        }

        @Override
        public long planeHi(int plane) {
            return 0;
        }

        @Override
        public long planeLo(int plane) {
            return addresses[plane];
        }

        @Override
        public int planeMbps(int plane) {
            return 0; // not known: no hints, so a connection that was idle keeps its window
        }

        @Override
        public int localPort() {
            return MetaRoce.port(host);
        }

        @Override
        public int destination(int plane, long hi, long lo, int port) {
            if (hi != 0 || (lo >>> 16 & 0xff) != plane) {
                return -1;
            }
            inUse++;
            return handles.computeIfAbsent(lo + ":" + port, k -> {
                targets.add(new long[] {plane, lo, port});
                return targets.size() - 1;
            });
        }

        @Override
        public void release(int destination) {
            inUse--;
        }

        @Override
        public int maxPayload(int destination) {
            return maxPayload;
        }

        @Override
        public long begin(int destination) {
            return committed >= batch ? 0 : buffer;
        }

        @Override
        public void commit(int destination, int sourcePort, int bytes) {
            committed++;
            byte[] copy = new byte[bytes];
            Mem.copy(buffer, copy, 0, bytes);
            long[] to = targets.get(destination);
            Flight f = new Flight(copy, this, (int) to[0], to[1], sourcePort, (int) to[2], nowNs, number++);
            f.arrivesNs = nowNs + delayNs;
            sent.add(f);
            if (!drop.test(f)) {
                flights.add(f);
            }
        }
    }

    /** Frames sent by a node (any when null) of a type. */
    List<Flight> sent(@Nullable Node by, int type) {
        List<Flight> found = new ArrayList<>();
        for (Flight f : sent) {
            if ((by == null || f.from == by) && f.type() == type) {
                found.add(f);
            }
        }
        return found;
    }

    static int commonHeader() {
        return CommonHeader.LENGTH;
    }
}
