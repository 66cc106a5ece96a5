package io.metaroce.provider.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.ApplicationMemory;
import io.metaroce.wire.Mem;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Application memory through C functions, here a small stand-in for the library's: addresses from {@code forbidden} up to {@code forbidden_end} count as
 * unmapped (not beyond: the scratch word of the class under test lies somewhere), and every call is written down. Needs gcc.
 */
final class FfmGuardedMemoryTest {
    private static final String C = """
            #include <stdint.h>
            #include <string.h>
            uint64_t forbidden = UINT64_MAX, forbidden_end = UINT64_MAX, read_only = UINT64_MAX, calls, largest, first, last;
            static int bad(uint64_t a, uint64_t n) { return n && a < forbidden_end && a + n - 1 >= forbidden; }
            int copy(void *d, const void *s, uint64_t n) {
                calls++;
                if (n > largest) largest = n;
                if (bad((uint64_t)d, n) || bad((uint64_t)s, n)) return -14;
                memcpy(d, s, n);
                return 0;
            }
            int store(void *d, const void *s, uint64_t n) { return copy(d, s, n); }
            int cas(uint64_t *a, uint64_t compare, uint64_t swap, uint64_t *old) {
                if (bad((uint64_t)a, 8)) return -14;
                *old = *a;
                if (*a == compare) *a = swap;
                return 0;
            }
            int fetch_add(uint64_t *a, uint64_t add, uint64_t *old) {
                calls++;
                if (bad((uint64_t)a, 8) || (uint64_t)a >= read_only) return -14;
                *old = *a;
                *a += add;
                return 0;
            }
            """;

    @TempDir
    Path dir;

    @Test
    void copies_atomics_and_probes() throws IOException, InterruptedException {
        Files.writeString(dir.resolve("guard.c"), C);
        Process gcc = new ProcessBuilder("gcc", "-shared", "-fPIC", "-O1", "-o", "libguard.so", "guard.c")
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, gcc.waitFor(), output);
        try (Arena arena = Arena.ofShared()) {
            SymbolLookup library = SymbolLookup.libraryLookup(dir.resolve("libguard.so"), arena);
            judge(library);
        }
    }

    private static long symbol(SymbolLookup library, String name) {
        return library.find(name).orElseThrow().address();
    }

    private static void judge(SymbolLookup library) {
        ApplicationMemory memory = GuardedMemory.of(
                symbol(library, "copy"),
                symbol(library, "cas"),
                symbol(library, "fetch_add"),
                symbol(library, "store"));
        long forbidden = symbol(library, "forbidden");
        long readOnly = symbol(library, "read_only");
        long calls = symbol(library, "calls");
        long size = 300_000;
        long from = Mem.alloc(2 * size);
        long to = from + size; // behind the source, which stays allowed when a part of the target is forbidden
        Mem.putLong(symbol(library, "forbidden_end"), to + size);
        for (int i = 0; i < size; i++) {
            Mem.putByte(from + i, i * 31);
        }
        assertTrue(memory.copy(to, from, size));
        assertTrue(Mem.equal(from, to, size));
        assertEquals(65536, Mem.getLong(symbol(library, "largest"))); // a collection waits for no longer copy
        assertEquals(5, Mem.getLong(calls));
        assertTrue(memory.copy(to, from, 0));

        Mem.putLong(to, 5);
        assertTrue(memory.compareSwap(to, 4, 9));
        assertEquals(5, memory.old());
        assertTrue(memory.compareSwap(to, 5, 9));
        assertEquals(9, Mem.getLong(to));
        assertTrue(memory.fetchAdd(to, -10));
        assertEquals(9, memory.old());
        assertEquals(-1, Mem.getLong(to));
        assertTrue(memory.storeRelease(to + 3, from, 64));
        assertTrue(Mem.equal(to + 3, from, 64));

        Mem.putLong(forbidden, to + 100_000);
        assertFalse(memory.copy(to, from, size));
        assertFalse(memory.copy(to + 99_999, from, 2));
        assertTrue(memory.copy(to + 99_998, from, 2));
        assertFalse(memory.compareSwap(to + 200_000, 0, 0));
        assertFalse(memory.fetchAdd(to + 200_000, 0));
        assertFalse(memory.storeRelease(to + 99_990, from, 64));

        long page = (to + 4095) & -4096L;
        Mem.putLong(forbidden, page + 8192);
        Mem.fill(page, 8192, 7);
        for (boolean write : new boolean[] {false, true}) {
            assertTrue(memory.accessible(page + 1, 8191, write));
            assertTrue(memory.accessible(page + 8191, 1, write));
            assertFalse(memory.accessible(page + 1, 8192, write));
            assertFalse(memory.accessible(page + 8192, 1, write));
        }
        for (int i = 0; i < 8192; i++) {
            assertEquals(7, Mem.getByte(page + i)); // a probe changes nothing
        }
        Mem.putLong(readOnly, page + 4096);
        assertTrue(memory.accessible(page, 8192, false));
        assertFalse(memory.accessible(page, 8192, true));
        assertTrue(memory.accessible(page, 4096, true));

        Mem.putLong(forbidden, 0);
        Mem.putLong(symbol(library, "forbidden_end"), -1);
        Mem.putLong(readOnly, -1);
        Mem.putLong(calls, 0);
        assertFalse(memory.accessible(1L << 40, 1L << 40, false));
        assertEquals(1, Mem.getLong(calls));
        Mem.free(from);
    }
}
