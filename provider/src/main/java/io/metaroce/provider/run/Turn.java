package io.metaroce.provider.run;

import io.metaroce.provider.slots.Control;
import io.metaroce.provider.sys.Sys;
import io.metaroce.wire.Mem;

/**
 * The turn: whoever holds it owns the engine. The native shim follows the same rules on the same words ({@code mroce_control}).
 *
 * <ul>
 *   <li>A poster sets its doorbell before it looks at the turn; a releaser clears the turn before it looks at the doorbells again. All four are sequentially
 *       consistent, so one of the two sees the other, and no work is stranded.
 *   <li>Nobody waits for the turn to post or poll. Control verbs do: they raise {@code wanted} (posters and pollers then stand back) and sleep on the turn word
 *       while it is 1; a releaser that sees {@code wanted} wakes them, and they look at the doorbells when they let go.
 *   <li>A releaser kicks the daemon if it watches and would sleep past the next deadline.
 * </ul>
 */
final class Turn {
    /** Times a releaser takes the turn again for doorbells that rang meanwhile, before it leaves them to the daemon. */
    static final int RETAKES = 2;

    private static final int SPINS = 100;
    private static final long SLEEP_NS = 2_000_000;

    private final Sys sys;
    private final long control;
    private final long sleep = Mem.alloc(16);
    private final long one = Mem.alloc(8);

    Turn(Sys sys, long control) {
        this.sys = sys;
        this.control = control;
        Mem.putLong(sleep + 8, SLEEP_NS);
        Mem.putLong(one, 1);
    }

    /**
     * Drives the engine once if the turn is free and no control verb waits for it.
     *
     * @return what was moved; -1 when the turn was not to be had
     */
    int drive(Cycle cycle) {
        if (Control.wanted(control) != 0 || !Control.tryTurn(control)) {
            return -1;
        }
        int moved;
        try {
            moved = cycle.run(System.nanoTime());
        } finally {
            letGo();
        }
        return moved + secondLook(cycle);
    }

    /** Waits for the turn. Each call is answered by one {@link #release}. */
    void acquire() {
        acquireUntil(Long.MAX_VALUE);
    }

    /** Waits for the turn; false: the device was closed, and nobody gives the turn back any more. */
    boolean acquireUnlessClosed() {
        return await(Long.MAX_VALUE, true);
    }

    /** Waits for the turn, but not longer than until a time; false: not had. */
    boolean acquireUntil(long deadlineNs) {
        return await(deadlineNs, false);
    }

    private boolean await(long deadlineNs, boolean unlessClosed) {
        Control.addWanted(control, 1);
        boolean had = Control.tryTurn(control);
        for (int i = 0; !had; i++) {
            if (i < SPINS) {
                Thread.onSpinWait();
            } else if ((unlessClosed && Control.state(control) == Control.CLOSED_STATE)
                    || System.nanoTime() > deadlineNs) {
                break;
            } else {
                sys.futexWait(control + Control.TURN, 1, sleep);
            }
            had = Control.tryTurn(control);
        }
        Control.addWanted(control, -1);
        return had;
    }

    /** Gives the turn back and drives for the doorbells that rang meanwhile. */
    void release(Cycle cycle) {
        letGo();
        secondLook(cycle);
    }

    private void letGo() {
        Control.releaseTurn(control);
        if (Control.wanted(control) != 0) {
            sys.futexWake(control + Control.TURN, Integer.MAX_VALUE);
        }
        if (Control.daemonState(control) == Control.DAEMON_WATCH
                && Control.nextDeadlineNs(control) < Control.daemonWakeNs(control)) {
            kick();
        }
    }

    private int secondLook(Cycle cycle) {
        int moved = 0;
        for (int i = 0; ; i++) {
            // Whoever waits for the turn looks at the doorbells itself.
            if (!Control.dirty(control) || Control.wanted(control) != 0) {
                return moved;
            }
            if (i == RETAKES) {
                kick();
                return moved;
            }
            if (!Control.tryTurn(control)) {
                return moved; // it was taken after the bit was set: its holder scans
            }
            try {
                moved += cycle.run(System.nanoTime());
            } finally {
                letGo();
            }
        }
    }

    /** Wakes the daemon. */
    void kick() {
        sys.write(Control.kickFd(control), one, 8);
    }

    void close() {
        Mem.free(sleep);
        Mem.free(one);
    }
}
