package io.metaroce.provider.run;

import io.metaroce.provider.slots.Control;

/**
 * What the daemon thread does next, as plain arithmetic over the control block and the time.
 *
 * <p>While nobody else drives it watches the link; while an application's thread drives it patrols with a coarse tick, for a thread asleep on the link's descriptor costs the
 * driving thread its latency. In the default scheduling class it goes on polling for a while after the last frame, until a yield that comes back late tells that somebody
 * wants the core; in a real-time class it never does, for there a yield never comes back late.
 */
final class IdlePolicy {
    /** Receive batches in a row, drained by application threads, after which the daemon patrols. */
    static final int APPLICATION_BATCHES = 16;

    static final long TICK_NS = 4_000_000;

    /** The tick while a CQ is armed. */
    static final long ARMED_TICK_NS = 50_000;

    static final long POLL_AFTER_FRAME_NS = 100_000;
    static final long LATE_YIELD_NS = 20_000;

    /** Longest sleep of a watching daemon. */
    static final long LONGEST_WATCH_NS = 1_000_000_000;

    private final long control;
    private boolean realTime; // the daemon's own
    private volatile int applicationBatches;

    IdlePolicy(long control) {
        this.control = control;
    }

    /** By the daemon itself, before it begins: whether it has a real-time class. */
    void realTime(boolean value) {
        realTime = value;
    }

    /**
     * Under the turn: an application's thread ran a cycle.
     *
     * @return true when the daemon watches and must be kicked out of its sleep on the link
     */
    boolean applicationDrove(int received, long nowNs) {
        Control.lastDriveNs(control, nowNs);
        int batches = applicationBatches;
        if (received == 0 || batches >= APPLICATION_BATCHES) {
            return false;
        }
        applicationBatches = batches + 1;
        return batches + 1 == APPLICATION_BATCHES && Control.daemonState(control) == Control.DAEMON_WATCH;
    }

    /**
     * Under the turn: the daemon ran a cycle. Frames that it found say that it has to watch: a program that spins on memory posts often, which drives, and still needs the
     * daemon for what arrives meanwhile.
     */
    void daemonDrove(int received) {
        if (received != 0) {
            applicationBatches = 0;
        }
    }

    private boolean applicationIsAbout(long nowNs) {
        return nowNs - Control.lastDriveNs(control) < POLL_AFTER_FRAME_NS;
    }

    /** The daemon has nothing to do: whether it patrols, else it watches. */
    boolean patrols(long nowNs) {
        if (applicationBatches < APPLICATION_BATCHES) {
            return false;
        }
        if (nowNs - Control.lastDriveNs(control) > tickNs()) {
            applicationBatches = 0;
            return false;
        }
        return true;
    }

    /** Sleep of a patrolling daemon. */
    long tickNs() {
        return Control.armedCqs(control) != 0 ? ARMED_TICK_NS : TICK_NS;
    }

    /**
     * Whether a daemon that found nothing polls once more instead of sleeping.
     *
     * @param lastFrameNs when it moved something last
     * @param yieldNs how long its last sched_yield was away
     */
    boolean keepsPolling(long nowNs, long lastFrameNs, long yieldNs) {
        return !realTime
                && yieldNs <= LATE_YIELD_NS
                && nowNs - lastFrameNs < POLL_AFTER_FRAME_NS
                && !applicationIsAbout(nowNs);
    }

    /** When a watching daemon wakes by itself: the engine's deadline, at most a second from now. */
    long watchUntilNs(long nowNs) {
        return Math.min(Control.nextDeadlineNs(control), nowNs + LONGEST_WATCH_NS);
    }
}
