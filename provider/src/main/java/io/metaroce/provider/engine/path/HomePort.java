package io.metaroce.provider.engine.path;

/**
 * The source port that a path began with. A path that had to leave it tries it again from time to time: a route that was repaired is found, and the paths are spread
 * over the network as they were (protocol section 13). A trial begins when nothing is in flight, so that nothing is overtaken, and costs one PROBE.
 */
public final class HomePort {
    /** From a move to the first trial. */
    public static final long FIRST_WAIT_NS = 50_000_000L;

    /** Longest time between trials. A path that was at home for longer had a home that works. */
    public static final long MAX_WAIT_NS = 1_000_000_000L;

    public final int port;

    private long sinceNs = Long.MIN_VALUE / 2;
    private long waitNs = FIRST_WAIT_NS;
    private long dueNs = Long.MAX_VALUE;
    private boolean trying;
    private boolean asked;
    private int awayPort;
    private int order;

    HomePort(int port) {
        this.port = port;
    }

    /** When to begin a trial; during one, when it has failed; Long.MAX_VALUE at home. */
    public long dueNs() {
        return dueNs;
    }

    /** The trial must wait for something else. */
    public void postpone(long untilNs) {
        dueNs = untilNs;
    }

    /** Whether the path gets no data because of a trial. */
    public boolean trying() {
        return trying;
    }

    /** Whether the PROBE of a trial is under way: the path has the source port of its home. */
    public boolean asked() {
        return asked;
    }

    /** The path has another port now. */
    void onMoved(int newPort, long nowNs) {
        if (newPort == port) {
            onArrived(nowNs);
        } else if (dueNs == Long.MAX_VALUE) {
            waitNs = nowNs - sinceNs > MAX_WAIT_NS ? FIRST_WAIT_NS : Math.min(2 * waitNs, MAX_WAIT_NS);
            dueNs = nowNs + waitNs;
        }
    }

    void begin(long untilNs) {
        trying = true;
        dueNs = untilNs;
    }

    /** The next transmission, which has this order, asks by way of the home. */
    void onAsked(int present, int txOrder) {
        asked = true;
        awayPort = present;
        order = txOrder;
    }

    /** Whether an echo of this transmit order shows that the home works. */
    boolean answeredBy(int highest) {
        return asked && highest - order >= 0;
    }

    void onArrived(long nowNs) {
        trying = false;
        asked = false;
        dueNs = Long.MAX_VALUE;
        sinceNs = nowNs;
    }

    /** Returns the port that the path has after that. */
    int onFailed(int present) {
        int back = asked ? awayPort : present;
        trying = false;
        asked = false;
        waitNs = Math.min(2 * waitNs, MAX_WAIT_NS);
        dueNs += waitNs;
        return back;
    }
}
