package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.conn.FakeStreams.Packet;
import io.metaroce.provider.engine.conn.TestNet.Flight;
import io.metaroce.provider.engine.conn.TestNet.Node;
import io.metaroce.wire.FrameType;

/** Two nodes and an open connection between them, on which 64 packets have gone over so that every path has an RTT. */
class LivePair {
    static final long MS = TestNet.MS;
    static final int S = FakeStreams.STREAM;

    final TestNet net = new TestNet();
    final FakeStreams aStreams = new FakeStreams();
    final FakeStreams bStreams = new FakeStreams();
    final Node a;
    final Node b;
    final int conn;

    /** Packets handed to the connection so far. */
    int sent = 64;

    LivePair() {
        this(1);
    }

    LivePair(int planes) {
        this(planes, 4);
    }

    LivePair(int planes, int pathsPerPlane) {
        net.pathsPerPlane = pathsPerPlane;
        a = net.node(1, 0x11, planes, aStreams);
        b = net.node(2, 0x22, planes, bStreams);
        conn = a.attach(b);
        net.run(MS);
        assertTrue(a.engine.isOpen(conn));
        aStreams.send(conn, S, 64);
        net.run(MS);
        assertEquals(64, bStreams.delivered.size());
        net.sent.clear();
        bStreams.order.clear();
    }

    /** Steady traffic: so many packets each millisecond. */
    final void traffic(long ms, int packets) {
        for (long i = 0; i < ms; i++) {
            aStreams.send(conn, S, packets);
            sent += packets;
            net.run(MS);
        }
    }

    final void assertAllDelivered(int packets, String what) {
        for (int spsn = 0; spsn < packets; spsn++) {
            assertTrue(bStreams.delivered.containsKey(new Packet(S, spsn)), what + ": " + spsn + " is missing");
            assertEquals(1, aStreams.cleared.get(new Packet(S, spsn)), what + ": cleared once, " + spsn);
        }
    }

    final Connection c() {
        return a.connection(conn);
    }

    static boolean isData(Flight f) {
        return f.type() == FrameType.DATA;
    }
}
