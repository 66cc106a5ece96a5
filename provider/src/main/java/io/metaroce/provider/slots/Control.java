package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_control}: the words that the application's threads, the holder of the turn and the daemon thread share. All access is sequentially
 * consistent unless said otherwise (concurrency rules: the turn, the doorbells and the sleep of the daemon are pairs of store and load).
 */
public final class Control {
    public static final int TURN = 0;
    public static final int WANTED = 64;
    public static final int DAEMON_STATE = 128;
    public static final int ARMED_CQS = 132;
    public static final int KICK_FD = 136;
    public static final int STATE = 140;
    public static final int DAEMON_WAKE_NS = 192;
    public static final int NEXT_DEADLINE_NS = 200;
    public static final int LAST_DRIVE_NS = 256;
    public static final int CLOSED = 264;
    public static final int SUMMARY = 320;
    public static final int LEAF = 384;
    public static final int SIZE = LEAF + 256 * 8;

    /** Words of the summary and of the leaves. */
    public static final int SUMMARY_WORDS = 4;

    public static final int LEAF_WORDS = 256;

    /** {@code enum mroce_daemon_state}. */
    public static final int DAEMON_NONE = 0;

    public static final int DAEMON_BUSY = 1;
    public static final int DAEMON_WATCH = 2;
    public static final int DAEMON_PATROL = 3;

    /** {@code enum mroce_process_state}. */
    public static final int STARTING = 0;

    public static final int RUNNING = 1;
    public static final int FATAL = 2;
    public static final int CLOSING = 3;
    public static final int CLOSED_STATE = 4;

    private Control() {}

    /** A zeroed control block for a process without C. */
    public static long allocate() {
        return Mem.alloc(SIZE);
    }

    /** Takes the turn if it is free; never waits. */
    public static boolean tryTurn(long control) {
        return Mem.getIntVolatile(control + TURN) == 0 && Mem.compareAndSetInt(control + TURN, 0, 1);
    }

    /** Gives the turn back. The caller then looks at the summary and at {@code wanted} again. */
    public static void releaseTurn(long control) {
        Mem.putIntVolatile(control + TURN, 0);
    }

    public static boolean turnHeld(long control) {
        return Mem.getIntVolatile(control + TURN) != 0;
    }

    /** Control verbs that wait for the turn. */
    public static int wanted(long control) {
        return Mem.getIntVolatile(control + WANTED);
    }

    /** Adds to {@code wanted}; the value before. */
    public static int addWanted(long control, int delta) {
        return Mem.getAndAddInt(control + WANTED, delta);
    }

    public static int daemonState(long control) {
        return Mem.getIntVolatile(control + DAEMON_STATE);
    }

    public static void daemonState(long control, int value) {
        Mem.putIntVolatile(control + DAEMON_STATE, value);
    }

    /** CQs armed and not fired. */
    public static int armedCqs(long control) {
        return Mem.getIntVolatile(control + ARMED_CQS);
    }

    public static int addArmedCqs(long control, int delta) {
        return Mem.getAndAddInt(control + ARMED_CQS, delta);
    }

    public static int kickFd(long control) {
        return Mem.getInt(control + KICK_FD);
    }

    public static void kickFd(long control, int value) {
        Mem.putInt(control + KICK_FD, value);
    }

    public static int state(long control) {
        return Mem.getIntVolatile(control + STATE);
    }

    public static void state(long control, int value) {
        Mem.putIntVolatile(control + STATE, value);
    }

    public static long daemonWakeNs(long control) {
        return Mem.getLongVolatile(control + DAEMON_WAKE_NS);
    }

    public static void daemonWakeNs(long control, long value) {
        Mem.putLongVolatile(control + DAEMON_WAKE_NS, value);
    }

    public static long nextDeadlineNs(long control) {
        return Mem.getLongVolatile(control + NEXT_DEADLINE_NS);
    }

    public static void nextDeadlineNs(long control, long value) {
        Mem.putLongVolatile(control + NEXT_DEADLINE_NS, value);
    }

    /** Read by the daemon with no more than acquire order: it is a hint. */
    public static long lastDriveNs(long control) {
        return Mem.getLongAcquire(control + LAST_DRIVE_NS);
    }

    public static void lastDriveNs(long control, long value) {
        Mem.putLongRelease(control + LAST_DRIVE_NS, value);
    }

    public static int closed(long control) {
        return Mem.getIntVolatile(control + CLOSED);
    }

    public static void closed(long control, int value) {
        Mem.putIntVolatile(control + CLOSED, value);
    }

    /** Says that the QP has new work: its bit in the leaf first, then the leaf's bit in the summary. */
    public static void ring(long control, int qp) {
        int leaf = qp >>> 6;
        Mem.getAndBitwiseOrLong(control + LEAF + 8L * leaf, 1L << (qp & 63));
        Mem.getAndBitwiseOrLong(control + SUMMARY + 8L * (leaf >>> 6), 1L << (leaf & 63));
    }

    /** Whether any doorbell is set: the poster's second look and the releaser's. */
    public static boolean dirty(long control) {
        for (int i = 0; i < SUMMARY_WORDS; i++) {
            if (Mem.getLongVolatile(control + SUMMARY + 8L * i) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Takes a summary word and leaves 0. */
    public static long takeSummary(long control, int word) {
        long at = control + SUMMARY + 8L * word;
        return Mem.getLongVolatile(at) == 0 ? 0 : Mem.getAndSetLong(at, 0);
    }

    /** Takes a leaf word and leaves 0: bit b is QP {@code leaf << 6 | b}. */
    public static long takeLeaf(long control, int leaf) {
        return Mem.getAndSetLong(control + LEAF + 8L * leaf, 0);
    }
}
