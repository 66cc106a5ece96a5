package io.metaroce.provider.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.wire.Mem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SysTest {
    private final Sys sys = Sys.get();
    private final long memory = Mem.alloc(128);

    @AfterEach
    void free() {
        Mem.free(memory);
    }

    @Test
    void nano_time_is_clock_monotonic() {
        long before = System.nanoTime();
        assertEquals(0, sys.clockGettime(Linux.CLOCK_MONOTONIC, memory));
        long clock = Mem.getLong(memory) * 1_000_000_000L + Mem.getLong(memory + 8);
        long after = System.nanoTime();
        assertTrue(before <= clock && clock <= after, before + " <= " + clock + " <= " + after);
    }

    @Test
    void an_error_comes_back_as_negative_errno() {
        assertEquals(-9, sys.close(-1)); // EBADF
        assertEquals(-9, sys.send(-1, memory, 1, Linux.MSG_DONTWAIT));
        assertEquals(-9, sys.read(-1, memory, 1));
        assertEquals(-Errno.EINVAL, sys.mmap(0, 0, Linux.PROT_READ, Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, -1, 0));
        assertEquals("EAGAIN", Errno.name(-11));
    }

    @Test
    void an_address_above_4_gb_and_a_negative_int_pass_whole() {
        long page =
                sys.mmap(0, 4096, Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, -1, 0);
        assertTrue(page >>> 32 != 0, Long.toHexString(page));
        Mem.putLong(page, 42);
        assertEquals(0, sys.madvise(page, 4096, Linux.MADV_DONTFORK));
        assertEquals(0, sys.munmap(page, 4096));
    }

    @Test
    void an_eventfd_counts_and_wakes_ppoll() {
        int fd = sys.eventfd(0, Linux.EFD_CLOEXEC | Linux.EFD_NONBLOCK);
        assertTrue(fd >= 0);
        Mem.putInt(memory, fd);
        Mem.putShort(memory + 4, Linux.POLLIN);
        Mem.fill(memory + 32, 16, 0); // a time-out of zero
        assertEquals(0, sys.ppoll(memory, 1, memory + 32));
        Mem.putLong(memory + 64, 3);
        assertEquals(8, sys.write(fd, memory + 64, 8));
        assertEquals(1, sys.ppoll(memory, 1, 0));
        assertEquals(Linux.POLLIN, Mem.getUnsignedShort(memory + 6));
        assertEquals(8, sys.read(fd, memory + 72, 8));
        assertEquals(3, Mem.getLong(memory + 72));
        assertEquals(-Errno.EAGAIN, sys.read(fd, memory + 72, 8));
        assertEquals(0, sys.close(fd));
    }

    @Test
    void a_futex_sleeps_only_while_the_word_is_as_expected() throws InterruptedException {
        Mem.putIntVolatile(memory, 1);
        assertEquals(-Errno.EAGAIN, sys.futexWait(memory, 2, 0));
        Mem.putLong(memory + 32, 0);
        Mem.putLong(memory + 40, 1_000_000);
        assertEquals(-Errno.ETIMEDOUT, sys.futexWait(memory, 1, memory + 32));
        int[] answer = {1};
        Thread sleeper = new Thread(() -> answer[0] = sys.futexWait(memory, 1, 0));
        sleeper.start();
        while (sys.futexWake(memory, 1) == 0) {
            Thread.onSpinWait();
        }
        sleeper.join();
        assertEquals(0, answer[0]);
    }
}
