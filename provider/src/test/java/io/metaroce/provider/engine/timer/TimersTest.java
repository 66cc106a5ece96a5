package io.metaroce.provider.engine.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class TimersTest {
    @Test
    void nothing_set_is_never_due() {
        Timers timers = new Timers();
        timers.add(TimerKind.ACK, 1);
        assertEquals(Long.MAX_VALUE, timers.nextNs());
        assertEquals(-1, timers.poll(Long.MAX_VALUE));
    }

    @Test
    void no_later_than_only_moves_forward() {
        Timers timers = new Timers();
        int t = timers.add(TimerKind.PATH, 7);
        timers.setNoLaterThan(t, 100);
        timers.setNoLaterThan(t, 200);
        assertEquals(100, timers.nextNs());
        timers.setNoLaterThan(t, 50);
        assertEquals(50, timers.nextNs());
        assertEquals(-1, timers.poll(49));
        assertEquals(t, timers.poll(50));
        assertFalse(timers.isSet(t));
        assertEquals(TimerKind.PATH, timers.kind(t));
        assertEquals(7, timers.owner(t));
    }

    @Test
    void numbers_are_used_again() {
        Timers timers = new Timers();
        int t = timers.add(TimerKind.PATH, 7);
        timers.set(t, 5);
        timers.remove(t);
        assertEquals(Long.MAX_VALUE, timers.nextNs());
        assertEquals(t, timers.add(TimerKind.ACK, 8));
        assertFalse(timers.isSet(t));
    }

    @Test
    void fires_in_order_of_time_whatever_is_set_moved_and_cancelled() {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            Timers timers = new Timers();
            Map<Integer, Long> model = new TreeMap<>();
            int n = 1 + random.nextInt(300);
            for (int i = 0; i < n; i++) {
                assertEquals(i, timers.add(TimerKind.PATH, i));
            }
            long nowNs = 0;
            for (int step = 0; step < 3000; step++) {
                int t = random.nextInt(n);
                long atNs = nowNs + random.nextInt(1000);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        timers.set(t, atNs);
                        model.put(t, atNs);
                    }
                    case 1 -> {
                        timers.setNoLaterThan(t, atNs);
                        model.merge(t, atNs, Math::min);
                    }
                    case 2 -> {
                        timers.cancel(t);
                        model.remove(t);
                    }
                    default -> {
                        nowNs += random.nextInt(200);
                        int fired;
                        long beforeNs = Long.MIN_VALUE;
                        while ((fired = timers.poll(nowNs)) >= 0) {
                            long dueNs = model.getOrDefault(fired, Long.MAX_VALUE);
                            model.remove(fired);
                            assertTrue(dueNs <= nowNs && dueNs >= beforeNs, "seed " + seed);
                            beforeNs = dueNs;
                        }
                    }
                }
                long nextNs =
                        model.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
                assertEquals(nextNs, timers.nextNs(), "seed " + seed + " step " + step);
            }
        }
    }
}
