package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The public {@link Mem}, and both implementations of {@link MemAccess} against the same expectations. */
class MemTest {
    private long addr;

    @BeforeEach
    void allocate() {
        addr = Mem.alloc(4096);
    }

    @AfterEach
    void release() {
        Mem.free(addr);
    }

    private static MemAccess access(String name) {
        return name.equals("UnsafeMem") ? new UnsafeMem() : new FfmMem();
    }

    @Test
    void usesTheForeignMemoryApiFromJdk22On() {
        assertEquals(Runtime.version().feature() >= 22 ? "FfmMem" : "UnsafeMem", Mem.implementation());
    }

    @Test
    void allocatesZeroedCacheLines() {
        assertEquals(0, addr % 64);
        for (int i = 0; i < 4096; i++) {
            assertEquals(0, Mem.getByte(addr + i));
        }
    }

    @Test
    void refusesToFreeWhatItDidNotAllocate() {
        assertThrows(IllegalArgumentException.class, () -> Mem.free(addr + 64));
        assertThrows(IllegalArgumentException.class, () -> Mem.alloc(0));
    }

    @Test
    void bigEndianAccessorsPlaceTheMostSignificantByteFirst() {
        Mem.putShortBe(addr + 1, 0x0102);
        Mem.putMediumBe(addr + 3, 0x030405);
        Mem.putIntBe(addr + 6, 0x06070809);
        Mem.putLongBe(addr + 10, 0x0a0b0c0d0e0f1011L);
        for (int i = 1; i <= 0x11; i++) {
            assertEquals(i, Mem.getByte(addr + i));
        }
        assertEquals(0, Mem.getByte(addr + 0x12));
        assertEquals(0x0102, Mem.getShortBe(addr + 1));
        assertEquals(0x030405, Mem.getMediumBe(addr + 3));
        assertEquals(0x06070809, Mem.getIntBe(addr + 6));
        assertEquals(0x0a0b0c0d0e0f1011L, Mem.getLongBe(addr + 10));
        assertEquals(0x11100f0e0d0c0b0aL, Mem.getLongLe(addr + 10));
    }

    @Test
    void smallUnsignedValuesAreNotSignExtended() {
        Mem.fill(addr, 16, 0xff);
        assertEquals(0xff, Mem.getUnsignedByte(addr));
        assertEquals(0xffff, Mem.getUnsignedShort(addr));
        assertEquals(0xffff, Mem.getShortBe(addr));
        assertEquals(0xffffff, Mem.getMediumBe(addr));
        assertEquals(0xffffffffL, Mem.getUnsignedIntBe(addr));
    }

    @Test
    void mediumTouchesThreeBytesOnly() {
        Mem.fill(addr, 8, 0x55);
        Mem.putMediumBe(addr + 2, 0);
        assertEquals(0x5555000000555555L, Mem.getLongBe(addr));
    }

    @Test
    void comparesRanges() {
        Mem.fill(addr, 64, 7);
        assertTrue(Mem.equal(addr, addr + 21, 43));
        Mem.putByte(addr + 63, 8);
        assertFalse(Mem.equal(addr, addr + 21, 43));
        assertTrue(Mem.equal(addr, addr + 21, 42));
        assertTrue(Mem.equal(addr, addr + 63, 0));
    }

    @Test
    void copiesBetweenArraysAndMemory() {
        byte[] from = {1, 2, 3, 4, 5};
        Mem.copy(from, 1, addr + 3, 3);
        byte[] to = new byte[5];
        Mem.copy(addr + 2, to, 0, 5);
        assertArrayEquals(new byte[] {0, 2, 3, 4, 0}, to);
        assertThrows(IndexOutOfBoundsException.class, () -> Mem.copy(from, 3, addr, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> Mem.copy(addr, to, -1, 3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"FfmMem", "UnsafeMem"})
    void plainAccessMayBeUnaligned(String name) {
        MemAccess mem = access(name);
        mem.putLong(addr + 3, 0x1122334455667788L);
        assertEquals(0x1122334455667788L, mem.getLong(addr + 3));
        mem.putInt(addr + 13, -2);
        assertEquals(-2, mem.getInt(addr + 13));
        mem.putShort(addr + 19, (short) -3);
        assertEquals(-3, mem.getShort(addr + 19));
        mem.putByte(addr + 23, (byte) -4);
        assertEquals(-4, mem.getByte(addr + 23));
    }

    @ParameterizedTest
    @ValueSource(strings = {"FfmMem", "UnsafeMem"})
    void intOperationsReturnTheValueBefore(String name) {
        MemAccess mem = access(name);
        mem.putIntRelease(addr, 5);
        assertEquals(5, mem.getIntAcquire(addr));
        assertFalse(mem.compareAndSetInt(addr, 4, 9));
        assertTrue(mem.compareAndSetInt(addr, 5, 9));
        assertEquals(9, mem.getAndAddInt(addr, -10));
        assertEquals(-1, mem.getAndSetInt(addr, 0b1100));
        assertEquals(0b1100, mem.getAndBitwiseOrInt(addr, 0b0011));
        assertEquals(0b1111, mem.getAndBitwiseAndInt(addr, 0b0110));
        assertEquals(0b0110, mem.getIntVolatile(addr));
        mem.putIntVolatile(addr, 77);
        assertEquals(77, mem.getInt(addr));
        assertEquals(0, mem.getInt(addr + 4));
    }

    @ParameterizedTest
    @ValueSource(strings = {"FfmMem", "UnsafeMem"})
    void longOperationsReturnTheValueBefore(String name) {
        MemAccess mem = access(name);
        mem.putLongRelease(addr, 1L << 40);
        assertEquals(1L << 40, mem.getLongAcquire(addr));
        assertFalse(mem.compareAndSetLong(addr, 4, 9));
        assertTrue(mem.compareAndSetLong(addr, 1L << 40, 9));
        assertEquals(9, mem.compareAndExchangeLong(addr, 8, 1));
        assertEquals(9, mem.compareAndExchangeLong(addr, 9, 10));
        assertEquals(10, mem.getAndAddLong(addr, -11));
        assertEquals(-1, mem.getAndSetLong(addr, 0b1100));
        assertEquals(0b1100, mem.getAndBitwiseOrLong(addr, 1L << 63));
        assertEquals(1L << 63 | 0b1100, mem.getAndBitwiseAndLong(addr, 1L << 63));
        assertEquals(1L << 63, mem.getLongVolatile(addr));
        mem.putLongVolatile(addr, 77);
        assertEquals(77, mem.getLong(addr));
        assertEquals(0, mem.getLong(addr + 8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"FfmMem", "UnsafeMem"})
    void overlappingCopiesKeepTheSource(String name) {
        MemAccess mem = access(name);
        for (int shift : new int[] {1, 7, 8, 63}) {
            for (int i = 0; i < 512; i++) {
                mem.putByte(addr + i, (byte) i);
            }
            mem.copy(addr, addr + shift, 300);
            for (int i = 0; i < 300; i++) {
                assertEquals((byte) i, mem.getByte(addr + shift + i));
            }
            mem.copy(addr + shift, addr, 300);
            for (int i = 0; i < 300; i++) {
                assertEquals((byte) i, mem.getByte(addr + i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"FfmMem", "UnsafeMem"})
    void fillsAndCopiesExactlyTheRange(String name) {
        MemAccess mem = access(name);
        mem.fill(addr + 5, 10, (byte) 9);
        assertEquals(0, mem.getByte(addr + 4));
        assertEquals(9, mem.getByte(addr + 5));
        assertEquals(9, mem.getByte(addr + 14));
        assertEquals(0, mem.getByte(addr + 15));
        mem.copyFrom(new byte[] {1, 2, 3, 4}, 1, addr + 100, 2);
        byte[] back = new byte[6];
        mem.copyTo(addr + 99, back, 1, 4);
        assertArrayEquals(new byte[] {0, 0, 2, 3, 0, 0}, back);
    }

    @ParameterizedTest
    @ValueSource(strings = {"FfmMem", "UnsafeMem"})
    void allocatesAndFrees(String name) {
        MemAccess mem = access(name);
        long a = mem.alloc(1);
        long b = mem.alloc(100_000);
        assertEquals(0, a % 64);
        assertEquals(0, b % 64);
        for (int i = 0; i < 100_000; i++) {
            assertEquals(0, mem.getByte(b + i));
        }
        assertFalse(mem.free(a + 1));
        assertTrue(mem.free(a));
        assertFalse(mem.free(a));
        assertTrue(mem.free(b));
    }

    @ParameterizedTest
    @ValueSource(strings = {"FfmMem", "UnsafeMem"})
    void concurrentAddsAreNotLost(String name) throws InterruptedException {
        MemAccess mem = access(name);
        int rounds = 200_000;
        Runnable adder = () -> {
            for (int i = 0; i < rounds; i++) {
                mem.getAndAddLong(addr, 1);
                mem.getAndBitwiseOrLong(addr + 8, 1L << (i & 63));
                mem.getAndAddInt(addr + 16, 1);
            }
        };
        Thread other = new Thread(adder);
        other.start();
        adder.run();
        other.join();
        assertEquals(2L * rounds, mem.getLongVolatile(addr));
        assertEquals(-1L, mem.getLongVolatile(addr + 8));
        assertEquals(2 * rounds, mem.getIntVolatile(addr + 16));
    }
}
