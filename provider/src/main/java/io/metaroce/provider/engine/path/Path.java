package io.metaroce.provider.engine.path;

/**
 * One way to the peer: a local plane, a remote plane, a UDP source port. It has its own PSN space, window, RTT and loss state, and a life: GOOD, or SUSPECT while it
 * is silent (protocol section 13).
 */
public final class Path {
    /** Our number of it, told in every frame. */
    public final int id;

    public final Plane plane;
    public final int localPlane;
    public final int peerPlane;
    /** Handle of Routes. */
    public final int destination;

    /** Number of its timer. */
    public final int timer;

    private static final int MAX_ATTEMPT = 15;
    private static final long NOT_DOUBTED = Long.MIN_VALUE;
    private static final long LEAST_DOUBT_NS = 10_000;

    private final PathSender sender = new PathSender();
    private final RttEstimator rtt = new RttEstimator();
    private final TailProbe tail = new TailProbe();
    private final HomePort home;
    private int sourcePort;
    private boolean suspect;
    private int probeAttempt;
    private int attempts;
    private int ceCount;
    private long lookAgainNs = Long.MAX_VALUE;
    private boolean muted;
    private int lostProbes;
    private int rePaths;
    private long silentSinceNs;
    private int othersHeard;
    private int copyCursor;
    private long doubtedNs = NOT_DOUBTED;

    public Path(int id, Plane plane, int destination, int sourcePort, int timer) {
        this.id = id;
        this.plane = plane;
        this.localPlane = plane.localPlane;
        this.peerPlane = plane.peerPlane;
        this.destination = destination;
        this.sourcePort = sourcePort;
        this.home = new HomePort(sourcePort);
        this.timer = timer;
    }

    public PathSender sender() {
        return sender;
    }

    public RttEstimator rtt() {
        return rtt;
    }

    public TailProbe tail() {
        return tail;
    }

    /** Bumped by every re-path. */
    public int epoch() {
        return sender.epoch();
    }

    /** ECMP entropy. */
    public int sourcePort() {
        return sourcePort;
    }

    /** The path takes another route from now on. */
    public void moveTo(int port, long nowNs) {
        sourcePort = port;
        home.onMoved(port, nowNs);
    }

    /** Its first source port, and when to try it again. */
    public HomePort home() {
        return home;
    }

    /** No new data until the trial of the first source port is over, at {@code untilNs} at the latest. */
    public void beginTrial(long untilNs) {
        home.begin(untilNs);
    }

    /** Nothing is in flight: the next PROBE goes by the first source port. */
    public void askHome() {
        home.onAsked(sourcePort, sender.txOrder() + 1);
        sourcePort = home.port;
        markTail();
    }

    /** Whether the PROBE by the first source port has been answered; then the path stays there. */
    public boolean homeAnswers(long nowNs) {
        boolean answered = home.answeredBy(sender.highest());
        if (answered) {
            home.onArrived(nowNs);
        }
        return answered;
    }

    /** The trial has failed: the path goes on where it was. */
    public void endTrial() {
        sourcePort = home.onFailed(sourcePort);
    }

    /** Silent for two probe time-outs with data outstanding: no new data goes this way. */
    public boolean suspect() {
        return suspect;
    }

    public void suspect(boolean value) {
        suspect = value;
    }

    /** Attempt told in the next PROBE: 0 for a tail marker. */
    public int probeAttempt() {
        return probeAttempt;
    }

    /** The next PROBE is a tail marker. */
    public void markTail() {
        probeAttempt = 0;
    }

    /** The next PROBE asks whether the path lives: its attempt is another one than before, so that the answer takes another way back. */
    public void askAnew() {
        attempts = attempts % MAX_ATTEMPT + 1;
        probeAttempt = attempts;
    }

    /** CE marks that an ACK reports for the first time, given the peer's count modulo 65536. */
    public int newCeMarks(int count) {
        int more = (short) (count - ceCount);
        if (more <= 0) {
            return 0;
        }
        ceCount = count;
        return more;
    }

    /** A new epoch: the peer counts from 0 again. */
    public void rePath() {
        sender.rePath();
        ceCount = 0;
    }

    /** PROBEs lost since the path is suspect or was moved. */
    public int lostProbes() {
        return lostProbes;
    }

    public void lostProbes(int count) {
        lostProbes = count;
    }

    /** When the path that is suspect now should have been heard at the latest, had it been well. */
    public long silentSinceNs() {
        return silentSinceNs;
    }

    public void silentSinceNs(long atNs) {
        silentSinceNs = atNs;
    }

    /** Times it was moved since it was heard. */
    public int rePaths() {
        return rePaths;
    }

    public void rePaths(int count) {
        rePaths = count;
    }

    /** A path of a dead plane that leaves the probing to another one. */
    public boolean muted() {
        return muted;
    }

    public void muted(boolean value) {
        muted = value;
    }

    /** While the path is suspect: the first PSN that may still have to be copied to another path. */
    public int copyCursor() {
        int cum = sender.cum();
        return copyCursor - cum < 0 ? cum : copyCursor;
    }

    public void copyCursor(int psn) {
        copyCursor = psn;
    }

    /** News on the connection, counted, when this path was heard last or began to have something in flight. */
    public int othersHeard() {
        return othersHeard;
    }

    /** The path is as good as heard: silence counts from here. */
    public void othersHeard(int count) {
        othersHeard = count;
        doubtedNs = NOT_DOUBTED;
    }

    /** When silence was noticed first; Long.MIN_VALUE when it was not. */
    public long doubtedNs() {
        return doubtedNs;
    }

    public void doubtedNs(long atNs) {
        doubtedNs = atNs;
    }

    /** When a suspect path is to be judged once more; Long.MAX_VALUE when no time is set. */
    public long lookAgainNs() {
        return lookAgainNs;
    }

    public void lookAgainNs(long atNs) {
        lookAgainNs = atNs;
    }

    /** When silence is long enough to ask; then, when the answer is late. */
    public long silenceNs(long peerAckDelayNs) {
        if (doubtedNs != NOT_DOUBTED) {
            return doubtedNs + rtt.srttNs() + 2 * rtt.rttvarNs() + LEAST_DOUBT_NS;
        }
        return Math.max(sender.oldestSentNs(), tail.lastHeardNs())
                + 2 * rtt.srttNs()
                + 4 * rtt.rttvarNs()
                + 2 * peerAckDelayNs;
    }

    /** When this path wants to be looked at next: marker, probe time-out, silence, lateness, a second look or its home; Long.MAX_VALUE when it is idle. */
    public long dueNs(long ptoNs, long peerAckDelayNs) {
        if (suspect) {
            return muted ? Long.MAX_VALUE : Math.min(tail.expiryNs(sender.oldestSentNs(), ptoNs), lookAgainNs);
        }
        if (!sender.outstanding()) {
            return home.trying() ? home.dueNs() : Long.MAX_VALUE;
        }
        long probeNs =
                Math.min(tail.markerDueNs(rtt, sender.probeAnswered()), tail.expiryNs(sender.oldestSentNs(), ptoNs));
        long silentNs = sender.inFlight() == 0 ? Long.MAX_VALUE : silenceNs(peerAckDelayNs);
        long soonNs = Math.min(Math.min(probeNs, silentNs), Math.min(lookAgainNs, sender.lateNs(rtt.srttNs())));
        return Math.min(soonNs, home.dueNs());
    }
}
