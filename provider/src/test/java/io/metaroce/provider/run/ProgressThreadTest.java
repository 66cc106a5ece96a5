package io.metaroce.provider.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.config.Config;
import io.metaroce.provider.link.Link;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.slots.Control;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.wire.Mem;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The daemon with a link whose descriptor a test makes readable and a cycle that counts. What must happen is waited for; a time limit ends a test that waits in vain. */
@Timeout(60)
final class ProgressThreadTest {
    private final Sys sys = Sys.get();
    private final long control = Control.allocate();
    private final long one = Mem.alloc(16);
    private final Turn turn = new Turn(sys, control);
    private final IdlePolicy policy = new IdlePolicy(control);
    private final AtomicInteger cycles = new AtomicInteger();
    private final AtomicInteger frames = new AtomicInteger();
    private final AtomicInteger closes = new AtomicInteger();
    private final AtomicLong deadline = new AtomicLong(Long.MAX_VALUE);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final EventLink link = new EventLink();
    private volatile boolean broken;
    private ProgressThread daemon = new ProgressThread(
            sys,
            control,
            turn,
            policy,
            this::cycle,
            Config.DaemonClass.NORMAL,
            link,
            closes::incrementAndGet,
            failure::set);

    /** A link of one descriptor and no frames. */
    private final class EventLink implements Link {
        final int fd = sys.eventfd(0, Linux.EFD_CLOEXEC | Linux.EFD_NONBLOCK);

        void frameArrives() {
            Mem.putLong(one, 1);
            sys.write(fd, one, 8);
        }

        @Override
        public int poll(RxBatch batch, long nowNs) {
            return 0;
        }

        @Override
        public void flush(long nowNs) {}

        @Override
        public boolean isCongested() {
            return false;
        }

        @Override
        public int fds() {
            return 1;
        }

        @Override
        public int fd(int i) {
            return fd;
        }

        @Override
        public long begin(int destination) {
            return 0;
        }

        @Override
        public void commit(int destination, int sourcePort, int bytes) {}

        @Override
        public void close() {
            sys.close(fd);
        }
    }

    private int cycle(long nowNs) {
        if (broken) {
            throw new IllegalStateException("broken");
        }
        cycles.incrementAndGet();
        int n = sys.read(link.fd, one + 8, 8) == 8 ? (int) Mem.getLong(one + 8) : 0;
        frames.addAndGet(n);
        policy.daemonDrove(n);
        if (deadline.get() <= nowNs) {
            deadline.set(Long.MAX_VALUE);
        }
        Control.nextDeadlineNs(control, deadline.get());
        return n;
    }

    @BeforeEach
    void open() {
        Control.kickFd(control, sys.eventfd(0, Linux.EFD_CLOEXEC | Linux.EFD_NONBLOCK));
        Control.nextDeadlineNs(control, Long.MAX_VALUE);
        Control.state(control, Control.RUNNING);
        daemon = new ProgressThread(
                sys,
                control,
                turn,
                policy,
                this::cycle,
                Config.DaemonClass.NORMAL,
                link,
                closes::incrementAndGet,
                failure::set);
        daemon.start();
    }

    @AfterEach
    void close() {
        Control.state(control, Control.CLOSING);
        turn.kick();
        daemon.join();
        assertEquals(1, closes.get());
        link.close();
        sys.close(Control.kickFd(control));
        turn.close();
        Mem.free(control);
        Mem.free(one);
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    private boolean watches() {
        return Control.daemonState(control) == Control.DAEMON_WATCH;
    }

    @Test
    void it_watches_the_link_while_nobody_drives() {
        for (int i = 1; i <= 20; i++) {
            await(this::watches);
            link.frameArrives();
            int expected = i;
            await(() -> frames.get() == expected);
        }
    }

    @Test
    void a_kick_wakes_it_and_it_drives_for_the_doorbells() {
        await(this::watches);
        int before = cycles.get();
        turn.kick();
        await(() -> cycles.get() > before);
    }

    /** A program posts and then sleeps in epoll: its resends are the daemon's, though the deadline was set after it fell asleep. */
    @Test
    void a_deadline_that_comes_nearer_while_it_sleeps_is_kept() {
        await(this::watches);
        await(() -> Control.daemonWakeNs(control) > System.nanoTime() + 500_000_000);
        deadline.set(System.nanoTime() + 5_000_000);
        turn.drive(this::cycle);
        await(() -> deadline.get() == Long.MAX_VALUE);
    }

    @Test
    void it_patrols_while_the_application_drives_and_watches_again_afterwards() {
        await(this::watches);
        Cycle application = now -> {
            if (policy.applicationDrove(1, now)) {
                turn.kick();
            }
            return 1;
        };
        await(() -> {
            turn.drive(application);
            return Control.daemonState(control) == Control.DAEMON_PATROL;
        });
        // Nobody drives any more.
        await(this::watches);
        link.frameArrives();
        await(() -> frames.get() == 1);
    }

    @Test
    void it_waits_for_a_held_turn_without_losing_the_frame() {
        await(this::watches);
        turn.acquire();
        link.frameArrives();
        await(() -> Control.daemonState(control) != Control.DAEMON_WATCH);
        assertEquals(0, frames.get());
        turn.release(now -> 0);
        await(() -> frames.get() == 1);
    }

    @Test
    void a_cycle_that_throws_is_told_once_and_the_process_can_still_close() {
        await(this::watches);
        broken = true;
        link.frameArrives();
        await(() -> failure.get() != null);
        assertTrue(String.valueOf(failure.get()).contains("broken"));
    }
}
