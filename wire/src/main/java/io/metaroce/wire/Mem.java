package io.metaroce.wire;

import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Native memory by address, for headers, rings and application buffers.
 *
 * <p>An address is a plain {@code long}, as C would hold it. Nothing here checks it: whoever calls has checked key, range
 * and access before. A wrong address ends the process like in C.
 *
 * <p>Accessors without a suffix use the byte order of the machine; {@code ...Be} is network order. Plain access may be
 * unaligned. Ordered and atomic access (acquire, release, volatile, compare-and-set, get-and-...) needs the natural
 * alignment of its width and is atomic against other processes and C code on the same memory.
 *
 * <p>Uses {@code java.lang.foreign} on JDK 22 and newer, else {@code sun.misc.Unsafe}; chosen once. Except
 * {@link #alloc} and {@link #free}, no method allocates on the Java heap.
 */
public final class Mem {
    /** Alignment in bytes of what {@link #alloc} returns: one cache line. */
    public static final long ALIGNMENT = 64;

    private static final boolean BIG_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
    private static final MemAccess ACCESS = choose();

    private Mem() {}

    private static MemAccess choose() {
        if (Runtime.version().feature() < 22) {
            return new UnsafeMem();
        }
        try {
            return Class.forName("io.metaroce.wire.FfmMem")
                    .asSubclass(MemAccess.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "io.metaroce.wire.FfmMem cannot be loaded: it is part of the wire jar, compiled for Java 22", e);
        }
    }

    /** The name of the implementation in use, {@code FfmMem} or {@code UnsafeMem}. */
    public static String implementation() {
        return ACCESS.getClass().getSimpleName();
    }

    /** Reads one signed byte. */
    public static byte getByte(long addr) {
        return ACCESS.getByte(addr);
    }

    /** Reads one byte as 0..255. */
    public static int getUnsignedByte(long addr) {
        return ACCESS.getByte(addr) & 0xff;
    }

    /** Writes the low 8 bits of {@code value}. */
    public static void putByte(long addr, int value) {
        ACCESS.putByte(addr, (byte) value);
    }

    /** Reads 16 bits in machine order. */
    public static short getShort(long addr) {
        return ACCESS.getShort(addr);
    }

    /** Reads 16 bits in machine order as 0..65535. */
    public static int getUnsignedShort(long addr) {
        return ACCESS.getShort(addr) & 0xffff;
    }

    /** Writes the low 16 bits of {@code value} in machine order. */
    public static void putShort(long addr, int value) {
        ACCESS.putShort(addr, (short) value);
    }

    /** Reads 32 bits in machine order. */
    public static int getInt(long addr) {
        return ACCESS.getInt(addr);
    }

    /** Writes 32 bits in machine order. */
    public static void putInt(long addr, int value) {
        ACCESS.putInt(addr, value);
    }

    /** Reads 64 bits in machine order. */
    public static long getLong(long addr) {
        return ACCESS.getLong(addr);
    }

    /** Writes 64 bits in machine order. */
    public static void putLong(long addr, long value) {
        ACCESS.putLong(addr, value);
    }

    /** Reads 16 bits in network order as 0..65535. */
    public static int getShortBe(long addr) {
        short raw = ACCESS.getShort(addr);
        return (BIG_ENDIAN ? raw : Short.reverseBytes(raw)) & 0xffff;
    }

    /** Writes the low 16 bits of {@code value} in network order. */
    public static void putShortBe(long addr, int value) {
        ACCESS.putShort(addr, BIG_ENDIAN ? (short) value : Short.reverseBytes((short) value));
    }

    /** Reads 24 bits in network order as 0..16777215; touches three bytes only. */
    public static int getMediumBe(long addr) {
        return getShortBe(addr) << 8 | getUnsignedByte(addr + 2);
    }

    /** Writes the low 24 bits of {@code value} in network order; touches three bytes only. */
    public static void putMediumBe(long addr, int value) {
        putShortBe(addr, value >>> 8);
        putByte(addr + 2, value);
    }

    /** Reads 32 bits in network order. */
    public static int getIntBe(long addr) {
        int raw = ACCESS.getInt(addr);
        return BIG_ENDIAN ? raw : Integer.reverseBytes(raw);
    }

    /** Reads 32 bits in network order as 0..2^32-1. */
    public static long getUnsignedIntBe(long addr) {
        return getIntBe(addr) & 0xffff_ffffL;
    }

    /** Writes 32 bits in network order. */
    public static void putIntBe(long addr, int value) {
        ACCESS.putInt(addr, BIG_ENDIAN ? value : Integer.reverseBytes(value));
    }

    /** Reads 64 bits in network order. */
    public static long getLongBe(long addr) {
        long raw = ACCESS.getLong(addr);
        return BIG_ENDIAN ? raw : Long.reverseBytes(raw);
    }

    /** Writes 64 bits in network order. */
    public static void putLongBe(long addr, long value) {
        ACCESS.putLong(addr, BIG_ENDIAN ? value : Long.reverseBytes(value));
    }

    /** Reads 64 bits in little-endian order, whatever the machine. */
    public static long getLongLe(long addr) {
        long raw = ACCESS.getLong(addr);
        return BIG_ENDIAN ? Long.reverseBytes(raw) : raw;
    }

    /** Reads 32 bits; later accesses of this thread stay behind it. */
    public static int getIntAcquire(long addr) {
        return ACCESS.getIntAcquire(addr);
    }

    /** Writes 32 bits; earlier accesses of this thread stay before it. */
    public static void putIntRelease(long addr, int value) {
        ACCESS.putIntRelease(addr, value);
    }

    /** Reads 32 bits, sequentially consistent with other volatile access. */
    public static int getIntVolatile(long addr) {
        return ACCESS.getIntVolatile(addr);
    }

    /** Writes 32 bits, sequentially consistent with other volatile access. */
    public static void putIntVolatile(long addr, int value) {
        ACCESS.putIntVolatile(addr, value);
    }

    /** Sets 32 bits to {@code value} if they are {@code expected}; sequentially consistent. */
    public static boolean compareAndSetInt(long addr, int expected, int value) {
        return ACCESS.compareAndSetInt(addr, expected, value);
    }

    /** Adds and returns the value before; sequentially consistent. */
    public static int getAndAddInt(long addr, int delta) {
        return ACCESS.getAndAddInt(addr, delta);
    }

    /** Exchanges and returns the value before; sequentially consistent. */
    public static int getAndSetInt(long addr, int value) {
        return ACCESS.getAndSetInt(addr, value);
    }

    /** Sets the bits of {@code mask} and returns the value before; sequentially consistent. */
    public static int getAndBitwiseOrInt(long addr, int mask) {
        return ACCESS.getAndBitwiseOrInt(addr, mask);
    }

    /** Keeps the bits of {@code mask} and returns the value before; sequentially consistent. */
    public static int getAndBitwiseAndInt(long addr, int mask) {
        return ACCESS.getAndBitwiseAndInt(addr, mask);
    }

    /** Reads 64 bits; later accesses of this thread stay behind it. */
    public static long getLongAcquire(long addr) {
        return ACCESS.getLongAcquire(addr);
    }

    /** Writes 64 bits; earlier accesses of this thread stay before it. */
    public static void putLongRelease(long addr, long value) {
        ACCESS.putLongRelease(addr, value);
    }

    /** Reads 64 bits, sequentially consistent with other volatile access. */
    public static long getLongVolatile(long addr) {
        return ACCESS.getLongVolatile(addr);
    }

    /** Writes 64 bits, sequentially consistent with other volatile access. */
    public static void putLongVolatile(long addr, long value) {
        ACCESS.putLongVolatile(addr, value);
    }

    /** Sets 64 bits to {@code value} if they are {@code expected}; sequentially consistent. */
    public static boolean compareAndSetLong(long addr, long expected, long value) {
        return ACCESS.compareAndSetLong(addr, expected, value);
    }

    /** Like {@link #compareAndSetLong}, but returns the value before, as an RDMA compare-and-swap must. */
    public static long compareAndExchangeLong(long addr, long expected, long value) {
        return ACCESS.compareAndExchangeLong(addr, expected, value);
    }

    /** Adds and returns the value before; sequentially consistent. */
    public static long getAndAddLong(long addr, long delta) {
        return ACCESS.getAndAddLong(addr, delta);
    }

    /** Exchanges and returns the value before; sequentially consistent. */
    public static long getAndSetLong(long addr, long value) {
        return ACCESS.getAndSetLong(addr, value);
    }

    /** Sets the bits of {@code mask} and returns the value before; sequentially consistent. */
    public static long getAndBitwiseOrLong(long addr, long mask) {
        return ACCESS.getAndBitwiseOrLong(addr, mask);
    }

    /** Keeps the bits of {@code mask} and returns the value before; sequentially consistent. */
    public static long getAndBitwiseAndLong(long addr, long mask) {
        return ACCESS.getAndBitwiseAndLong(addr, mask);
    }

    /** Orders every earlier access of this thread before every later one, stores before loads included. */
    public static void fullFence() {
        VarHandle.fullFence();
    }

    /** Orders earlier loads before later loads and stores. */
    public static void acquireFence() {
        VarHandle.acquireFence();
    }

    /** Orders earlier loads and stores before later stores. */
    public static void releaseFence() {
        VarHandle.releaseFence();
    }

    /** Copies {@code length} bytes; the ranges may overlap, the result is as if by a copy set aside. */
    public static void copy(long src, long dst, long length) {
        ACCESS.copy(src, dst, length);
    }

    /** Copies {@code length} bytes from an array to native memory. */
    public static void copy(byte[] src, int offset, long dst, int length) {
        Objects.checkFromIndexSize(offset, length, src.length);
        ACCESS.copyFrom(src, offset, dst, length);
    }

    /** Copies {@code length} bytes from native memory to an array. */
    public static void copy(long src, byte[] dst, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, dst.length);
        ACCESS.copyTo(src, dst, offset, length);
    }

    /** Sets {@code length} bytes to the low 8 bits of {@code value}. */
    public static void fill(long addr, long length, int value) {
        ACCESS.fill(addr, length, (byte) value);
    }

    /** True if both ranges hold the same bytes. */
    public static boolean equal(long a, long b, long length) {
        long i = 0;
        for (; i + 8 <= length; i += 8) {
            if (ACCESS.getLong(a + i) != ACCESS.getLong(b + i)) {
                return false;
            }
        }
        for (; i < length; i++) {
            if (ACCESS.getByte(a + i) != ACCESS.getByte(b + i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Allocates zeroed native memory at a multiple of {@link #ALIGNMENT}. It lives until {@link #free}, across threads.
     *
     * @param length bytes, at least 1
     * @throws OutOfMemoryError if the system has none
     */
    public static long alloc(long length) {
        if (length < 1) {
            throw new IllegalArgumentException("cannot allocate " + length + " bytes");
        }
        return ACCESS.alloc(length);
    }

    /**
     * Gives back memory of {@link #alloc}.
     *
     * @throws IllegalArgumentException if {@code addr} did not come from {@link #alloc} or was freed already
     */
    public static void free(long addr) {
        if (!ACCESS.free(addr)) {
            throw new IllegalArgumentException("not an allocated address: 0x" + Long.toHexString(addr));
        }
    }
}
