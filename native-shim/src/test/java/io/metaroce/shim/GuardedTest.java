package io.metaroce.shim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GuardedTest {
    private static final int EIO = 5;

    private static final class Broken implements Backend {
        private final Error error;

        Broken(Error error) {
            this.error = error;
        }

        @Override
        public int drive() {
            throw error;
        }

        @Override
        public int command(int op, long record) {
            throw error;
        }
    }

    private static final class Working implements Backend {
        @Override
        public int drive() {
            return 3;
        }

        @Override
        public int command(int op, long record) {
            return op + (int) record;
        }
    }

    @Test
    void whatever_is_thrown_becomes_minus_eio_and_goes_to_the_log() {
        for (Error error : List.of(new AssertionError("a"), new StackOverflowError(), new OutOfMemoryError("b"))) {
            List<Throwable> log = new ArrayList<>();
            Guarded guarded = new Guarded(new Broken(error), log::add);
            assertEquals(-EIO, guarded.drive());
            assertEquals(-EIO, guarded.command(1, 2));
            assertEquals(2, log.size());
            assertSame(error, log.get(0));
        }
    }

    @Test
    void a_log_that_fails_as_well_changes_nothing() {
        Guarded guarded = new Guarded(new Broken(new AssertionError()), e -> {
            throw new OutOfMemoryError("no room for the trace");
        });
        assertEquals(-EIO, guarded.drive());
    }

    @Test
    void answers_pass_unchanged() {
        Guarded guarded = new Guarded(new Working(), e -> {});
        assertEquals(3, guarded.drive());
        assertEquals(12, guarded.command(10, 2));
    }
}
