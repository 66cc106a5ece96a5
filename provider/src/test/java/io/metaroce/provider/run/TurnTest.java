package io.metaroce.provider.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.slots.Control;
import io.metaroce.provider.sys.Errno;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.wire.Mem;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rules of the turn, by interleavings made by hand and by many threads with counters. */
final class TurnTest {
    private static final int QPS = 9000; // over three summary words

    private final Sys sys = Sys.get();
    private final long control = Control.allocate();
    private final long scratch = Mem.alloc(8);
    private final Turn turn = new Turn(sys, control);

    @BeforeEach
    void open() {
        Control.kickFd(control, sys.eventfd(0, Linux.EFD_CLOEXEC | Linux.EFD_NONBLOCK));
        Control.nextDeadlineNs(control, Long.MAX_VALUE);
    }

    @AfterEach
    void close() {
        sys.close(Control.kickFd(control));
        turn.close();
        Mem.free(control);
        Mem.free(scratch);
    }

    private long kicks() {
        long n = sys.read(Control.kickFd(control), scratch, 8);
        return n == -Errno.EAGAIN ? 0 : Mem.getLong(scratch);
    }

    /** Takes all doorbells; returns their number. */
    private int takeDoorbells(AtomicIntegerArray handled) {
        int n = 0;
        for (int word = 0; word < Control.SUMMARY_WORDS; word++) {
            for (long leaves = Control.takeSummary(control, word); leaves != 0; leaves &= leaves - 1) {
                int leaf = word << 6 | Long.numberOfTrailingZeros(leaves);
                for (long bits = Control.takeLeaf(control, leaf); bits != 0; bits &= bits - 1) {
                    handled.incrementAndGet(leaf << 6 | Long.numberOfTrailingZeros(bits));
                    n++;
                }
            }
        }
        return n;
    }

    /** The schedule that strands work without the second look: the poster rings after the scan and finds the turn held. */
    @Test
    void work_posted_after_the_scan_is_found_by_the_releasers_second_look() {
        AtomicIntegerArray handled = new AtomicIntegerArray(16384);
        AtomicInteger cycles = new AtomicInteger();
        Cycle cycle = now -> {
            int n = takeDoorbells(handled);
            if (cycles.getAndIncrement() == 0) {
                Control.ring(control, 9000);
                assertEquals(-1, turn.drive(t -> 0), "the turn is held: the poster goes on");
            }
            return n;
        };
        assertEquals(1, turn.drive(cycle));
        assertEquals(2, cycles.get());
        assertEquals(1, handled.get(9000));
        assertFalse(Control.dirty(control));
        assertFalse(Control.turnHeld(control));
        assertEquals(0, kicks());
    }

    @Test
    void a_releaser_takes_the_turn_again_twice_and_then_kicks_the_daemon() {
        AtomicIntegerArray handled = new AtomicIntegerArray(16384);
        AtomicInteger cycles = new AtomicInteger();
        turn.drive(now -> {
            cycles.incrementAndGet();
            int n = takeDoorbells(handled);
            Control.ring(control, 5);
            return n;
        });
        assertEquals(1 + Turn.RETAKES, cycles.get());
        assertTrue(Control.dirty(control));
        assertEquals(1, kicks());
    }

    @Test
    void pollers_stand_back_while_a_control_verb_waits() {
        Control.addWanted(control, 1);
        AtomicInteger cycles = new AtomicInteger();
        assertEquals(-1, turn.drive(now -> cycles.incrementAndGet()));
        Control.addWanted(control, -1);
        assertEquals(0, cycles.get());
        assertEquals(1, turn.drive(now -> cycles.incrementAndGet()));
    }

    @Test
    void a_control_verb_drives_for_those_who_stood_back_for_it() {
        AtomicIntegerArray handled = new AtomicIntegerArray(16384);
        turn.acquire();
        Control.ring(control, 77);
        assertEquals(-1, turn.drive(now -> 0));
        turn.release(now -> takeDoorbells(handled));
        assertEquals(1, handled.get(77));
    }

    @Test
    void a_control_verb_that_sleeps_is_woken_by_the_release() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            turn.acquire();
            AtomicInteger done = new AtomicInteger();
            Thread waiter = new Thread(() -> {
                turn.acquire();
                done.incrementAndGet();
                turn.release(now -> 0);
            });
            waiter.start();
            while (Control.wanted(control) == 0) {
                Thread.onSpinWait();
            }
            assertEquals(0, done.get());
            turn.release(now -> 0);
            waiter.join();
            assertEquals(1, done.get());
            assertEquals(0, Control.wanted(control));
            assertFalse(Control.turnHeld(control));
        }
    }

    @Test
    void waiting_for_the_turn_has_an_end_where_one_is_given() {
        turn.acquire();
        assertFalse(turn.acquireUntil(System.nanoTime() + 3_000_000));
        assertEquals(0, Control.wanted(control));
        turn.release(now -> 0);
        assertTrue(turn.acquireUntil(System.nanoTime()));
    }

    /** A destructor that calls a verb after the device was closed must come back. */
    @Test
    void a_control_verb_does_not_wait_for_a_turn_that_is_never_given_back() {
        Control.state(control, Control.CLOSING);
        assertTrue(turn.acquireUnlessClosed(), "closing, and the turn is free");
        Control.state(control, Control.CLOSED_STATE);
        assertFalse(turn.acquireUnlessClosed());
        assertEquals(0, Control.wanted(control));
    }

    @Test
    void a_watching_daemon_is_kicked_when_it_would_sleep_past_the_deadline_and_only_then() {
        Control.daemonWakeNs(control, 1000);
        Control.daemonState(control, Control.DAEMON_WATCH);
        turn.drive(now -> deadline(999));
        assertEquals(1, kicks());
        turn.drive(now -> deadline(1000));
        assertEquals(0, kicks());
        for (int state : new int[] {Control.DAEMON_PATROL, Control.DAEMON_BUSY, Control.DAEMON_NONE}) {
            Control.daemonState(control, state);
            turn.drive(now -> deadline(1));
            assertEquals(0, kicks());
        }
    }

    private int deadline(long ns) {
        Control.nextDeadlineNs(control, ns);
        return 0;
    }

    @Test
    void the_turn_is_free_again_when_a_cycle_throws() {
        assertThrows(
                IllegalStateException.class,
                () -> turn.drive(now -> {
                    throw new IllegalStateException("broken");
                }));
        assertFalse(Control.turnHeld(control));
    }

    /** No daemon runs here: whatever is rung must be handled by the posters' and control verbs' own releases, unless the daemon was kicked for it. */
    @Test
    void many_posters_and_control_verbs_strand_no_work_and_never_overlap() throws InterruptedException {
        int posters = 4;
        int rounds = 30_000;
        AtomicInteger inside = new AtomicInteger();
        AtomicLong overlaps = new AtomicLong();
        AtomicIntegerArray tails = new AtomicIntegerArray(QPS); // work published before the doorbell
        int[] taken = new int[QPS]; // by the holder of the turn
        Cycle cycle = now -> {
            if (inside.incrementAndGet() != 1) {
                overlaps.incrementAndGet();
            }
            int n = 0;
            for (int word = 0; word < Control.SUMMARY_WORDS; word++) {
                for (long leaves = Control.takeSummary(control, word); leaves != 0; leaves &= leaves - 1) {
                    int leaf = word << 6 | Long.numberOfTrailingZeros(leaves);
                    for (long bits = Control.takeLeaf(control, leaf); bits != 0; bits &= bits - 1) {
                        int qp = leaf << 6 | Long.numberOfTrailingZeros(bits);
                        taken[qp] = tails.get(qp);
                        n++;
                    }
                }
            }
            inside.decrementAndGet();
            return n;
        };
        Thread[] threads = new Thread[posters + 2];
        for (int t = 0; t < posters; t++) {
            int first = t;
            threads[t] = new Thread(() -> {
                for (int i = 0; i < rounds; i++) {
                    int qp = (i * posters + first) % QPS;
                    tails.incrementAndGet(qp);
                    Control.ring(control, qp);
                    turn.drive(cycle);
                }
            });
        }
        for (int t = posters; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < rounds / 50; i++) {
                    turn.acquire();
                    if (inside.incrementAndGet() != 1) {
                        overlaps.incrementAndGet();
                    }
                    inside.decrementAndGet();
                    turn.release(cycle);
                }
            });
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, overlaps.get());
        if (kicks() > 0) {
            turn.drive(cycle); // what the daemon would do
        }
        assertFalse(Control.dirty(control), "a doorbell is left and nobody was told");
        for (int qp = 0; qp < QPS; qp++) {
            assertEquals(tails.get(qp), taken[qp], "work of QP " + qp + " is stranded");
        }
    }
}
