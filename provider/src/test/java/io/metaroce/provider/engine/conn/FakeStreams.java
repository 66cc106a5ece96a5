package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.ConnectionLayer;
import io.metaroce.provider.engine.Record;
import io.metaroce.provider.engine.StreamLayer;
import io.metaroce.wire.CtlHeader;
import io.metaroce.wire.CtlKind;
import io.metaroce.wire.DataLayout;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.QueryBody;
import io.metaroce.wire.StreamBlock;
import io.metaroce.wire.StreamFlag;
import io.metaroce.wire.StreamHeader;
import io.metaroce.wire.WriteExt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** A stream layer that sends one-packet Writes on demand and keeps count of everything it is told. */
final class FakeStreams implements StreamLayer {
    static final int STREAM = 5;

    /** A packet as the receiver knows it: stream and SPSN. */
    record Packet(int stream, int spsn) {}

    final Map<Packet, Integer> delivered = new HashMap<>();
    final List<Packet> order = new ArrayList<>();
    final Map<Packet, Integer> cleared = new HashMap<>();
    final Map<Packet, Integer> built = new HashMap<>();
    final Set<Packet> finished = new HashSet<>();
    final List<String> gone = new ArrayList<>();
    final List<Integer> opened = new ArrayList<>();
    final List<int[]> blocksHeard = new ArrayList<>(); // cum SPSN, ackSeq, cleared so far
    final ArrayDeque<Integer> blocksToTell = new ArrayDeque<>(); // cum SPSN
    final List<Integer> controlHeard = new ArrayList<>();
    int payloadBytes = 1000;
    int controlDue;
    int controlSent;
    int controlCleared;
    /** Which stream's data is refused for want of a resource. */
    IntPredicate refuse = stream -> false;

    /** Payloads may be anything. */
    boolean lenient;

    private final Map<Integer, Integer> toSend = new HashMap<>();
    private final Map<Integer, Integer> nextSpsn = new HashMap<>();
    private @Nullable ConnectionLayer connections;

    void connect(ConnectionLayer layer) {
        connections = layer;
    }

    ConnectionLayer connections() {
        ConnectionLayer layer = connections;
        if (layer == null) {
            throw new IllegalStateException("not connected");
        }
        return layer;
    }

    void send(int conn, int stream, int packets) {
        toSend.merge(stream, packets, Integer::sum);
        connections().wantTransmit(conn, stream);
    }

    void sendControl(int conn, int packets) {
        controlDue += packets;
        connections().wantCtl(conn);
    }

    int unsent() {
        return toSend.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Override
    public boolean onData(int conn, long streamHeader, int bytes, long nowNs) {
        int stream = StreamHeader.qpn(streamHeader);
        if (refuse.test(stream)) {
            return false;
        }
        Packet packet = new Packet(stream, StreamHeader.spsn(streamHeader));
        delivered.merge(packet, 1, Integer::sum);
        order.add(packet);
        int payload = bytes - DataLayout.headersLength(streamHeader);
        long at = streamHeader + DataLayout.headersLength(streamHeader);
        for (int i = 0; i < payload && !lenient; i++) {
            if (Mem.getUnsignedByte(at + i) != (packet.spsn & 0xff)) {
                throw new AssertionError("payload of " + packet + " differs at " + i);
            }
        }
        return true;
    }

    @Override
    public boolean onStreamCtl(int conn, long body, int bytes, long nowNs) {
        controlHeard.add(QueryBody.qpn(body + CtlHeader.LENGTH));
        return true;
    }

    @Override
    public void onBlock(int conn, long block, int ackSeq, long nowNs) {
        blocksHeard.add(new int[] {StreamBlock.cumSpsn(block), ackSeq, cleared.size()});
    }

    @Override
    public int nextFrame(int conn, int stream, long out, int room, Record record, long nowNs) {
        int left = toSend.getOrDefault(stream, 0);
        if (left == 0) {
            return 0;
        }
        toSend.put(stream, left - 1);
        record.type = FrameType.DATA;
        record.stream = stream;
        record.life = 3;
        record.space = 0;
        record.spsn = nextSpsn.merge(stream, 1, Integer::sum) - 1;
        record.segments = 1;
        record.ref = record.spsn * 10;
        return write(record, out, room);
    }

    private int write(Record record, long out, int room) {
        StreamHeader.put(out, record.stream, Opcode.WRITE, 0, record.spsn, record.spsn, StreamFlag.LAST, 0);
        WriteExt.put(out + StreamHeader.LENGTH, 0x1000, 7, payloadBytes);
        int headers = DataLayout.headersLength(out);
        if (headers + payloadBytes > room) {
            throw new AssertionError("no room");
        }
        Mem.fill(out + headers, payloadBytes, record.spsn);
        built.merge(new Packet(record.stream, record.spsn), 1, Integer::sum);
        return headers + payloadBytes;
    }

    @Override
    public int rebuild(int conn, Record record, long out, int room, long nowNs) {
        if (record.type == FrameType.STREAM_CTL) {
            return writeControl(record.spsn, out);
        }
        if (record.life != 3 || record.ref != record.spsn * 10 || record.segments != 1) {
            throw new AssertionError("the record came back changed");
        }
        return finished.contains(new Packet(record.stream, record.spsn)) ? 0 : write(record, out, room);
    }

    @Override
    public int nextCtl(int conn, long out, int room, Record record, long nowNs) {
        if (controlDue == 0) {
            return 0;
        }
        controlDue--;
        record.type = FrameType.STREAM_CTL;
        record.stream = 0;
        record.life = 0;
        record.space = 0;
        record.spsn = controlSent++;
        record.segments = 1;
        record.ref = 0;
        return writeControl(record.spsn, out);
    }

    private static int writeControl(int number, long out) {
        CtlHeader.put(out, CtlKind.QUERY, 0);
        QueryBody.put(out + CtlHeader.LENGTH, number, 0, 0, 1, 0);
        return CtlHeader.LENGTH + QueryBody.LENGTH;
    }

    @Override
    public void onCleared(int conn, Record record, int ackSeq, long nowNs) {
        if (record.type == FrameType.STREAM_CTL) {
            controlCleared++;
        } else {
            cleared.merge(new Packet(record.stream, record.spsn), 1, Integer::sum);
        }
    }

    @Override
    public int blocks(int conn, long out, int max, long nowNs) {
        int n = 0;
        while (n < max && !blocksToTell.isEmpty()) {
            StreamBlock.put(out + (long) n * StreamBlock.LENGTH, 9, 0, 0, 0, 0, 0, 0, blocksToTell.remove());
            n++;
        }
        return n;
    }

    @Override
    public boolean blocksDue(int conn) {
        return !blocksToTell.isEmpty();
    }

    @Override
    public void onOpen(int conn, long nowNs) {
        opened.add(conn);
    }

    @Override
    public void onPeerGone(int conn, int status, String why, long nowNs) {
        gone.add(status + " " + why);
    }

    @Override
    public void onTime(long nowNs) {}

    @Override
    public long nextDeadlineNs() {
        return Long.MAX_VALUE;
    }
}
