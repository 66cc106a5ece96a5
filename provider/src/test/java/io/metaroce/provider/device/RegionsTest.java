package io.metaroce.provider.device;

import static io.metaroce.provider.port.Regions.BAD_ACCESS;
import static io.metaroce.provider.port.Regions.BAD_KEY;
import static io.metaroce.provider.port.Regions.BAD_PD;
import static io.metaroce.provider.port.Regions.BAD_RANGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Regions;
import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.MrCommand;
import io.metaroce.wire.Mem;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory regions: the rules of ibv_reg_mr, and what a key opens and what not. No test touches the memory that it registers, so addresses are made up. */
final class RegionsTest {
    private static final long ADDR = 0x7000_0000_1000L;
    private static final int ALL = 0xf;

    private DeviceBench bench;
    private Regions regions;
    private int pd;

    @BeforeEach
    void open() {
        bench = new DeviceBench();
        regions = bench.device.regions();
        pd = bench.pd();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void access_flags() {
        for (int access = 0; access < 32; access++) {
            boolean remoteWrites = (access & (2 | 8)) != 0;
            int expected = remoteWrites && (access & 1) == 0 ? 22 : 0;
            assertEquals(expected, bench.regMr(pd, access, ADDR, 4096, ADDR), "access " + access);
        }
        for (int unsupported : new int[] {1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 9}) {
            assertEquals(95, bench.regMr(pd, 1 | unsupported, ADDR, 4096, ADDR), "access " + unsupported);
        }
        for (int bit = 10; bit < 32; bit++) {
            int expected = bit >= 20 && bit <= 29 ? 0 : 22; // IBV_ACCESS_OPTIONAL_RANGE
            assertEquals(expected, bench.regMr(pd, 1 | 1 << bit, ADDR, 4096, ADDR), "bit " + bit);
        }
    }

    @Test
    void lengths_and_addresses() {
        assertEquals(22, bench.regMr(pd, 1, ADDR, 0, ADDR));
        assertEquals(22, bench.regMr(pd, 1, ADDR, -1, ADDR));
        assertEquals(22, bench.regMr(pd, 1, ADDR, 1L << 60, ADDR));
        assertEquals(22, bench.regMr(pd, 1, -4096, 8192, -4096));
        assertEquals(0, bench.regMr(pd, 1, -4096, 4096, -4096));
        assertEquals(22, bench.regMr(pd, 1, ADDR, 8192, -4096)); // wraps for the remote side
        assertEquals(22, bench.regMr(pd, 1, ADDR, 4096, ADDR + 8)); // another offset within the page
        assertEquals(0, bench.regMr(pd, 1, ADDR + 8, 4096, 8));
        assertEquals(14, bench.regMr(pd, 1, 0, 4096, 0));
        assertEquals(22, bench.regMr(pd + 1, 1, ADDR, 4096, ADDR));
        assertEquals(22, bench.regMr(0, 1, ADDR, 4096, ADDR));
    }

    @Test
    void a_range_must_lie_inside_to_the_byte() {
        int key = bench.mr(pd, ALL, ADDR, 100);
        assertEquals(ADDR, regions.remote(key, pd, ADDR, 100, 2));
        assertEquals(ADDR + 99, regions.remote(key, pd, ADDR + 99, 1, 2));
        assertEquals(BAD_RANGE, regions.remote(key, pd, ADDR, 101, 2));
        assertEquals(BAD_RANGE, regions.remote(key, pd, ADDR - 1, 1, 2));
        assertEquals(BAD_RANGE, regions.remote(key, pd, ADDR + 100, 1, 2));
        assertEquals(BAD_RANGE, regions.remote(key, pd, ADDR + 99, 2, 2));
        assertEquals(BAD_RANGE, regions.remote(key, pd, ADDR, -1, 2));
        assertEquals(BAD_RANGE, regions.remote(key, pd, ADDR, Long.MIN_VALUE, 2));
        assertEquals(BAD_RANGE, regions.remote(key, pd, ADDR - 1, Long.MAX_VALUE, 2)); // the end would wrap
        assertEquals(BAD_RANGE, regions.remote(key, pd, -1, 2, 2));
        assertEquals(BAD_RANGE, regions.remote(key, pd, 0, 1, 2));
    }

    @Test
    void no_bytes_need_no_key() {
        assertTrue(regions.remote(0, pd, ADDR, 0, 2) >= 0);
        assertTrue(regions.local(0, pd, -1, 0, 1) >= 0);
    }

    @Test
    void the_iova_names_the_bytes_for_both_keys() {
        assertEquals(0, bench.regMr(pd, ALL, ADDR + 0x10, 4096, 0x10));
        int key = MrCommand.lkey(bench.record);
        assertEquals(ADDR + 0x10, regions.remote(key, pd, 0x10, 4096, 4));
        assertEquals(ADDR + 0x20, regions.local(key, pd, 0x20, 1, 1));
        assertEquals(BAD_RANGE, regions.remote(key, pd, ADDR + 0x10, 1, 4));
        assertEquals(BAD_RANGE, regions.remote(key, pd, 0, 1, 4));
        // an iova whose region ends with the address space
        assertEquals(0, bench.regMr(pd, ALL, ADDR, 4096, -4096));
        key = MrCommand.lkey(bench.record);
        assertEquals(ADDR + 4095, regions.remote(key, pd, -1, 1, 4));
        assertEquals(BAD_RANGE, regions.remote(key, pd, -1, 2, 4));
        assertEquals(BAD_RANGE, regions.remote(key, pd, 0, 1, 4));
    }

    @Test
    void each_access_is_asked_for_by_itself_and_the_domain_must_be_the_same() {
        int read = bench.mr(pd, 4, ADDR, 100);
        assertEquals(ADDR, regions.remote(read, pd, ADDR, 1, 4));
        assertEquals(BAD_ACCESS, regions.remote(read, pd, ADDR, 1, 2));
        assertEquals(BAD_ACCESS, regions.remote(read, pd, ADDR, 1, 8));
        assertEquals(BAD_ACCESS, regions.local(read, pd, ADDR, 1, 1));
        assertEquals(ADDR, regions.local(read, pd, ADDR, 1, 0));
        int write = bench.mr(pd, 1 | 2, ADDR, 100);
        assertEquals(BAD_ACCESS, regions.remote(write, pd, ADDR, 1, 4));
        int other = bench.pd();
        assertEquals(BAD_PD, regions.remote(read, other, ADDR, 1, 4));
        assertEquals(BAD_PD, regions.local(read, other, ADDR, 1, 0));
    }

    @Test
    void a_region_taken_away_opens_nothing_and_its_index_gets_another_key() {
        int key = bench.mr(pd, ALL, ADDR, 100);
        assertEquals(0, bench.deregMr(key));
        assertEquals(BAD_KEY, regions.remote(key, pd, ADDR, 1, 2));
        assertEquals(BAD_KEY, regions.local(key, pd, ADDR, 1, 1));
        assertEquals(22, bench.deregMr(key));
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 3000; i++) { // each index of the first 1024 lives more than once
            int next = bench.mr(pd, ALL, ADDR, 100);
            assertTrue(keys.add(next), "key " + Integer.toHexString(next) + " twice in a short time");
            assertEquals(0, bench.deregMr(next));
            assertEquals(BAD_KEY, regions.remote(key, pd, ADDR, 1, 2));
        }
        assertEquals(0, bench.deallocPd(pd));
    }

    @Test
    void overlapping_regions_are_independent() {
        int whole = bench.mr(pd, 1, ADDR, 4096);
        int part = bench.mr(pd, 1 | 2, ADDR + 16, 16);
        assertNotEquals(whole, part);
        assertEquals(BAD_ACCESS, regions.remote(whole, pd, ADDR + 16, 16, 2));
        assertEquals(ADDR + 16, regions.remote(part, pd, ADDR + 16, 16, 2));
        assertEquals(0, bench.deregMr(part));
        assertEquals(ADDR + 16, regions.local(whole, pd, ADDR + 16, 16, 1));
    }

    @Test
    void a_made_up_key_opens_nothing() {
        int key = bench.mr(pd, ALL, ADDR, 100);
        for (int bit = 0; bit < 32; bit++) {
            assertEquals(BAD_KEY, regions.remote(key ^ 1 << bit, pd, ADDR, 1, 2), "bit " + bit);
        }
        assertEquals(BAD_KEY, regions.remote(0, pd, ADDR, 1, 2));
        assertEquals(BAD_KEY, regions.remote(-1, pd, ADDR, 1, 2));
    }

    @Test
    void a_million_regions_and_no_more() {
        int[] keys = new int[Commands.MAX_MR];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = bench.mr(pd, ALL, ADDR + 64L * i, 64);
        }
        assertEquals(12, bench.regMr(pd, ALL, ADDR, 64, ADDR));
        Random random = new Random(7);
        for (int i = 0; i < 100_000; i++) {
            int k = random.nextInt(keys.length);
            assertEquals(ADDR + 64L * k, regions.remote(keys[k], pd, ADDR + 64L * k, 64, 2));
            assertEquals(BAD_RANGE, regions.remote(keys[k], pd, ADDR + 64L * k, 65, 2));
        }
        assertEquals(16, bench.deallocPd(pd));
        assertEquals(0, bench.deregMr(keys[500_000]));
        int again = bench.mr(pd, ALL, ADDR, 64);
        assertEquals(keys[500_000] >>> 8 & 0xf_ffff, again >>> 8 & 0xf_ffff);
        assertNotEquals(keys[500_000], again);
    }

    @Test
    void the_last_bytes_of_an_ordered_store_arrive_whatever_the_alignment() {
        long source = Mem.alloc(128);
        long target = Mem.alloc(128);
        for (int i = 0; i < 128; i++) {
            Mem.putByte(source + i, i + 1);
        }
        for (int start = 0; start < 16; start++) {
            for (int bytes = 0; bytes <= 64; bytes++) {
                Mem.fill(target, 128, 0);
                assertTrue(regions.storeRelease(target + start, source, bytes));
                for (int i = 0; i < 128; i++) {
                    int expected = i >= start && i < start + bytes ? i - start + 1 : 0;
                    assertEquals(expected, Mem.getByte(target + i), "start " + start + " bytes " + bytes + " at " + i);
                }
            }
        }
        Mem.putLong(target, 5);
        assertTrue(regions.compareSwap(target, 4, 9));
        assertEquals(5, regions.old());
        assertTrue(regions.compareSwap(target, 5, 9));
        assertEquals(5, regions.old());
        assertTrue(regions.fetchAdd(target, -10));
        assertEquals(9, regions.old());
        assertEquals(-1, Mem.getLong(target));
        Mem.free(source);
        Mem.free(target);
    }
}
