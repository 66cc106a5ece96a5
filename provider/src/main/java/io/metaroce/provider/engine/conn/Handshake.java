package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.path.RttEstimator;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.KeyedHash;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.wire.AckHeader;
import io.metaroce.wire.CloseBody;
import io.metaroce.wire.CloseReason;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.Feature;
import io.metaroce.wire.FrameTag;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.HandshakeBody;
import io.metaroce.wire.InitAckBody;
import io.metaroce.wire.Mem;
import io.metaroce.wire.MetaRoce;
import io.metaroce.wire.OpenAckTail;
import io.metaroce.wire.OpenTail;
import io.metaroce.wire.ResetBody;
import io.metaroce.wire.ResetReason;
import io.metaroce.wire.TrailerLevel;
import org.jspecify.annotations.Nullable;

/**
 * Opening, checking and closing of connections (protocol section 10): INIT, INIT_ACK with a stateless cookie, OPEN, OPEN_ACK; RESET, which is never trusted but makes
 * us ask; CLOSE.
 *
 * <p>Who opens when both sides start: the INIT of the lower boot nonce wins. The other side answers it and gives up its own when the OPEN comes.
 */
final class Handshake {
    private static final long FIRST_RETRY_NS = 20_000_000L;
    private static final long LONGEST_RETRY_NS = 500_000_000L;
    private static final long EARLY_RETRY_NS = 1_000_000L;
    private static final int OPENS_PER_COOKIE = 4;
    private static final int LARGE_OPENS = 3;
    private static final int VERIFY_ATTEMPTS = 6;
    private static final long VERIFY_PAUSE_NS = 100_000_000L;
    /** How long the id of a closed connection is kept aside: longer than any cookie lives. */
    static final long QUARANTINE_NS = Cookie.LIFE_NS + 1_000_000_000L;

    /** A connection that no stream uses and whose peer is silent is closed after this. */
    static final long IDLE_NS = 10_000_000_000L;

    /** Least UDP payload that every network must carry: an IPv6 MTU of 1280. */
    static final int LEAST_PAYLOAD_BYTES = MetaRoce.SMALL_SEGMENT_BYTES + 80;

    private static final int RETRY_EXC_ERR = 12;

    private final Context context;
    private final ConnectionTable table;
    private final PathLife pathLife;
    private final Planes local;
    private final Cookie cookie;
    private final Replies replies;
    private final Proofs proofs = new Proofs();
    private final Refusals refusals;

    Handshake(Context context, ConnectionTable table, PathLife pathLife, Planes local, Cookie cookie, Replies replies) {
        this.context = context;
        this.table = table;
        this.pathLife = pathLife;
        this.local = local;
        this.cookie = cookie;
        this.replies = replies;
        refusals = new Refusals(context, replies);
    }

    /** Those whom we do not serve. */
    Refusals refusals() {
        return refusals;
    }

    /** Both ends must have this key. */
    void require(KeyedHash presharedKey) {
        proofs.require(presharedKey);
    }

    // ---- our own opening ----

    /** A connection to a process, its INIT about to go; null when there is no way or no room. */
    @Nullable
    Connection start(long hi, long lo, int port, long nowNs) {
        boolean self = port == local.port() && local.indexOf(hi, lo) >= 0;
        int plane = self ? local.indexOf(hi, lo) : routePlane(hi, lo, port, 0);
        if (plane < 0) {
            return null;
        }
        Connection c = table.create();
        if (c == null) {
            return null;
        }
        c.remoteHi = hi;
        c.remoteLo = lo;
        c.remotePort = port;
        c.openedNs = nowNs;
        c.lastHeardNs = nowNs;
        c.idleSinceNs = nowNs;
        c.segmentBytes = MetaRoce.SMALL_SEGMENT_BYTES;
        if (self) {
            if (openSelf(c, nowNs)) {
                return c;
            }
            table.remove(c);
            return null;
        }
        handshakeFrom(c, plane);
        begin(c, Connection.Phase.INIT_SENT, nowNs);
        return c;
    }

    private boolean openSelf(Connection c, long nowNs) {
        c.self = true;
        c.peer = local;
        c.peerId = c.localId;
        c.peerNonce = context.config.bootNonce();
        c.openHigh = context.random.nextLong();
        c.openLow = context.random.nextLong();
        proofs.deriveKey(c, c.localId, c.peerNonce, c.peerId, c.peerNonce);
        c.tagged = true;
        c.maxPayload = 0xffff;
        c.onProven(0xffff);
        if (!pathLife.open(c, local, local, 0, nowNs)) {
            return false;
        }
        c.segmentBytes = segmentBytes(c.maxPayload, MetaRoce.LARGE_PACKET_BYTES);
        opened(c, nowNs);
        return true;
    }

    /** The first local plane from {@code from} on (around) that has a way to an address; -1 when none has. */
    private int routePlane(long hi, long lo, int port, int from) {
        for (int i = 0; i < local.count(); i++) {
            int plane = (from + i) % local.count();
            int destination = context.routes.destination(plane, hi, lo, port);
            if (destination >= 0) {
                boolean wide = context.routes.maxPayload(destination) >= LEAST_PAYLOAD_BYTES;
                context.routes.release(destination);
                if (wide) {
                    return plane;
                }
            }
        }
        return -1;
    }

    private void handshakeFrom(Connection c, int plane) {
        releaseHandshakeDestination(c);
        c.handshakePlane = plane;
        c.handshakeDestination = context.routes.destination(plane, c.remoteHi, c.remoteLo, c.remotePort);
    }

    private void releaseHandshakeDestination(Connection c) {
        if (c.handshakeDestination >= 0) {
            context.routes.release(c.handshakeDestination);
            c.handshakeDestination = -1;
        }
    }

    private void begin(Connection c, Connection.Phase phase, long nowNs) {
        c.phase = phase;
        c.attempts = 0;
        due(c, nowNs);
    }

    /** The frame of the current phase goes in the next transmit; the time of the one after it is set. */
    private void due(Connection c, long nowNs) {
        c.handshakeDue = true;
        c.phaseSinceNs = nowNs;
        context.timers.set(
                c.connectionTimer, nowNs + Math.min(FIRST_RETRY_NS << Math.min(c.attempts, 10), LONGEST_RETRY_NS));
        c.attempts++;
        table.enqueue(c);
    }

    /** The connection's timer: a retry, an idle connection, the end of a quarantine. */
    void onTimer(Connection c, long nowNs) {
        switch (c.state) {
            case OPENING -> retry(c, nowNs);
            case CLOSED -> {
                if (c.queued) {
                    context.timers.set(c.connectionTimer, nowNs + FIRST_RETRY_NS);
                } else {
                    table.remove(c);
                }
            }
            case OPEN -> {
                if (c.phase != Connection.Phase.NONE) {
                    retry(c, nowNs);
                } else {
                    closeIfIdle(c, nowNs);
                }
            }
        }
    }

    private void retry(Connection c, long nowNs) {
        if (c.state == Connection.State.OPENING && c.attached == 0) {
            end(c, nowNs);
            return;
        }
        if (c.state == Connection.State.OPEN && c.attempts >= VERIFY_ATTEMPTS) {
            c.phase = Connection.Phase.NONE;
            context.timers.set(c.connectionTimer, nowNs + IDLE_NS);
            return;
        }
        if (c.phase == Connection.Phase.OPEN_SENT && c.attempts >= OPENS_PER_COOKIE) {
            c.phase = Connection.Phase.INIT_SENT;
            c.cookie = null;
        }
        int plane = routePlane(c.remoteHi, c.remoteLo, c.remotePort, c.handshakePlane + 1);
        if (plane >= 0) {
            handshakeFrom(c, plane);
        }
        due(c, nowNs);
    }

    private void closeIfIdle(Connection c, long nowNs) {
        long quietSinceNs = Math.max(c.idleSinceNs, c.lastHeardNs);
        if (c.attached > 0) {
            context.timers.set(c.connectionTimer, nowNs + IDLE_NS);
        } else if (nowNs - quietSinceNs >= IDLE_NS) {
            if (c.self) {
                end(c, nowNs);
            } else {
                close(c, CloseReason.IDLE, nowNs);
            }
        } else {
            context.timers.set(c.connectionTimer, quietSinceNs + IDLE_NS);
        }
    }

    // ---- writing ----

    /** Writes the INIT or OPEN that is due; returns its length. {@code room} is at least {@link #LEAST_PAYLOAD_BYTES}. */
    int writeOwn(Connection c, long frame, int room, long nowNs) {
        boolean open = c.phase == Connection.Phase.OPEN_SENT;
        int headers = CommonHeader.LENGTH + HandshakeBody.LENGTH + (open ? OpenTail.LENGTH : 0);
        int bytes = MetaRoce.INIT_BYTES;
        if (open) {
            if (room >= MetaRoce.LARGE_PACKET_BYTES && c.opensSent < LARGE_OPENS) {
                bytes = MetaRoce.LARGE_PACKET_BYTES;
            } else {
                c.smallOpenSent = true;
            }
            c.opensSent++;
        }
        Mem.fill(frame, bytes, 0);
        int type = open ? FrameType.OPEN : FrameType.INIT;
        CommonHeader.put(frame, type, 0, 0, 0, 0, 0, 0, bytes - headers, Math.min(c.attempts - 1, 15), 0);
        writeBody(c, frame + CommonHeader.LENGTH, room, Feature.TAG | proofs.feature());
        byte[] cookieBytes = c.cookie;
        if (open && cookieBytes != null) {
            long tail = frame + OpenTail.OFFSET;
            Mem.copy(cookieBytes, 0, tail + OpenTail.COOKIE_OFFSET, OpenTail.COOKIE_LENGTH);
            proofs.signOpen(frame);
        }
        c.phaseSinceNs = nowNs;
        return bytes;
    }

    /** Writes the OPEN_ACK of a connection; returns its length. */
    int writeOpenAck(Connection c, long frame) {
        int bytes = OpenAckTail.OFFSET + OpenAckTail.LENGTH;
        Mem.fill(frame, bytes, 0);
        CommonHeader.put(frame, FrameType.OPEN_ACK, 0, 0, 0, c.peerId, 0, 0, 0, 0, 0);
        writeBody(c, frame + CommonHeader.LENGTH, c.maxPayload, (c.tagged ? Feature.TAG : 0) | proofs.feature());
        long tail = frame + OpenAckTail.OFFSET;
        OpenAckTail.echoNonce(tail, c.peerNonce);
        OpenAckTail.keyHigh(tail, c.openHigh);
        OpenAckTail.keyLow(tail, c.openLow);
        proofs.signOpenAck(frame);
        return bytes;
    }

    private void writeBody(Connection c, long body, int maxPayload, int features) {
        HandshakeBody.versions(body, 1 << MetaRoce.VERSION);
        HandshakeBody.sackWords(body, AckHeader.DEFAULT_MAX_SACK_WORDS);
        HandshakeBody.features(body, features);
        HandshakeBody.bootNonce(body, context.config.bootNonce());
        HandshakeBody.connectionId(body, c.localId);
        HandshakeBody.maxPayload(body, Math.min(maxPayload, 0xffff));
        HandshakeBody.maxAckDelay(body, (int) Math.min(context.config.ackDelayNs() / 1000, 0xffff));
        local.write(body, context.routes, maxPayload);
    }

    /** Writes a CLOSE; returns its length. */
    int writeClose(Connection c, long frame) {
        return writeClose(frame, c.peerId, c.closeReason, c.tagged, c.keyHigh, c.keyLow);
    }

    private int writeClose(long frame, int toId, int reason, boolean tagged, long keyHigh, long keyLow) {
        int headers = CommonHeader.LENGTH + CloseBody.LENGTH;
        Mem.fill(frame, headers, 0);
        int level = tagged ? TrailerLevel.TAG : TrailerLevel.NONE;
        CommonHeader.put(frame, FrameType.CLOSE, 0, 0, 0, toId, 0, 0, 0, 0, level);
        CloseBody.reason(frame + CloseBody.OFFSET, reason);
        CloseBody.bootNonce(frame + CloseBody.OFFSET, context.config.bootNonce());
        if (!tagged) {
            return headers;
        }
        FrameTag.seal(frame, headers, 0, keyHigh, keyLow);
        return headers + FrameTag.LENGTH;
    }

    // ---- reading; every frame has passed FrameReader ----

    /** INIT: answered without keeping anything, unless ours goes first. */
    void onInit(RxBatch rx, int i, long frame, long nowNs) {
        long body = frame + CommonHeader.LENGTH;
        long nonce = HandshakeBody.bootNonce(body);
        if ((HandshakeBody.versions(body) & 1 << MetaRoce.VERSION) == 0 || replies.full()) {
            return;
        }
        if (nonce == context.config.bootNonce()) {
            ownInit(HandshakeBody.connectionId(body), nowNs);
            return;
        }
        Connection mine = opening(body, rx.sourceHi(i), rx.sourceLo(i));
        if (mine != null && Long.compareUnsigned(context.config.bootNonce(), nonce) < 0) {
            return;
        }
        context.counters.inc(Counter.RX_INITS);
        long out = replies.begin();
        int id = HandshakeBody.connectionId(body);
        CommonHeader.put(out, FrameType.INIT_ACK, 0, 0, 0, id, 0, 0, 0, CommonHeader.attempt(frame), 0);
        long answer = out + InitAckBody.OFFSET;
        InitAckBody.versions(answer, 1 << MetaRoce.VERSION);
        InitAckBody.features(answer, Feature.TAG | proofs.feature());
        InitAckBody.echoNonce(answer, nonce);
        int port = Planes.port(body);
        cookie.write(answer + InitAckBody.COOKIE_OFFSET, rx.sourceHi(i), rx.sourceLo(i), port, nonce, id, nowNs);
        int bytes = InitAckBody.OFFSET + InitAckBody.LENGTH;
        replies.add(bytes, rx.plane(i), rx.sourceHi(i), rx.sourceLo(i), port);
    }

    /** Our own INIT: an address that we did not know to be ours led back to us. */
    private void ownInit(int id, long nowNs) {
        Connection c = table.byId(id);
        if (c != null && c.state == Connection.State.OPENING) {
            releaseHandshakeDestination(c);
            if (!openSelf(c, nowNs)) {
                lose(c, "no path to ourselves", nowNs);
            }
        }
    }

    /** INIT_ACK: our OPEN goes out with its cookie. */
    void onInitAck(long frame, long nowNs) {
        Connection c = table.byId(CommonHeader.connectionId(frame));
        long body = frame + InitAckBody.OFFSET;
        if (c == null || c.phase != Connection.Phase.INIT_SENT) {
            return;
        }
        if (InitAckBody.echoNonce(body) != context.config.bootNonce()) {
            context.counters.inc(Counter.RX_STALE);
            return;
        }
        byte[] cookieBytes = c.cookie == null ? new byte[InitAckBody.COOKIE_LENGTH] : c.cookie;
        Mem.copy(body + InitAckBody.COOKIE_OFFSET, cookieBytes, 0, InitAckBody.COOKIE_LENGTH);
        c.cookie = cookieBytes;
        begin(c, Connection.Phase.OPEN_SENT, nowNs);
    }

    /** OPEN: the first frame for which state is kept, since its cookie proves the address. */
    void onOpen(RxBatch rx, int i, long frame, long nowNs) {
        long body = frame + CommonHeader.LENGTH;
        long hi = rx.sourceHi(i);
        long lo = rx.sourceLo(i);
        int port = Planes.port(body);
        long nonce = HandshakeBody.bootNonce(body);
        int id = HandshakeBody.connectionId(body);
        long cookieAt = frame + OpenTail.OFFSET + OpenTail.COOKIE_OFFSET;
        long ageNs = cookie.ageNs(cookieAt, hi, lo, port, nonce, id, nowNs);
        if (ageNs < 0 || (HandshakeBody.versions(body) & 1 << MetaRoce.VERSION) == 0) {
            context.counters.inc(Counter.RX_BAD_COOKIE);
            return;
        }
        if (nonce == context.config.bootNonce()) {
            return; // our own, come back
        }
        String refusal = proofs.refusesOpen(frame);
        if (refusal != null) {
            refusals.refuse(rx, i, frame, refusal, nowNs);
            return;
        }
        for (int k = 0; k < table.end(); k++) {
            Connection known = table.at(k);
            if (known != null && known.peerId == id && known.peerNonce == nonce) {
                if (known.state == Connection.State.OPEN) {
                    known.openAckDue = true;
                    table.enqueue(known);
                } else {
                    context.counters.inc(Counter.RX_STALE);
                }
                return;
            }
        }
        Connection c = opening(body, hi, lo);
        if (c != null
                && c.phase == Connection.Phase.OPEN_SENT
                && Long.compareUnsigned(context.config.bootNonce(), nonce) < 0) {
            return;
        }
        if (!forgetEarlierBoots(body, hi, lo, nonce, nowNs - ageNs, nowNs)) {
            context.counters.inc(Counter.RX_STALE);
            return;
        }
        if (c == null) {
            c = table.create();
            if (c == null) {
                context.counters.inc(Counter.RX_NO_RESOURCE);
                return;
            }
            c.remoteHi = hi;
            c.remoteLo = lo;
            c.remotePort = port;
            handshakeFrom(c, rx.plane(i));
        }
        c.openHigh = context.random.nextLong();
        c.openLow = context.random.nextLong();
        proofs.deriveKey(c, id, nonce, c.localId, context.config.bootNonce());
        long rttNs = CommonHeader.attempt(frame) == 0 ? ageNs : 0;
        if (c.handshakeDestination < 0 || !accept(c, body, rx.length(i), rttNs, nowNs)) {
            lose(c, "no path to any of the peer's planes", nowNs);
            return;
        }
        c.openAckDue = true;
        opened(c, nowNs);
    }

    /** OPEN_ACK: the connection is open; or, when we only asked whether it still is, the answer. */
    void onOpenAck(RxBatch rx, int i, long frame, long nowNs) {
        Connection c = table.byId(CommonHeader.connectionId(frame));
        long body = frame + CommonHeader.LENGTH;
        long tail = frame + OpenAckTail.OFFSET;
        if (c == null || c.phase != Connection.Phase.OPEN_SENT) {
            return;
        }
        if (OpenAckTail.echoNonce(tail) != context.config.bootNonce()) {
            context.counters.inc(Counter.RX_STALE);
            return;
        }
        String refusal = proofs.refusesOpenAck(frame);
        if (refusal != null) {
            context.counters.inc(Counter.RX_REFUSED);
            tellRefusal(c, "its answer is not believed: " + refusal);
            return;
        }
        long nonce = HandshakeBody.bootNonce(body);
        int id = HandshakeBody.connectionId(body);
        if (c.state == Connection.State.OPEN) {
            c.phase = Connection.Phase.NONE;
            context.timers.set(c.connectionTimer, nowNs + IDLE_NS);
            if (nonce != c.peerNonce || id != c.peerId) {
                closeStranger(rx, i, frame, id);
                lose(c, nonce != c.peerNonce ? "the peer process has restarted" : "the peer has lost it", nowNs);
            }
            return;
        }
        c.openHigh = OpenAckTail.keyHigh(tail);
        c.openLow = OpenAckTail.keyLow(tail);
        proofs.deriveKey(c, c.localId, context.config.bootNonce(), id, nonce);
        int passed = c.smallOpenSent ? MetaRoce.INIT_BYTES : MetaRoce.LARGE_PACKET_BYTES;
        long rttNs = c.attempts == 1 ? nowNs - c.phaseSinceNs : 0;
        if (!accept(c, body, passed, rttNs, nowNs)) {
            lose(c, "no path to any of the peer's planes", nowNs);
            return;
        }
        opened(c, nowNs);
    }

    /** Answers an OPEN_ACK for a connection that we do not want (any more). */
    private void closeStranger(RxBatch rx, int i, long frame, int id) {
        if (!replies.full()) {
            long body = frame + CommonHeader.LENGTH;
            boolean tagged = (HandshakeBody.features(body) & Feature.TAG) != 0;
            long high = proofs.keyOf(frame, true);
            int bytes = writeClose(replies.begin(), id, CloseReason.DONE, tagged, high, proofs.keyOf(frame, false));
            replies.add(bytes, rx.plane(i), rx.sourceHi(i), rx.sourceLo(i), Planes.port(body));
        }
    }

    /** The log says once per attempt why a connection does not come about. */
    private void tellRefusal(Connection c, String why) {
        if (!c.refusalTold) {
            c.refusalTold = true;
            context.events.log("connection not opened: " + c.name() + ": " + why);
        }
    }

    /** Takes over what the peer's OPEN or OPEN_ACK says and makes the paths. {@code rttNs}: 0 unknown. */
    private boolean accept(Connection c, long body, int passedBytes, long rttNs, long nowNs) {
        c.peer = Planes.of(body);
        c.peerId = HandshakeBody.connectionId(body);
        c.peerNonce = HandshakeBody.bootNonce(body);
        c.tagged = (HandshakeBody.features(body) & Feature.TAG) != 0;
        c.peerAckDelayNs = HandshakeBody.maxAckDelay(body) * 1000L;
        c.maxPayload = Math.min(HandshakeBody.maxPayload(body), context.routes.maxPayload(c.handshakeDestination));
        long guessNs = rttNs > 0 ? rttNs : RttEstimator.INITIAL_RTT_NS;
        if (!pathLife.open(c, local, c.peer, guessNs, nowNs) || c.maxPayload < LEAST_PAYLOAD_BYTES) {
            return false;
        }
        c.segmentBytes = segmentBytes(c.maxPayload, passedBytes);
        c.onProven(passedBytes);
        return true;
    }

    private static int segmentBytes(int maxPayload, int passedBytes) {
        return Math.min(maxPayload, passedBytes) >= MetaRoce.LARGE_PACKET_BYTES
                ? MetaRoce.LARGE_SEGMENT_BYTES
                : MetaRoce.SMALL_SEGMENT_BYTES;
    }

    private void opened(Connection c, long nowNs) {
        c.state = Connection.State.OPEN;
        c.phase = Connection.Phase.NONE;
        c.handshakeDue = false;
        c.cookie = null;
        c.openedNs = nowNs;
        c.lastHeardNs = nowNs;
        c.idleSinceNs = nowNs;
        c.openNewsDue = true;
        context.timers.set(c.connectionTimer, nowNs + IDLE_NS);
        context.counters.inc(Counter.CONNECTIONS_OPENED);
        context.counters.add(Counter.CONNECTIONS_OPEN, 1);
        context.events.note("connection opened: " + c.name() + ", " + c.paths.length + " paths, segments of "
                + c.segmentBytes + " bytes");
        table.enqueue(c);
    }

    /** Our own attempt to open a connection to the process that sent a handshake frame, if there is one. */
    @Nullable
    private Connection opening(long body, long sourceHi, long sourceLo) {
        int port = Planes.port(body);
        for (int k = 0; k < table.end(); k++) {
            Connection c = table.at(k);
            if (c != null && c.state == Connection.State.OPENING && c.remotePort == port) {
                boolean there = c.remoteHi == sourceHi && c.remoteLo == sourceLo;
                if (there || Planes.names(body, c.remoteHi, c.remoteLo)) {
                    return c;
                }
            }
        }
        return null;
    }

    /**
     * The process that now owns this address and port proves by its nonce that the one before is gone. False: its cookie is older than what we have with another boot, so
     * that it is this OPEN that comes from the one before, late.
     */
    private boolean forgetEarlierBoots(long body, long hi, long lo, long nonce, long issuedNs, long nowNs) {
        int port = Planes.port(body);
        for (int k = 0; k < table.end(); k++) {
            Connection c = table.at(k);
            if (c != null
                    && c.state == Connection.State.OPEN
                    && c.peerNonce != nonce
                    && c.remotePort == port
                    && c.peer != null
                    && c.peer.indexOf(hi, lo) >= 0) {
                if (c.openedNs - issuedNs > 0) {
                    return false;
                }
                lose(c, "the peer process has restarted", nowNs);
            }
        }
        return true;
    }

    /** The peer sends already, so our OPEN has arrived and its answer has not: the OPEN goes again at once. */
    void onEarly(Connection c, long nowNs) {
        if (c.phase == Connection.Phase.OPEN_SENT && !c.handshakeDue && nowNs - c.phaseSinceNs >= EARLY_RETRY_NS) {
            due(c, nowNs);
        }
    }

    // ---- RESET ----

    /** RESET proves nothing. If it quotes a frame of ours we ask the peer, by opening anew, whether it still has the connection. */
    void onReset(RxBatch rx, int i, long frame, long nowNs) {
        context.counters.inc(Counter.RX_RESETS);
        long body = frame + ResetBody.OFFSET;
        if (ResetBody.reason(body) != ResetReason.UNKNOWN_CONNECTION) {
            onRefused(rx, i, body);
            return;
        }
        int quotedId = CommonHeader.connectionId(body + ResetBody.QUOTED_OFFSET);
        for (int k = 0; k < table.end(); k++) {
            Connection c = table.at(k);
            if (c == null || c.state != Connection.State.OPEN || c.peerId != quotedId || c.self) {
                continue;
            }
            if (c.phase == Connection.Phase.NONE
                    && nowNs - c.nextVerifyNs >= 0
                    && c.peer != null
                    && c.peer.indexOf(rx.sourceHi(i), rx.sourceLo(i)) >= 0) {
                c.nextVerifyNs = nowNs + VERIFY_PAUSE_NS;
                int plane = routePlane(c.remoteHi, c.remoteLo, c.remotePort, c.handshakePlane);
                if (plane >= 0) {
                    handshakeFrom(c, plane);
                    begin(c, Connection.Phase.INIT_SENT, nowNs);
                }
            }
            return;
        }
    }

    /** Somebody at the peer's address says that it will not have us. It may be lying: we go on trying, and the log tells why that may be in vain. */
    private void onRefused(RxBatch rx, int i, long body) {
        for (int k = 0; k < table.end(); k++) {
            Connection c = table.at(k);
            if (c != null
                    && c.state == Connection.State.OPENING
                    && c.remotePort == rx.sourcePort(i)
                    && c.remoteHi == rx.sourceHi(i)
                    && c.remoteLo == rx.sourceLo(i)) {
                boolean version = ResetBody.reason(body) == ResetReason.VERSION;
                tellRefusal(
                        c,
                        version
                                ? "it speaks other versions of the protocol (mask 0x"
                                        + Integer.toHexString(ResetBody.versions(body)) + ") than this side ("
                                        + MetaRoce.VERSION + ")"
                                : "it refuses: its pre-shared key is another one, or only one side has one"
                                        + " (METAROCE_PSK_FILE)");
            }
        }
    }

    // ---- the end ----

    /** An authentic CLOSE. */
    void onClose(Connection c, long frame, long nowNs) {
        if (CloseBody.bootNonce(frame + CloseBody.OFFSET) != c.peerNonce) {
            context.counters.inc(Counter.RX_STALE);
            return;
        }
        int reason = CloseBody.reason(frame + CloseBody.OFFSET);
        String why = "closed by the peer (" + CloseReason.name(reason) + ")";
        if (reason == CloseReason.DONE) {
            context.events.note(c.lost(why, nowNs));
            leave(c, why, nowNs);
        } else {
            lose(c, why, nowNs);
        }
    }

    /** The peer is gone: streams hear of it, the id is kept aside. */
    void lose(Connection c, String why, long nowNs) {
        context.events.log(c.lost(why, nowNs));
        leave(c, why, nowNs);
    }

    private void leave(Connection c, String why, long nowNs) {
        boolean used = c.attached > 0;
        end(c, nowNs);
        if (used) {
            context.streams.onPeerGone(c.index, RETRY_EXC_ERR, why, nowNs);
        }
    }

    /** We close: a CLOSE goes out, nothing more. */
    void close(Connection c, int reason, long nowNs) {
        if (c.state != Connection.State.OPEN || c.self) {
            end(c, nowNs);
            return;
        }
        c.closeReason = reason;
        int destination = c.handshakeDestination;
        c.handshakeDestination = -1;
        end(c, nowNs);
        c.handshakeDestination = destination;
        c.closeDue = true;
        table.enqueue(c);
    }

    private void end(Connection c, long nowNs) {
        if (c.state == Connection.State.OPEN) {
            context.counters.add(Counter.CONNECTIONS_OPEN, -1);
        }
        c.state = Connection.State.CLOSED;
        c.phase = Connection.Phase.NONE;
        c.handshakeDue = false;
        c.openAckDue = false;
        c.openNewsDue = false;
        c.cookie = null;
        pathLife.close(c);
        releaseHandshakeDestination(c);
        context.timers.cancel(c.ackTimer);
        context.timers.set(c.connectionTimer, nowNs + QUARANTINE_NS);
    }

    /** The CLOSE was sent. */
    void closeSent(Connection c) {
        c.closeDue = false;
        releaseHandshakeDestination(c);
    }
}
