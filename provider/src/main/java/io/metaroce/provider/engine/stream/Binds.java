package io.metaroce.provider.engine.stream;

import io.metaroce.wire.BindBody;
import io.metaroce.wire.Mem;
import io.metaroce.wire.MetaRoce;

/**
 * How one stream agrees with its peer before data flows: BIND until BIND_ACK, one generation a RTR. Both kinds carry the same offer, so that an acknowledgement of
 * ours also tells the peer's. A stream that may send has both: the peer's offer, and the proof that the peer has ours. So neither program's RTR can
 * come too early for the other's first message.
 */
final class Binds {
    private static final long FIRST_RETRY_NS = 1_000_000;
    private static final long LAST_RETRY_NS = 50_000_000;

    private final Stream stream;
    private int generation;
    private int firstRequest;
    private int firstResponse;
    private int offeredBytes;
    private boolean known; // the peer's offer is here
    private boolean accepted; // the peer has ours
    private int peerGeneration;
    private int peerWindow;
    private int peerRdAtomic;
    private int segmentBytes = MetaRoce.SMALL_SEGMENT_BYTES;
    private int retries;
    private long retryNs;

    Binds(Stream stream) {
        this.stream = stream;
    }

    /** RTR: a new generation and new first SPSNs. */
    void begin() {
        generation = stream.shared.nextGeneration(stream.qp);
        firstRequest = stream.shared.nextRandom();
        firstResponse = stream.shared.nextRandom();
        offeredBytes = 0;
        known = false;
        accepted = false;
        retries = 0;
        retryNs = stream.shared.nowNs;
    }

    /** The peer process is gone: what was agreed is void. */
    void end() {
        known = false;
        accepted = false;
    }

    /** DATA may be sent. */
    boolean ready() {
        return accepted;
    }

    /** The peer's offer is here. */
    boolean known() {
        return known;
    }

    int generation() {
        return generation;
    }

    int firstRequest() {
        return firstRequest;
    }

    int firstResponse() {
        return firstResponse;
    }

    int peerGeneration() {
        return peerGeneration;
    }

    int peerWindow() {
        return peerWindow;
    }

    int peerRdAtomic() {
        return peerRdAtomic;
    }

    /** Segment size S of the stream. */
    int segmentBytes() {
        return segmentBytes;
    }

    /** A BIND of the peer. */
    void onBind(long body) {
        boolean knew = known && BindBody.localGeneration(body) == peerGeneration;
        if (!adopt(body)) {
            return;
        }
        stream.ctlDue(Stream.CTL_BIND_ACK);
        if (!accepted && !knew) {
            stream.ctlDue(
                    Stream.CTL_BIND); // the peer is there now: no need to wait for the timer; once, or both would for
            // ever
        }
    }

    /** A BIND_ACK of the peer. */
    void onBindAck(long body) {
        if (BindBody.remoteGeneration(body) != generation || !adopt(body) || accepted) {
            return;
        }
        accepted = true;
        stream.onReady();
    }

    /** Takes over the peer's offer. A newer one replaces it only while nothing was sent or placed. False: it is not valid for this life. */
    private boolean adopt(long body) {
        int offered = BindBody.localGeneration(body);
        if (known) {
            if (offered == peerGeneration) {
                return true;
            }
            boolean newer = (offered - peerGeneration & 0xf) < 8;
            if (!newer || !stream.untouched()) {
                return false;
            }
            accepted = false; // what the peer acknowledged was told to its life before
            retries = 0;
            retryNs = stream.shared.nowNs;
            stream.arm();
        }
        known = true;
        peerGeneration = offered;
        peerWindow = BindBody.window(body);
        peerRdAtomic = BindBody.rdAtomic(body);
        segmentBytes = Math.min(offer(), BindBody.segmentSize(body));
        stream.responder.begin(BindBody.firstRequestSpsn(body));
        stream.requester.beginResponses(BindBody.firstResponseSpsn(body), BindBody.rqLimit(body));
        return true;
    }

    private int offer() {
        if (offeredBytes == 0) {
            offeredBytes = stream.shared.connections().segmentBytes(stream.conn());
        }
        return offeredBytes;
    }

    /** Writes the body of a BIND or BIND_ACK; both carry the last generation seen of the peer. */
    void put(long body) {
        BindBody.localQpn(body, stream.qpn);
        BindBody.localGeneration(body, generation);
        BindBody.flags(body, 0);
        BindBody.remoteQpn(body, stream.attr.destQpn);
        BindBody.remoteGeneration(body, known ? peerGeneration : 0);
        BindBody.firstRequestSpsn(body, firstRequest);
        BindBody.firstResponseSpsn(body, firstResponse);
        BindBody.segmentSize(body, offer());
        BindBody.window(body, stream.shared.bitmaps.bits());
        BindBody.rqLimit(body, stream.responder.posted());
        Mem.putInt(body + BindBody.LENGTH - Integer.BYTES, 0);
        BindBody.rdAtomic(body, stream.attr.maxDestRdAtomic);
    }

    /** The connection has opened. */
    void onOpen() {
        if (!accepted) {
            stream.ctlDue(Stream.CTL_BIND);
        }
    }

    /** The connection was lost before the peer acknowledged our offer; its own is void. Another connection is asked for at the next look. */
    void again() {
        known = false;
        offeredBytes = 0;
        retries = 0;
        retryNs = stream.shared.nowNs;
    }

    /** Repeats the BIND, and asks for a connection if there is none. Answers the next time to look. */
    long onTimer(long nowNs) {
        if (accepted) {
            return Long.MAX_VALUE;
        }
        if (nowNs >= retryNs) {
            retryNs = nowNs + Math.min(LAST_RETRY_NS, FIRST_RETRY_NS << Math.min(retries, 10));
            retries++;
            stream.attach();
            int conn = stream.conn();
            if (conn != Shared.NONE && stream.shared.connections().isOpen(conn)) {
                stream.ctlDue(Stream.CTL_BIND);
            }
        }
        return retryNs;
    }
}
