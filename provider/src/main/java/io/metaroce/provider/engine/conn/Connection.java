package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.cc.CongestionControl;
import io.metaroce.provider.engine.path.Path;
import io.metaroce.provider.engine.path.PathReceiver;
import io.metaroce.provider.engine.path.Plane;
import io.metaroce.wire.MetaRoce;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One remote process: many streams above, many paths below. Holds state and keeps its masks true; what goes out is {@link Transmitter}'s affair, what comes in
 * {@link Dispatcher}'s, the opening {@link Handshake}'s. A mask has a bit per path.
 */
public final class Connection {
    /** Most paths of a connection, in either direction. */
    public static final int MAX_PATHS = 64;

    /** Bytes of frames that one stream sends before the next one has its turn (protocol section 12, fairness). */
    static final int QUANTUM_BYTES = 32 * 1024;

    private static final int NOBODY = -1;

    /** Life of a connection. */
    enum State {
        /** The handshake of a connection that somebody here asked for. */
        OPENING,
        OPEN,
        /** Over; its id is kept aside until no cookie can bring it back. */
        CLOSED
    }

    /** What the handshake waits for. In an open connection: checks whether the peer still knows it. */
    enum Phase {
        NONE,
        INIT_SENT,
        OPEN_SENT
    }

    final int index;
    final int localId;
    final int connectionTimer;
    final int ackTimer;
    final int paceTimer;

    State state = State.OPENING;
    Phase phase = Phase.NONE;
    boolean self;
    int attempts;
    int opensSent;
    boolean smallOpenSent;
    boolean handshakeDue;
    boolean openAckDue;
    boolean openNewsDue;
    boolean closeDue;
    int closeReason;
    long phaseSinceNs;
    long openedNs;
    long lastHeardNs;
    long idleSinceNs;
    long nextVerifyNs;
    /** The log has told that the peer refuses us, or that we do not believe it. */
    boolean refusalTold;

    byte @Nullable [] cookie;

    int peerId;
    long peerNonce;
    /** What the OPEN_ACK carries as the key of the tags, and that key: the same without a pre-shared key. */
    long openHigh;

    long openLow;
    long keyHigh;
    long keyLow;
    boolean tagged;

    @Nullable
    Planes peer;

    /** As {@code attach} was asked, or where the peer's OPEN came from. */
    long remoteHi;

    long remoteLo;
    int remotePort;
    int handshakePlane;
    int handshakeDestination = -1;
    int openBytes;
    int maxPayload;
    /** The largest packet that is known to have passed, and losses since of larger ones: {@link BlackHole}. */
    int provenBytes;

    int largeLosses;
    /** The size that the handshake has shown to pass. */
    int sureBytes;

    /** When the first of the larger packets was lost, and the size of the smallest that was. */
    long largeLostNs;

    int lostBytes;

    /** The size that was given up, when it is tried again (Long.MAX_VALUE: nothing is), and how long that was put off. */
    int wideBytes;

    long raiseNs = Long.MAX_VALUE;
    long raiseWaitNs;
    /** It is being tried, and no packet of it has passed yet. */
    boolean raising;

    int segmentBytes;
    long peerAckDelayNs;
    int attached;

    Path[] paths = new Path[0];
    Plane[] planes = new Plane[0];

    @Nullable
    CongestionControl control;

    /** Handles by local plane * 8 + peer plane; {@link #UNKNOWN} before the first question, -1 no route. */
    int[] destinations = {};

    static final int UNKNOWN = -2;

    long allMask;
    long suspectMask;
    long fullMask;
    /** Paths to be used only when no other can: the peer says that their plane is dead. */
    long avoidMask;

    /** The path that tries its first source port again and gets no new data meanwhile. */
    long trialMask;

    long lostMask;
    long probeMask;
    /** Paths whose data is to be copied (suspects, and those that were moved), and those of them whose data may be copied now. */
    long uncopiedMask;

    long copyMask;
    long inFlightBytes;
    long wokenNs = Long.MIN_VALUE;
    /** When the next path may move while all are silent. */
    long nextMoveNs = Long.MIN_VALUE;
    /** ACKs that brought news, on all paths. */
    int news;
    /** The ACK that came latest, by number. */
    int peerAckSeq;

    boolean planeNewsDue;

    private @Nullable PathReceiver[] receivers = new PathReceiver[4];
    long ackMask;
    /** Paths of the peer on which a PROBE came that was sent because an ACK was missing. */
    long probedMask;

    int lastReceiver;
    int ackSeq;
    boolean blocksDue;

    /** An ACK found no room behind the data. */
    boolean acksFirst;

    private int[] work = new int[4];
    private int workHead;
    private int workCount;
    private int workQuantum = QUANTUM_BYTES;
    private long[] inWork = new long[1];
    private int served = NOBODY;
    private boolean servedWantsMore;
    boolean controlDue;
    boolean queued;

    Connection(int index, int localId, int connectionTimer, int ackTimer, int paceTimer) {
        this.index = index;
        this.localId = localId;
        this.connectionTimer = connectionTimer;
        this.ackTimer = ackTimer;
        this.paceTimer = paceTimer;
    }

    // ---- for tests and checkers ----

    /** Bytes in flight on paths that are not suspect. */
    public long inFlightBytes() {
        return inFlightBytes;
    }

    /** Windows and pace; null before the connection is open. */
    public @Nullable CongestionControl control() {
        return control;
    }

    /** Paths; 0 before the connection is open. */
    public int pathCount() {
        return paths.length;
    }

    public Path path(int id) {
        return paths[id];
    }

    /** The receiving half of the peer's path {@code id}, or null when nothing came on it. */
    public @Nullable PathReceiver receiver(int id) {
        return id < receivers.length ? receivers[id] : null;
    }

    public boolean isOpen() {
        return state == State.OPEN;
    }

    public boolean isSelf() {
        return self;
    }

    /** Connection id that frames to this side carry. */
    public int localId() {
        return localId;
    }

    /** Connection id that frames to the peer carry; 0 before it is known. */
    public int peerId() {
        return peerId;
    }

    /** Streams that use it. */
    public int attached() {
        return attached;
    }

    public int maxPayload() {
        return maxPayload;
    }

    public int segmentBytes() {
        return segmentBytes;
    }

    /** Packets in flight on all paths. */
    public int inFlight() {
        int n = 0;
        for (Path path : paths) {
            n += path.sender().inFlight();
        }
        return n;
    }

    // ---- streams with work: deficit round robin ----

    boolean hasWork() {
        return workCount != 0;
    }

    /** Whether nothing but the stream that was just served may have something to send. */
    boolean onlyServedWorks() {
        return workCount == 1 && !controlDue && lostMask == 0 && copyMask == 0;
    }

    void addWork(int stream) {
        int word = stream >>> 6;
        if (word >= inWork.length) {
            inWork = Arrays.copyOf(inWork, Integer.highestOneBit(word) * 2);
        }
        if ((inWork[word] & 1L << stream) != 0) {
            servedWantsMore |= stream == served;
            return;
        }
        inWork[word] |= 1L << stream;
        if (workCount == work.length) {
            growWork();
        }
        work[workHead + workCount & work.length - 1] = stream;
        workCount++;
    }

    private void growWork() {
        int[] bigger = new int[work.length * 2];
        for (int i = 0; i < workCount; i++) {
            bigger[i] = work[workHead + i & work.length - 1];
        }
        work = bigger;
        workHead = 0;
    }

    /** The stream whose turn it is; it is about to be asked for a frame. */
    int firstWork() {
        served = work[workHead];
        servedWantsMore = false;
        return served;
    }

    /** The first stream had nothing to send when asked: it leaves, unless it has changed its mind while it was asked. */
    void removeFirstWork() {
        served = NOBODY;
        if (servedWantsMore) {
            chargeFirstWork(workQuantum);
            return;
        }
        int stream = work[workHead];
        inWork[stream >>> 6] &= ~(1L << stream);
        workHead = workHead + 1 & work.length - 1;
        workCount--;
        workQuantum = QUANTUM_BYTES;
    }

    /** The first stream has sent something: after a quantum the next one has its turn. */
    void chargeFirstWork(int bytes) {
        served = NOBODY;
        workQuantum -= bytes;
        if (workQuantum > 0) {
            return;
        }
        int stream = work[workHead];
        workHead = workHead + 1 & work.length - 1;
        work[workHead + workCount - 1 & work.length - 1] = stream;
        workQuantum += QUANTUM_BYTES;
    }

    // ---- paths ----

    /** The receiving half of a path of the peer, made when it is first used; {@code id} below {@link #MAX_PATHS}. */
    PathReceiver receiverFor(int id) {
        if (id >= receivers.length) {
            receivers = Arrays.copyOf(receivers, Integer.highestOneBit(id) * 2);
        }
        PathReceiver receiver = receivers[id];
        if (receiver == null) {
            receiver = new PathReceiver(id);
            receivers[id] = receiver;
        }
        return receiver;
    }

    /** A path of the peer that comes by a local plane; null when none does. */
    @Nullable
    PathReceiver receiverOn(int localPlane) {
        for (PathReceiver receiver : receivers) {
            if (receiver != null && receiver.localPlane() == localPlane) {
                return receiver;
            }
        }
        return null;
    }

    long ptoNs(Path path, long floorNs) {
        return path.rtt().ptoNs(peerAckDelayNs, floorNs);
    }

    /** The quickest path of those that are not suspect, if there are any; only of an open connection. */
    Path bestPath() {
        Path best = paths[0];
        for (Path path : paths) {
            boolean quicker = path.rtt().srttNs() < best.rtt().srttNs();
            if (best.suspect() == path.suspect() ? quicker : best.suspect()) {
                best = path;
            }
        }
        return best;
    }

    /** The path is silent: no new data, and its bytes do not count any more. */
    void suspect(Path path) {
        long bit = 1L << path.id;
        if ((trialMask & bit) != 0) {
            endTrial(path);
        }
        path.suspect(true);
        suspectMask |= bit;
        uncopiedMask |= bit;
        path.copyCursor(path.sender().cum());
        inFlightBytes -= path.sender().inFlightBytes();
        if (control != null) {
            control.onSuspect(path, true);
        }
    }

    /** The path's first source port does not work yet. */
    void endTrial(Path path) {
        trialMask = 0;
        path.endTrial();
    }

    /** The handshake has shown that packets of this size pass. */
    void onProven(int bytes) {
        provenBytes = bytes;
        sureBytes = bytes;
        largeLosses = 0;
        wideBytes = 0;
        raiseNs = Long.MAX_VALUE;
        raiseWaitNs = 0;
        raising = false;
    }

    /** The path was heard. What it held before it was moved is still to be copied. */
    void trust(Path path) {
        long bit = 1L << path.id;
        path.suspect(false);
        suspectMask &= ~bit;
        inFlightBytes += path.sender().inFlightBytes();
        if (control != null) {
            control.onSuspect(path, false);
        }
        if (path.sender().orphans() == 0) {
            uncopiedMask &= ~bit;
            copyMask &= ~bit;
        } else {
            copyMask |= bit;
        }
    }

    /** The suspect path has a new epoch. */
    void orphaned(Path path) {
        long bit = 1L << path.id;
        path.copyCursor(path.sender().cum());
        if (path.sender().orphans() == 0) {
            uncopiedMask &= ~bit;
            copyMask &= ~bit;
        } else {
            uncopiedMask |= bit;
        }
    }

    /** Paths that may take new data now, windows aside: not silent, not full, not on trial, and not to be avoided if others are left. */
    long eligible() {
        long good = allMask & ~(suspectMask | trialMask);
        long preferred = good & ~avoidMask;
        return (preferred != 0 ? preferred : good) & ~fullMask;
    }

    /** Whether PSN and congestion windows leave no room for a packet on the path. */
    boolean isFull(Path path) {
        CongestionControl windows = control;
        return !path.sender().hasRoom()
                || windows == null
                || path.sender().inFlightBytes() >= windows.pathWindowBytes(path);
    }

    /** Keeps {@link #fullMask} true after a change on the path. */
    void updateFull(Path path) {
        long bit = 1L << path.id;
        fullMask = isFull(path) ? fullMask | bit : fullMask & ~bit;
    }

    /** Whether anything could go out on the paths now, windows aside. */
    boolean hasSomethingToSend() {
        return ackMask != 0
                || blocksDue
                || probeMask != 0
                || (lostMask & ~suspectMask) != 0
                || copyMask != 0
                || planeNewsDue
                || controlDue
                || workCount != 0;
    }

    /** For the log. */
    String name() {
        return Planes.text(remoteHi, remoteLo) + " slot " + MetaRoce.slot(remotePort);
    }

    /** A line for the log. */
    String lost(String why, long nowNs) {
        return "connection lost: " + name() + ": " + why + ", last heard " + (nowNs - lastHeardNs) / 1_000_000
                + " ms ago";
    }
}
