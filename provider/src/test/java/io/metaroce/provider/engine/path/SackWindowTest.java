package io.metaroce.provider.engine.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SackWindowTest {
    @Test
    void in_order_needs_no_words() {
        SackWindow window = new SackWindow();
        for (int psn = 0; psn < 1000; psn++) {
            assertEquals(SackWindow.NEW, window.test(psn));
            window.mark(psn);
            assertEquals(psn + 1, window.cum());
            assertEquals(0, window.words());
            assertFalse(window.gap());
        }
        assertEquals(SackWindow.DUPLICATE, window.test(999));
        assertEquals(SackWindow.NEW, window.test(1255));
        assertEquals(SackWindow.BEYOND, window.test(1256));
    }

    @Test
    void bit_i_stands_for_cum_plus_1_plus_i() {
        SackWindow window = new SackWindow();
        window.mark(1);
        window.mark(3);
        window.mark(65);
        window.mark(255);
        assertEquals(0, window.cum());
        assertTrue(window.gap());
        assertEquals(4, window.words());
        assertEquals(0b101L, window.word(0));
        assertEquals(1L, window.word(1));
        assertEquals(0L, window.word(2));
        assertEquals(1L << 62, window.word(3));
        window.mark(0);
        assertEquals(2, window.cum());
        assertEquals(1L | 1L << 62, window.word(0));
    }

    @Test
    void agrees_with_a_set() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            SackWindow window = new SackWindow();
            Set<Integer> got = new HashSet<>();
            int cum = 0;
            for (int step = 0; step < 4000; step++) {
                int psn = cum - 20 + random.nextInt(random.nextBoolean() ? 60 : 300);
                if (psn < 0) {
                    continue;
                }
                int expected = psn < cum || got.contains(psn)
                        ? SackWindow.DUPLICATE
                        : psn - cum >= 256 ? SackWindow.BEYOND : SackWindow.NEW;
                assertEquals(expected, window.test(psn), "seed " + seed);
                if (expected == SackWindow.NEW) {
                    window.mark(psn);
                    got.add(psn);
                    while (got.remove(cum)) {
                        cum++;
                    }
                }
                assertEquals(cum, window.cum(), "seed " + seed);
                int highest = got.stream().mapToInt(Integer::intValue).max().orElse(cum);
                assertEquals((highest - cum + 63) / 64, window.words(), "seed " + seed);
                for (int w = 0; w < 4; w++) {
                    for (int bit = 0; bit < 64; bit++) {
                        boolean set = (window.word(w) >>> bit & 1) != 0;
                        assertEquals(got.contains(cum + 1 + 64 * w + bit), set, "seed " + seed);
                    }
                }
            }
        }
    }

    private static SackWindow startingAt(int psn) {
        SackWindow window = new SackWindow();
        window.startAt(psn);
        return window;
    }

    @Test
    void psn_wraps_at_32_bits() {
        SackWindow near = startingAt(Integer.MAX_VALUE - 2);
        for (int i = 0; i < 600; i++) {
            int psn = Integer.MAX_VALUE - 2 + i;
            assertEquals(SackWindow.NEW, near.test(psn));
            near.mark(psn);
            assertEquals(SackWindow.DUPLICATE, near.test(psn));
        }
        SackWindow wrap = startingAt(-3);
        wrap.mark(-2);
        wrap.mark(5);
        assertEquals(-3, wrap.cum());
        assertEquals(0b1000_0001L, wrap.word(0));
        wrap.mark(-3);
        assertEquals(-1, wrap.cum());
    }
}
