package io.metaroce.wire;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Memory access on JDK 22 and newer, through one segment that spans the whole address space.
 *
 * <p>All layouts and handles are static finals: a layout built per access costs fifty times the access.
 */
final class FfmMem extends MemAccess {
    private static final MemorySegment ALL = everything();

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private static final VarHandle ATOMIC_INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();
    private static final VarHandle ATOMIC_LONG =
            ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final ConcurrentHashMap<Long, Arena> owners = new ConcurrentHashMap<>();

    @SuppressWarnings("restricted")
    private static MemorySegment everything() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    @Override
    byte getByte(long addr) {
        return ALL.get(BYTE, addr);
    }

    @Override
    void putByte(long addr, byte value) {
        ALL.set(BYTE, addr, value);
    }

    @Override
    short getShort(long addr) {
        return ALL.get(SHORT, addr);
    }

    @Override
    void putShort(long addr, short value) {
        ALL.set(SHORT, addr, value);
    }

    @Override
    int getInt(long addr) {
        return ALL.get(INT, addr);
    }

    @Override
    void putInt(long addr, int value) {
        ALL.set(INT, addr, value);
    }

    @Override
    long getLong(long addr) {
        return ALL.get(LONG, addr);
    }

    @Override
    void putLong(long addr, long value) {
        ALL.set(LONG, addr, value);
    }

    @Override
    int getIntAcquire(long addr) {
        return (int) ATOMIC_INT.getAcquire(ALL, addr);
    }

    @Override
    void putIntRelease(long addr, int value) {
        ATOMIC_INT.setRelease(ALL, addr, value);
    }

    @Override
    int getIntVolatile(long addr) {
        return (int) ATOMIC_INT.getVolatile(ALL, addr);
    }

    @Override
    void putIntVolatile(long addr, int value) {
        ATOMIC_INT.setVolatile(ALL, addr, value);
    }

    @Override
    boolean compareAndSetInt(long addr, int expected, int value) {
        return ATOMIC_INT.compareAndSet(ALL, addr, expected, value);
    }

    @Override
    int getAndAddInt(long addr, int delta) {
        return (int) ATOMIC_INT.getAndAdd(ALL, addr, delta);
    }

    @Override
    int getAndSetInt(long addr, int value) {
        return (int) ATOMIC_INT.getAndSet(ALL, addr, value);
    }

    @Override
    int getAndBitwiseOrInt(long addr, int mask) {
        return (int) ATOMIC_INT.getAndBitwiseOr(ALL, addr, mask);
    }

    @Override
    int getAndBitwiseAndInt(long addr, int mask) {
        return (int) ATOMIC_INT.getAndBitwiseAnd(ALL, addr, mask);
    }

    @Override
    long getLongAcquire(long addr) {
        return (long) ATOMIC_LONG.getAcquire(ALL, addr);
    }

    @Override
    void putLongRelease(long addr, long value) {
        ATOMIC_LONG.setRelease(ALL, addr, value);
    }

    @Override
    long getLongVolatile(long addr) {
        return (long) ATOMIC_LONG.getVolatile(ALL, addr);
    }

    @Override
    void putLongVolatile(long addr, long value) {
        ATOMIC_LONG.setVolatile(ALL, addr, value);
    }

    @Override
    boolean compareAndSetLong(long addr, long expected, long value) {
        return ATOMIC_LONG.compareAndSet(ALL, addr, expected, value);
    }

    @Override
    long compareAndExchangeLong(long addr, long expected, long value) {
        return (long) ATOMIC_LONG.compareAndExchange(ALL, addr, expected, value);
    }

    @Override
    long getAndAddLong(long addr, long delta) {
        return (long) ATOMIC_LONG.getAndAdd(ALL, addr, delta);
    }

    @Override
    long getAndSetLong(long addr, long value) {
        return (long) ATOMIC_LONG.getAndSet(ALL, addr, value);
    }

    @Override
    long getAndBitwiseOrLong(long addr, long mask) {
        return (long) ATOMIC_LONG.getAndBitwiseOr(ALL, addr, mask);
    }

    @Override
    long getAndBitwiseAndLong(long addr, long mask) {
        return (long) ATOMIC_LONG.getAndBitwiseAnd(ALL, addr, mask);
    }

    @Override
    void copy(long src, long dst, long length) {
        MemorySegment.copy(ALL, src, ALL, dst, length);
    }

    @Override
    void copyFrom(byte[] src, int offset, long dst, int length) {
        MemorySegment.copy(src, offset, ALL, BYTE, dst, length);
    }

    @Override
    void copyTo(long src, byte[] dst, int offset, int length) {
        MemorySegment.copy(ALL, BYTE, src, dst, offset, length);
    }

    @Override
    void fill(long addr, long length, byte value) {
        ALL.asSlice(addr, length).fill(value);
    }

    @Override
    long alloc(long length) {
        Arena arena = Arena.ofShared();
        long addr;
        try {
            addr = arena.allocate(length, Mem.ALIGNMENT).address();
        } catch (OutOfMemoryError e) {
            arena.close();
            throw e;
        }
        owners.put(addr, arena);
        return addr;
    }

    @Override
    boolean free(long addr) {
        Arena arena = owners.remove(addr);
        if (arena == null) {
            return false;
        }
        arena.close();
        return true;
    }
}
