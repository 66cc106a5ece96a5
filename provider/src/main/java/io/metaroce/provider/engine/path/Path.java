package io.metaroce.provider.engine.path;

/**
 * One way to the peer: a local plane, a remote plane, a UDP source port. It has its own PSN space, window, RTT and loss state, and a life: GOOD, or SUSPECT while it
 * is silent (protocol section 8).
 */
public final class Path {
    /** Our number of it, told in every frame. */
    public final int id;

    public final int localPlane;
    public final int peerPlane;
    /** Handle of Routes. */
    public final int destination;

    /** Number of its timer. */
    public final int timer;

    private final PathSender sender = new PathSender();
    private final RttEstimator rtt = new RttEstimator();
    private final TailProbe tail = new TailProbe();
    private int sourcePort;
    private boolean suspect;
    private int probeAttempt;
    private int ceCount;
    private long lookAgainNs = Long.MAX_VALUE;

    public Path(int id, int localPlane, int peerPlane, int destination, int sourcePort, int timer) {
        this.id = id;
        this.localPlane = localPlane;
        this.peerPlane = peerPlane;
        this.destination = destination;
        this.sourcePort = sourcePort;
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
        return 0;
    }

    /** ECMP entropy. */
    public int sourcePort() {
        return sourcePort;
    }

    public void sourcePort(int port) {
        sourcePort = port;
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

    public void probeAttempt(int attempt) {
        probeAttempt = attempt;
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

    /** When a suspect path is to be judged once more; Long.MAX_VALUE when no time is set. */
    public long lookAgainNs() {
        return lookAgainNs;
    }

    public void lookAgainNs(long atNs) {
        lookAgainNs = atNs;
    }

    /** When this path wants to be looked at next: tail marker, probe time-out or a second look; Long.MAX_VALUE when it is idle. */
    public long dueNs(long ptoNs) {
        if (!sender.outstanding()) {
            return Long.MAX_VALUE;
        }
        long probeNs = Math.min(tail.markerDueNs(rtt), tail.expiryNs(sender.oldestSentNs(), ptoNs));
        return Math.min(probeNs, lookAgainNs);
    }
}
