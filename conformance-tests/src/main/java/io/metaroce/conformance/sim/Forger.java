package io.metaroce.conformance.sim;

import io.metaroce.provider.engine.conn.Connection;
import io.metaroce.provider.engine.conn.Connections;
import io.metaroce.provider.engine.path.PathReceiver;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.wire.CloseBody;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.FrameReader;
import io.metaroce.wire.FrameTag;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.MetaRoce;
import io.metaroce.wire.OpenAckTail;
import io.metaroce.wire.TrailerLevel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Sends forged frames to the processes of a world between the frames of their honest traffic, and judges each: accepted is a frame that passes every check of an open
 * connection, or changes which connections are open. Frames of the past and of old epochs carry the right tag (the key is read from the OPEN_ACK), so that what refuses
 * them is the boot nonce, the connection id and the epoch.
 */
public final class Forger implements AutoCloseable {
    /** What a frame pretends to be. */
    public enum Kind {
        /** An honest frame with another tag. */
        WRONG_TAG,
        /** An honest packet with an earlier epoch, under the right key. */
        OLD_EPOCH,
        /** Frames of the process that was there before, and a CLOSE with its nonce under the right key. */
        OLD_BOOT,
        /** Random bytes, half of them behind the right connection id. */
        RANDOM,
        /** An honest frame that came before, 1 to 8 of its bits flipped. */
        FLIPPED
    }

    private static final int KEPT = 256;
    private static final int FRAME_BYTES = 16_384;
    private static final int PER_BATCH = 64;
    private static final Counter[] DROPS = {
        Counter.RX_MALFORMED,
        Counter.RX_BAD_TAG,
        Counter.RX_STALE,
        Counter.RX_DUPLICATE,
        Counter.RX_NO_RESOURCE,
        Counter.RX_UNKNOWN_CONNECTION,
        Counter.RX_BAD_COOKIE
    };

    private static final class Captured {
        final byte[] bytes;
        final int plane;
        final long source;
        final int sourcePort;

        Captured(byte[] bytes, int plane, long source, int sourcePort) {
            this.bytes = bytes;
            this.plane = plane;
            this.source = source;
            this.sourcePort = sourcePort;
        }
    }

    private record Key(long high, long low) {}

    private final SplittableRandom random;
    private final long wanted;
    private final boolean cheats;
    private final long room = Mem.alloc(FRAME_BYTES);
    private final RxBatch batch = new RxBatch();
    private final IdentityHashMap<SimNode, List<Captured>> present = new IdentityHashMap<>();
    private final IdentityHashMap<SimNode, List<Captured>> past = new IdentityHashMap<>();
    private final Set<Integer> bygone = new HashSet<>();
    private final Map<Kind, Long> sent = new EnumMap<>(Kind.class);
    private @Nullable Key key;
    private long total;
    private long accepted;
    private String firstAccepted = "";
    private int captures;

    /**
     * A forger.
     *
     * @param wanted frames it sends
     * @param cheats whether PROBEs under the right key take the place of frames with flipped bits: the proof that the judge can find one accepted
     */
    public Forger(long seed, long wanted, boolean cheats) {
        random = new SplittableRandom(seed);
        this.wanted = wanted;
        this.cheats = cheats;
    }

    /** Keeps what a process has received and taken. */
    void capture(SimNode node, RxBatch received) {
        for (int i = 0; i < received.count(); i++) {
            long frame = received.address(i);
            int type = CommonHeader.type(frame);
            if (type == FrameType.OPEN_ACK) {
                long tail = frame + OpenAckTail.OFFSET;
                key = new Key(OpenAckTail.keyHigh(tail), OpenAckTail.keyLow(tail));
            }
            if (type < FrameType.INIT && captures++ % 4 != 0) {
                continue;
            }
            byte[] bytes = new byte[received.length(i)];
            Mem.copy(frame, bytes, 0, bytes.length);
            Captured c = new Captured(bytes, received.plane(i), received.sourceLo(i), received.sourcePort(i));
            List<Captured> kept = present.computeIfAbsent(node, n -> new ArrayList<>());
            if (kept.size() < KEPT) {
                kept.add(c);
            } else {
                kept.set(random.nextInt(KEPT), c);
            }
        }
    }

    /** A process goes on, or another one takes its place: what was captured so far is of the past. */
    void onNextLife(SimNode before, SimNode after) {
        List<Captured> frames = present.remove(before);
        if (frames != null) {
            past.put(after, frames);
        }
        Connection connection = open(before);
        if (connection != null) {
            bygone.add(connection.localId());
        }
    }

    /** Sends some frames to a process that is about to go on: a quarter of them before the other process is replaced, the others after it. */
    void attack(SimNode node, long nowNs) {
        List<Captured> honest = present.get(node);
        Connection connection = open(node);
        if (honest == null || connection == null || bygone.contains(connection.localId())) {
            return; // the peer is dead and this process does not know it yet: what is of the past is of its present
        }
        for (int i = 0; i < PER_BATCH && total < (past.isEmpty() ? wanted / 4 : wanted); i++) {
            Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
            int bytes = make(kind, node, honest);
            if (bytes < 0) {
                continue;
            }
            total++;
            sent.merge(kind, 1L, Long::sum);
            deliver(node, kind, bytes, nowNs);
        }
    }

    // ---- making ----

    private int plane;
    private long source;
    private int sourcePort;

    private int make(Kind kind, SimNode node, List<Captured> honest) {
        Captured c = honest.get(random.nextInt(honest.size()));
        from(c);
        return switch (kind) {
            case WRONG_TAG -> wrongTag(c);
            case OLD_EPOCH -> oldEpoch(node, c);
            case OLD_BOOT -> oldBoot(node);
            case RANDOM -> randomBytes(node);
            case FLIPPED -> flipped(node, c);
        };
    }

    private void from(Captured c) {
        plane = c.plane;
        source = c.source;
        sourcePort = c.sourcePort;
    }

    private int write(Captured c) {
        Mem.copy(c.bytes, 0, room, c.bytes.length);
        return c.bytes.length;
    }

    private int wrongTag(Captured c) {
        int bytes = write(c);
        if (CommonHeader.level(room) != TrailerLevel.TAG) {
            return -1;
        }
        int right = FrameTag.get(room + bytes - FrameTag.LENGTH);
        int wrong = random.nextInt();
        FrameTag.put(room + bytes - FrameTag.LENGTH, wrong == right ? ~right : wrong);
        return bytes;
    }

    private int oldEpoch(SimNode node, Captured c) {
        int type = CommonHeader.type(room(c));
        Connection connection = open(node);
        Key known = key;
        if (type > FrameType.PATH_CTL || type == FrameType.ACK || connection == null || known == null) {
            return -1;
        }
        PathReceiver receiver = connection.receiver(CommonHeader.path(room));
        if (receiver == null) {
            return -1;
        }
        CommonHeader.epoch(room, receiver.epoch() - 1 - random.nextInt(100) & 0xff);
        CommonHeader.connectionId(room, connection.localId());
        CommonHeader.psn(room, random.nextInt(300));
        return seal(c.bytes.length, known);
    }

    private long room(Captured c) {
        write(c);
        return room;
    }

    private int oldBoot(SimNode node) {
        List<Captured> frames = past.get(node);
        if (frames == null) {
            return -1;
        }
        Connection connection = open(node);
        Key known = key;
        if (connection != null && known != null && random.nextInt(8) == 0) {
            int headers = CloseBody.OFFSET + CloseBody.LENGTH;
            Mem.fill(room, headers, 0);
            int to = connection.localId();
            CommonHeader.put(room, FrameType.CLOSE, 0, 0, 0, to, 0, 0, 0, 0, TrailerLevel.TAG);
            CloseBody.bootNonce(room + CloseBody.OFFSET, 1 + (random.nextLong() >>> 1));
            FrameTag.seal(room, headers, 0, known.high, known.low);
            return headers + FrameTag.LENGTH;
        }
        Captured c = frames.get(random.nextInt(frames.size()));
        from(c);
        return write(c);
    }

    private int randomBytes(SimNode node) {
        int bytes = 1 + random.nextInt(1472);
        for (int i = 0; i < bytes; i += Long.BYTES) {
            Mem.putLong(room + i, random.nextLong());
        }
        Connection connection = open(node);
        if (connection != null && random.nextBoolean()) {
            CommonHeader.version(room, MetaRoce.VERSION);
            CommonHeader.type(room, random.nextInt(6));
            CommonHeader.flags(room, random.nextInt(16) << 4);
            CommonHeader.connectionId(room, connection.localId());
            CommonHeader.path(room, random.nextInt(4));
            CommonHeader.epoch(room, 0);
            CommonHeader.level(room, TrailerLevel.TAG);
        }
        return bytes;
    }

    private int flipped(SimNode node, Captured c) {
        int bytes = write(c);
        int flips = 1 + random.nextInt(8);
        for (int i = 0; i < flips; i++) {
            // half of them in the first bytes, where the headers are
            int at = random.nextInt(random.nextBoolean() ? Math.min(bytes, 48) : bytes);
            Mem.putByte(room + at, (byte) (Mem.getByte(room + at) ^ 1 << random.nextInt(8)));
        }
        Key known = key;
        if (cheats && known != null) {
            return probe(node, c, known);
        }
        for (int i = 0; i < bytes; i++) {
            if (Mem.getByte(room + i) != c.bytes[i]) {
                return bytes;
            }
        }
        return -1; // the flips took each other back
    }

    /** A PROBE that no honest process sent, in place of the honest frame {@code c}. */
    private int probe(SimNode node, Captured c, Key with) {
        Connection connection = open(node);
        if (connection == null || CommonHeader.type(room(c)) != FrameType.DATA) {
            return -1;
        }
        int path = CommonHeader.path(room);
        CommonHeader.put(room, FrameType.PROBE, 0, path, 0, connection.localId(), 0, 0, 0, 0, TrailerLevel.TAG);
        FrameTag.seal(room, CommonHeader.LENGTH, 0, with.high, with.low);
        return CommonHeader.LENGTH + FrameTag.LENGTH;
    }

    private int seal(int bytes, Key with) {
        long read = FrameReader.read(room, bytes);
        if (read < 0 || FrameReader.level(read) != TrailerLevel.TAG) {
            return -1;
        }
        FrameTag.seal(room, FrameReader.headerLength(read), FrameReader.payloadLength(read), with.high, with.low);
        return bytes;
    }

    private static @Nullable Connection open(SimNode node) {
        Connections all = node.engine().connections();
        for (int i = 0; i < all.end(); i++) {
            Connection c = all.connection(i);
            if (c != null && c.isOpen()) {
                return c;
            }
        }
        return null;
    }

    // ---- judging ----

    private void deliver(SimNode node, Kind kind, int bytes, long nowNs) {
        Counters counters = node.counters();
        long dropsBefore = drops(counters);
        long openBefore = fingerprint(node);
        batch.clear();
        batch.add(room, bytes, plane, 2, 0, source, sourcePort);
        node.handleForged(batch, nowNs);
        boolean handshake = bytes > 0 && (Mem.getByte(room) & 15) >= FrameType.INIT;
        boolean dropped = drops(counters) > dropsBefore || handshake;
        if (!dropped || fingerprint(node) != openBefore) {
            if (accepted++ == 0) {
                firstAccepted = String.format(
                        Locale.ROOT, "%s frame %d to %s at %d ns: %s", kind, total, node, nowNs, Trace.describe(room));
            }
        }
    }

    private static long drops(Counters counters) {
        long sum = 0;
        for (Counter drop : DROPS) {
            sum += counters.get(drop);
        }
        return sum;
    }

    private static long fingerprint(SimNode node) {
        Connections all = node.engine().connections();
        long print = node.counters().get(Counter.CONNECTIONS_OPENED) * 31 + all.end();
        for (int i = 0; i < all.end(); i++) {
            Connection c = all.connection(i);
            print = print * 31 + (c == null ? 0 : c.localId() ^ (c.isOpen() ? 1 : 2) ^ (long) c.peerId() << 32);
        }
        return print;
    }

    /** Frames sent so far. */
    public long total() {
        return total;
    }

    /** Frames that a process took for honest ones. */
    public long accepted() {
        return accepted;
    }

    /** The first of them; empty if there is none. */
    public String firstAccepted() {
        return firstAccepted;
    }

    /** Frames sent of one kind. */
    public long sent(Kind kind) {
        return sent.getOrDefault(kind, 0L);
    }

    @Override
    public void close() {
        Mem.free(room);
    }
}
