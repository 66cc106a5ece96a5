package io.metaroce.provider.run;

import io.metaroce.provider.config.Config;
import io.metaroce.provider.link.Link;
import io.metaroce.provider.slots.Control;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.wire.Mem;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The daemon: it stands by for one-sided targets, timers, event channels and programs that call no verb, and it closes the device at exit. What it does when is
 * {@link IdlePolicy}'s; here are the sleeps.
 */
final class ProgressThread implements Runnable {
    /** Sleep when the turn is found held. */
    private static final long HELD_SLEEP_NS = 50_000;

    /** Cycles that run interpreted or half compiled. A real-time thread must not keep the compiler from its core meanwhile: after a run it rests. */
    private static final int WARM_DRIVES = 20_000;

    private static final long COLD_RUN_NS = 1_000_000;
    private static final long COLD_REST_NS = 500_000;

    private static final int POLLFD_BYTES = 8;
    private static final int CPU_MASK_BYTES = 128;

    private final Sys sys;
    private final long control;
    private final Turn turn;
    private final IdlePolicy policy;
    private final Config.DaemonClass wanted;
    private final Cycle cycle;
    private final Runnable close;
    private final Consumer<Throwable> fatal;
    private final int kickFd;
    private final int linkFds;
    private final long fds; // the kick descriptor first, then those of the link
    private final long timespec = Mem.alloc(16);
    private final long counter = Mem.alloc(8);
    private @Nullable Thread thread;
    private long lastFrameNs;
    private int drives; // that moved something, up to WARM_DRIVES

    /**
     * @param cycle the duty cycle as the daemon's
     * @param wanted its scheduling class
     * @param close run once, by this thread, when the process closes
     * @param fatal told what a cycle threw; the thread goes on only to close
     */
    ProgressThread(
            Sys sys,
            long control,
            Turn turn,
            IdlePolicy policy,
            Cycle cycle,
            Config.DaemonClass wanted,
            Link link,
            Runnable close,
            Consumer<Throwable> fatal) {
        this.sys = sys;
        this.control = control;
        this.turn = turn;
        this.policy = policy;
        this.cycle = cycle;
        this.wanted = wanted;
        this.close = close;
        this.fatal = fatal;
        kickFd = Control.kickFd(control);
        linkFds = link.fds();
        fds = Mem.alloc((long) POLLFD_BYTES * (1 + linkFds));
        putFd(0, kickFd);
        for (int i = 0; i < linkFds; i++) {
            putFd(1 + i, link.fd(i));
        }
    }

    private void putFd(int i, int fd) {
        Mem.putInt(fds + (long) POLLFD_BYTES * i, fd);
        Mem.putShort(fds + (long) POLLFD_BYTES * i + 4, Linux.POLLIN);
    }

    private static boolean setRealTime(Sys sys) {
        long parameter = Mem.alloc(8);
        Mem.putInt(parameter, 1);
        boolean done = sys.schedSetScheduler(Linux.SCHED_FIFO, parameter) == 0;
        Mem.free(parameter);
        return done;
    }

    void start() {
        Thread t = new Thread(this, "mroce-daemon");
        t.setDaemon(true);
        thread = t;
        t.start();
    }

    /** Waits until the thread has ended. */
    void join() {
        Thread t = thread;
        if (t != null && t != Thread.currentThread()) {
            boolean interrupted = false;
            while (t.isAlive()) {
                try {
                    t.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Gives its memory back, after {@link #join}. */
    void close() {
        Mem.free(fds);
        Mem.free(timespec);
        Mem.free(counter);
    }

    @Override
    public void run() {
        resetAffinity();
        policy.realTime(wanted != Config.DaemonClass.NORMAL && setRealTime(sys));
        try {
            while (!isClosing()) {
                step();
            }
        } catch (Throwable t) {
            fatal.accept(t);
            while (!isClosing()) {
                sleepOnKick(IdlePolicy.LONGEST_WATCH_NS);
            }
        }
        Control.daemonState(control, Control.DAEMON_BUSY);
        close.run();
    }

    private boolean isClosing() {
        int state = Control.state(control);
        return state == Control.CLOSING || state == Control.CLOSED_STATE;
    }

    /** The core that a program was bound to is the one that its own threads use. */
    private void resetAffinity() {
        long mask = Mem.alloc(CPU_MASK_BYTES);
        Mem.fill(mask, CPU_MASK_BYTES, 0xff);
        sys.schedSetAffinity(CPU_MASK_BYTES, mask);
        Mem.free(mask);
    }

    private void step() {
        if (policy.patrols(System.nanoTime())) {
            patrol();
            return;
        }
        watch();
        if (isClosing()) {
            return;
        }
        Control.daemonState(control, Control.DAEMON_BUSY);
        drain();
    }

    private void patrol() {
        Control.daemonState(control, Control.DAEMON_PATROL);
        if (!isClosing()) {
            sleepOnKick(policy.tickNs());
        }
    }

    /** Sleeps until a frame comes, a kick, or the deadline. Publishes first what it will do, then looks whether that is still right. */
    private void watch() {
        long now = System.nanoTime();
        long until = policy.watchUntilNs(now);
        Control.daemonWakeNs(control, until);
        Control.daemonState(control, Control.DAEMON_WATCH);
        long deadline = policy.watchUntilNs(now);
        if (Control.dirty(control) || isClosing()) {
            return;
        }
        long sleepNs = Math.min(until, deadline) - now;
        if (sleepNs > 0) {
            setTimespec(sleepNs);
            if (sys.ppoll(fds, 1 + linkFds, timespec) > 0) {
                if ((Mem.getShort(fds + 6) & Linux.POLLIN) != 0) {
                    takeKick();
                }
                clearErrors();
            }
        }
    }

    /** A netdev that went down leaves an error on its sockets (packet(7)), which would end every sleep at once until somebody reads it. */
    private void clearErrors() {
        for (int i = 1; i <= linkFds; i++) {
            long at = fds + (long) POLLFD_BYTES * i;
            if ((Mem.getShort(at + 6) & Linux.POLLERR) != 0) {
                Mem.putInt(counter + 4, 4);
                sys.getsockopt(Mem.getInt(at), Linux.SOL_SOCKET, Linux.SO_ERROR, counter, counter + 4);
            }
        }
    }

    /** Drives until nothing is left, and a while longer where that harms nobody. */
    private void drain() {
        long yieldNs = 0;
        long start = System.nanoTime();
        while (!isClosing()) {
            int moved = turn.drive(cycle);
            if (moved < 0) {
                sleepOnKick(HELD_SLEEP_NS);
                return;
            }
            long now = System.nanoTime();
            if (moved > 0) {
                lastFrameNs = now;
                if (drives < WARM_DRIVES) {
                    drives++;
                    if (now - start > COLD_RUN_NS) {
                        sleepOnKick(COLD_REST_NS);
                        start = System.nanoTime();
                    }
                }
                continue;
            }
            if (!policy.keepsPolling(now, lastFrameNs, yieldNs)) {
                return;
            }
            sys.schedYield();
            yieldNs = System.nanoTime() - now;
        }
    }

    private void sleepOnKick(long ns) {
        setTimespec(ns);
        if (sys.ppoll(fds, 1, timespec) > 0) {
            takeKick();
        }
    }

    private void takeKick() {
        sys.read(kickFd, counter, 8);
    }

    private void setTimespec(long ns) {
        Mem.putLong(timespec, ns / 1_000_000_000);
        Mem.putLong(timespec + 8, ns % 1_000_000_000);
    }
}
