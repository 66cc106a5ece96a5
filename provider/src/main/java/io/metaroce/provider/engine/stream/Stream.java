package io.metaroce.provider.engine.stream;

import io.metaroce.provider.engine.ConnectionLayer;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.wire.Qpn;
import io.metaroce.wire.Space;
import org.jspecify.annotations.Nullable;

/** One RC queue pair: its state, its bind to a peer, its two halves, and what of it is due to the peer. */
final class Stream {
    // What STREAM_CTL is due; a set.
    static final int CTL_BIND = 1;
    static final int CTL_BIND_ACK = 2;
    static final int CTL_QUERY_REQUESTS = 4;
    static final int CTL_QUERY_RESPONSES = 8;

    private static final long LONGEST_QUERY_NS = 100_000_000;

    final Shared shared;
    final int qp;
    final int qpn;
    final int type;
    final int pd;
    final int sendCq;
    final int recvCq;
    final long sqRing;
    final long rqRing;
    final QpAttributes attr = new QpAttributes();
    final Binds binds = new Binds(this);
    final Requester requester;
    final Responder responder;

    /** {@code enum ibv_qp_state}. */
    int state = Verbs.RESET;
    /** A number that no other life of this QP index has had. */
    int life;

    int ctlDue;
    boolean ctlQueued;

    @Nullable
    Stream ctlNext;

    int blocksDue;
    boolean blockQueued;

    @Nullable
    Stream blockNext;

    private int conn = Shared.NONE;
    private boolean peerLost;
    private boolean drainNotice; // SQ_DRAINED is wanted and was not raised yet

    Stream(Shared shared, int qp, int type, int pd, int sendCq, int recvCq, long sqRing, long rqRing) {
        this.shared = shared;
        this.qp = qp;
        this.qpn = Qpn.of(shared.config.localSlot(), qp);
        this.type = type;
        this.pd = pd;
        this.sendCq = sendCq;
        this.recvCq = recvCq;
        this.sqRing = sqRing;
        this.rqRing = rqRing;
        this.life = shared.nextLife(qp);
        this.requester = new Requester(this);
        this.responder = new Responder(this);
    }

    /** The connection it is attached to, or {@link Shared#NONE}. */
    int conn() {
        return conn;
    }

    /** Requests of the peer are taken. */
    boolean receives() {
        return state >= Verbs.RTR && state <= Verbs.SQD;
    }

    /** Work requests are processed. */
    boolean sends() {
        return state == Verbs.RTS || state == Verbs.SQD;
    }

    /** Nothing was sent or placed in this life. */
    boolean untouched() {
        return responder.untouched() && requester.untouched() && responder.answers.untouched(binds.firstResponse());
    }

    // ---- transitions -----------------------------------------------------------------------------------------------

    void modify(int newState, int mask, QpAttributes from) {
        copy(from, attr, mask);
        if (newState == state) {
            return;
        }
        switch (newState) {
            case Verbs.RESET -> reset();
            case Verbs.RTR -> toReceive();
            case Verbs.ERR -> toError();
            case Verbs.SQD -> {
                state = Verbs.SQD;
                drainNotice = (mask & Verbs.MASK_SQD_NOTIFY) != 0 && from.enSqdAsyncNotify;
                checkDrained();
            }
            case Verbs.RTS -> {
                state = Verbs.RTS;
                drainNotice = false;
                requester.resume();
                arm();
                kick();
            }
            default -> state = newState;
        }
    }

    private void toReceive() {
        state = Verbs.RTR;
        life = shared.nextLife(qp);
        peerLost = false;
        binds.begin();
        requester.start(binds.firstRequest());
        responder.start();
        responder.answers.begin(binds.firstResponse());
        armAt(binds.onTimer(shared.nowNs));
    }

    /** Takes part in a connection to the peer's process, if there is a way to it. */
    void attach() {
        if (conn == Shared.NONE && !peerLost) {
            conn = shared.connections().attach(attr.remoteHi, attr.remoteLo, Qpn.slot(attr.destQpn), shared.nowNs);
        }
    }

    /** Everything that is not complete is flushed; the peer is told. */
    void toError() {
        if (state == Verbs.ERR) {
            return;
        }
        boolean wasBound = receives() && binds.known();
        state = Verbs.ERR;
        life = shared.nextLife(qp);
        requester.queue.failHead();
        responder.flush();
        requester.stop();
        responder.stop();
        ctlDue = 0;
        if (wasBound) {
            blockDue(Space.REQUEST, true);
            blockDue(Space.RESPONSE, true);
        }
    }

    void onCqFailed() {
        if (state != Verbs.RESET && state != Verbs.ERR) {
            toError();
            shared.events.qpEvent(qp, Verbs.EVENT_QP_FATAL);
        }
    }

    /** The QP forgets everything, without a CQE; what the peer must still learn stays behind as a tombstone. */
    void reset() {
        leave();
        requester.queue.discard();
        responder.discard();
    }

    /** As {@link #reset}, for a QP that ceases to exist: its rings are not touched any more. */
    void leave() {
        boolean wasBound = binds.known();
        state = Verbs.RESET;
        if (conn != Shared.NONE) {
            shared.outbox(conn).forget(this);
            if (wasBound) {
                shared.tombstones.add(this, conn);
            } else {
                shared.connections().detach(conn, shared.nowNs);
            }
            conn = Shared.NONE;
        }
        life = shared.nextLife(qp);
        binds.end();
        requester.stop();
        responder.stop();
    }

    /** SQD: work that was begun is complete. */
    void checkDrained() {
        if (drainNotice && !requester.draining()) {
            drainNotice = false;
            shared.events.qpEvent(qp, Verbs.EVENT_SQ_DRAINED);
        }
    }

    // ---- what happens to it ----------------------------------------------------------------------------------------

    void doorbell() {
        switch (state) {
            case Verbs.ERR -> {
                requester.queue.flush();
                responder.flush();
            }
            case Verbs.RTR -> responder.onReceivesPosted();
            case Verbs.RTS, Verbs.SQD -> {
                requester.onPosted();
                responder.onReceivesPosted();
            }
            default -> {}
        }
    }

    /** Both sides know the other's offer: data may flow. */
    void onReady() {
        if (sends()) {
            requester.onReady();
        }
        kick();
    }

    /**
     * The peer process is gone, and so is the connection number. A bind that this process never acknowledged is tried with the one that comes after it: an offer alone may
     * have been late, sent before our RTR by a process that was dead by then. Nothing was sent yet, and if nothing was placed either no harm is done.
     */
    void onPeerGone(int status, String why) {
        shared.outbox(conn).forget(this);
        conn = Shared.NONE;
        if (receives() && (!binds.known() || (!binds.ready() && untouched()))) {
            binds.again();
            armAt(shared.nowNs);
            return;
        }
        peerLost = true;
        binds.end();
        if (sends()) {
            requester.giveUp(status, why);
        }
        if (receives()) {
            responder.answers.dropAll();
            responder.settle();
        }
    }

    /** Looks at all timers; answers the next time to look, or Long.MAX_VALUE. */
    long onTimer(long nowNs) {
        long nextNs = Long.MAX_VALUE;
        if (receives() && !peerLost) {
            nextNs = binds.onTimer(nowNs);
        }
        if (sends()) {
            nextNs = Math.min(nextNs, requester.onTimer(nowNs));
        }
        if (receives() && binds.ready()) {
            nextNs = Math.min(nextNs, responder.answers.onTimer(nowNs));
        }
        return nextNs;
    }

    // ---- what is due -----------------------------------------------------------------------------------------------

    /** There may be something to send. */
    void kick() {
        if (conn != Shared.NONE && binds.ready()) {
            shared.connections().wantTransmit(conn, qp);
        }
    }

    void ctlDue(int what) {
        if (conn != Shared.NONE) {
            ctlDue |= what;
            shared.outbox(conn).addCtl(this);
            shared.connections().wantCtl(conn);
        }
    }

    void blockDue(int space, boolean atOnce) {
        int bit = 1 << space;
        if (conn == Shared.NONE || !binds.known()) {
            return;
        }
        if ((blocksDue & bit) == 0 || atOnce) {
            blocksDue |= bit;
            shared.outbox(conn).addBlock(this);
            ConnectionLayer connections = shared.connections();
            connections.wantAck(conn, atOnce);
        }
    }

    /** Makes sure that the timers are looked at, a PTO from now at the latest. */
    void arm() {
        shared.timers.atMost(qp, shared.nowNs + shared.ptoNs(conn));
    }

    void armAt(long atNs) {
        if (atNs != Long.MAX_VALUE) {
            shared.timers.atMost(qp, atNs);
        }
    }

    /** When to ask the peer: a PTO after the last progress, then with doubled pauses. */
    static long queryDueNs(long progressNs, long askedNs, int asked, long ptoNs) {
        return asked == 0
                ? progressNs + ptoNs
                : Math.max(askedNs, progressNs) + Math.min(LONGEST_QUERY_NS, ptoNs << Math.min(asked, 10));
    }

    // ---- attributes ------------------------------------------------------------------------------------------------

    /** Copies the attributes that the mask names. */
    static void copy(QpAttributes from, QpAttributes to, int mask) {
        if ((mask & Verbs.MASK_ACCESS) != 0) {
            to.accessFlags = from.accessFlags;
        }
        if ((mask & Verbs.MASK_AV) != 0) {
            to.remoteHi = from.remoteHi;
            to.remoteLo = from.remoteLo;
            to.sgidIndex = from.sgidIndex;
        }
        if ((mask & Verbs.MASK_PATH_MTU) != 0) {
            to.pathMtu = from.pathMtu;
        }
        if ((mask & Verbs.MASK_TIMEOUT) != 0) {
            to.timeout = from.timeout;
        }
        if ((mask & Verbs.MASK_RETRY_CNT) != 0) {
            to.retryCnt = from.retryCnt;
        }
        if ((mask & Verbs.MASK_RNR_RETRY) != 0) {
            to.rnrRetry = from.rnrRetry;
        }
        if ((mask & Verbs.MASK_RQ_PSN) != 0) {
            to.rqPsn = from.rqPsn;
        }
        if ((mask & Verbs.MASK_MAX_RD_ATOMIC) != 0) {
            to.maxRdAtomic = from.maxRdAtomic;
        }
        if ((mask & Verbs.MASK_MIN_RNR_TIMER) != 0) {
            to.minRnrTimer = from.minRnrTimer;
        }
        if ((mask & Verbs.MASK_SQ_PSN) != 0) {
            to.sqPsn = from.sqPsn;
        }
        if ((mask & Verbs.MASK_MAX_DEST_RD_ATOMIC) != 0) {
            to.maxDestRdAtomic = from.maxDestRdAtomic;
        }
        if ((mask & Verbs.MASK_DEST_QPN) != 0) {
            to.destQpn = from.destQpn & Qpn.MASK;
        }
    }
}
