package io.metaroce.wire;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory access on JDK 17 to 21, where {@code java.lang.foreign} is missing or a preview.
 *
 * <p>{@code sun.misc.Unsafe} is reached by static final method handles, which the compiler inlines like direct calls.
 * Naming the class in the source would be a compiler warning that cannot be switched off.
 */
final class UnsafeMem extends MemAccess {
    private static final Class<?> UNSAFE = unsafeClass();
    private static final Object THE_UNSAFE = theUnsafe();

    private static final MethodHandle GET_BYTE = handle("getByte", byte.class, long.class);
    private static final MethodHandle PUT_BYTE = handle("putByte", void.class, long.class, byte.class);
    private static final MethodHandle GET_SHORT = handle("getShort", short.class, long.class);
    private static final MethodHandle PUT_SHORT = handle("putShort", void.class, long.class, short.class);
    private static final MethodHandle GET_INT = handle("getInt", int.class, long.class);
    private static final MethodHandle PUT_INT = handle("putInt", void.class, long.class, int.class);
    private static final MethodHandle GET_LONG = handle("getLong", long.class, long.class);
    private static final MethodHandle PUT_LONG = handle("putLong", void.class, long.class, long.class);
    private static final MethodHandle GET_INT_VOLATILE = handle("getIntVolatile", int.class, Object.class, long.class);
    private static final MethodHandle PUT_INT_VOLATILE =
            handle("putIntVolatile", void.class, Object.class, long.class, int.class);
    private static final MethodHandle PUT_ORDERED_INT =
            handle("putOrderedInt", void.class, Object.class, long.class, int.class);
    private static final MethodHandle CAS_INT =
            handle("compareAndSwapInt", boolean.class, Object.class, long.class, int.class, int.class);
    private static final MethodHandle ADD_INT = handle("getAndAddInt", int.class, Object.class, long.class, int.class);
    private static final MethodHandle SET_INT = handle("getAndSetInt", int.class, Object.class, long.class, int.class);
    private static final MethodHandle GET_LONG_VOLATILE =
            handle("getLongVolatile", long.class, Object.class, long.class);
    private static final MethodHandle PUT_LONG_VOLATILE =
            handle("putLongVolatile", void.class, Object.class, long.class, long.class);
    private static final MethodHandle PUT_ORDERED_LONG =
            handle("putOrderedLong", void.class, Object.class, long.class, long.class);
    private static final MethodHandle CAS_LONG =
            handle("compareAndSwapLong", boolean.class, Object.class, long.class, long.class, long.class);
    private static final MethodHandle ADD_LONG =
            handle("getAndAddLong", long.class, Object.class, long.class, long.class);
    private static final MethodHandle SET_LONG =
            handle("getAndSetLong", long.class, Object.class, long.class, long.class);
    private static final MethodHandle COPY =
            handle("copyMemory", void.class, Object.class, long.class, Object.class, long.class, long.class);
    private static final MethodHandle FILL = handle("setMemory", void.class, long.class, long.class, byte.class);
    private static final MethodHandle ALLOCATE = handle("allocateMemory", long.class, long.class);
    private static final MethodHandle FREE = handle("freeMemory", void.class, long.class);
    private static final MethodHandle ARRAY_BASE = handle("arrayBaseOffset", int.class, Class.class);
    private static final long BYTES_OFFSET = bytesOffset();

    private final ConcurrentHashMap<Long, Long> bases = new ConcurrentHashMap<>();

    private static Class<?> unsafeClass() {
        try {
            return Class.forName("sun.misc.Unsafe");
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("This JDK has neither java.lang.foreign nor sun.misc.Unsafe", e);
        }
    }

    private static Object theUnsafe() {
        try {
            Field field = UNSAFE.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("sun.misc.Unsafe is there but cannot be opened", e);
        }
    }

    private static MethodHandle handle(String name, Class<?> result, Class<?>... arguments) {
        try {
            MethodHandle found =
                    MethodHandles.lookup().findVirtual(UNSAFE, name, MethodType.methodType(result, arguments));
            return found.bindTo(THE_UNSAFE);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("sun.misc.Unsafe has no method " + name, e);
        }
    }

    private static long bytesOffset() {
        try {
            return (int) ARRAY_BASE.invokeExact(byte[].class);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    /** The handles throw nothing but errors of the virtual machine; those go on unchanged. */
    private static RuntimeException failed(Throwable t) {
        if (t instanceof Error error) {
            throw error;
        }
        return t instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(t);
    }

    private static @Nullable Object offHeap() {
        return null;
    }

    @Override
    byte getByte(long addr) {
        try {
            return (byte) GET_BYTE.invokeExact(addr);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void putByte(long addr, byte value) {
        try {
            PUT_BYTE.invokeExact(addr, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    short getShort(long addr) {
        try {
            return (short) GET_SHORT.invokeExact(addr);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void putShort(long addr, short value) {
        try {
            PUT_SHORT.invokeExact(addr, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    int getInt(long addr) {
        try {
            return (int) GET_INT.invokeExact(addr);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void putInt(long addr, int value) {
        try {
            PUT_INT.invokeExact(addr, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    long getLong(long addr) {
        try {
            return (long) GET_LONG.invokeExact(addr);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void putLong(long addr, long value) {
        try {
            PUT_LONG.invokeExact(addr, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    int getIntAcquire(long addr) {
        try {
            return (int) GET_INT_VOLATILE.invokeExact(offHeap(), addr);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void putIntRelease(long addr, int value) {
        try {
            PUT_ORDERED_INT.invokeExact(offHeap(), addr, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    int getIntVolatile(long addr) {
        try {
            return (int) GET_INT_VOLATILE.invokeExact(offHeap(), addr);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void putIntVolatile(long addr, int value) {
        try {
            PUT_INT_VOLATILE.invokeExact(offHeap(), addr, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    boolean compareAndSetInt(long addr, int expected, int value) {
        try {
            return (boolean) CAS_INT.invokeExact(offHeap(), addr, expected, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    int getAndAddInt(long addr, int delta) {
        try {
            return (int) ADD_INT.invokeExact(offHeap(), addr, delta);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    int getAndSetInt(long addr, int value) {
        try {
            return (int) SET_INT.invokeExact(offHeap(), addr, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    int getAndBitwiseOrInt(long addr, int mask) {
        while (true) {
            int seen = getIntVolatile(addr);
            if (compareAndSetInt(addr, seen, seen | mask)) {
                return seen;
            }
        }
    }

    @Override
    int getAndBitwiseAndInt(long addr, int mask) {
        while (true) {
            int seen = getIntVolatile(addr);
            if (compareAndSetInt(addr, seen, seen & mask)) {
                return seen;
            }
        }
    }

    @Override
    long getLongAcquire(long addr) {
        try {
            return (long) GET_LONG_VOLATILE.invokeExact(offHeap(), addr);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void putLongRelease(long addr, long value) {
        try {
            PUT_ORDERED_LONG.invokeExact(offHeap(), addr, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    long getLongVolatile(long addr) {
        try {
            return (long) GET_LONG_VOLATILE.invokeExact(offHeap(), addr);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void putLongVolatile(long addr, long value) {
        try {
            PUT_LONG_VOLATILE.invokeExact(offHeap(), addr, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    boolean compareAndSetLong(long addr, long expected, long value) {
        try {
            return (boolean) CAS_LONG.invokeExact(offHeap(), addr, expected, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    long compareAndExchangeLong(long addr, long expected, long value) {
        while (true) {
            if (compareAndSetLong(addr, expected, value)) {
                return expected;
            }
            long seen = getLongVolatile(addr);
            if (seen != expected) {
                return seen;
            }
        }
    }

    @Override
    long getAndAddLong(long addr, long delta) {
        try {
            return (long) ADD_LONG.invokeExact(offHeap(), addr, delta);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    long getAndSetLong(long addr, long value) {
        try {
            return (long) SET_LONG.invokeExact(offHeap(), addr, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    long getAndBitwiseOrLong(long addr, long mask) {
        while (true) {
            long seen = getLongVolatile(addr);
            if (compareAndSetLong(addr, seen, seen | mask)) {
                return seen;
            }
        }
    }

    @Override
    long getAndBitwiseAndLong(long addr, long mask) {
        while (true) {
            long seen = getLongVolatile(addr);
            if (compareAndSetLong(addr, seen, seen & mask)) {
                return seen;
            }
        }
    }

    @Override
    void copy(long src, long dst, long length) {
        try {
            COPY.invokeExact(offHeap(), src, offHeap(), dst, length);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void copyFrom(byte[] src, int offset, long dst, int length) {
        try {
            COPY.invokeExact((Object) src, BYTES_OFFSET + offset, offHeap(), dst, (long) length);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void copyTo(long src, byte[] dst, int offset, int length) {
        try {
            COPY.invokeExact(offHeap(), src, (Object) dst, BYTES_OFFSET + offset, (long) length);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    void fill(long addr, long length, byte value) {
        try {
            FILL.invokeExact(addr, length, value);
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    long alloc(long length) {
        try {
            long size = Math.addExact(length, Mem.ALIGNMENT);
            long base = (long) ALLOCATE.invokeExact(size);
            long addr = (base + Mem.ALIGNMENT - 1) & -Mem.ALIGNMENT;
            FILL.invokeExact(addr, length, (byte) 0);
            bases.put(addr, base);
            return addr;
        } catch (Throwable t) {
            throw failed(t);
        }
    }

    @Override
    boolean free(long addr) {
        Long base = bases.remove(addr);
        if (base == null) {
            return false;
        }
        try {
            FREE.invokeExact((long) base);
        } catch (Throwable t) {
            throw failed(t);
        }
        return true;
    }
}
