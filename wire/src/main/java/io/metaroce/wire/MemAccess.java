package io.metaroce.wire;

/**
 * What {@link Mem} needs from a JDK: plain, ordered and atomic access to native memory by address.
 *
 * <p>Exactly one implementation is loaded per virtual machine, so calls through the static final reference in
 * {@link Mem} are devirtualised and inlined. Values are in the byte order of the machine.
 */
abstract class MemAccess {
    abstract byte getByte(long addr);

    abstract void putByte(long addr, byte value);

    abstract short getShort(long addr);

    abstract void putShort(long addr, short value);

    abstract int getInt(long addr);

    abstract void putInt(long addr, int value);

    abstract long getLong(long addr);

    abstract void putLong(long addr, long value);

    abstract int getIntAcquire(long addr);

    abstract void putIntRelease(long addr, int value);

    abstract int getIntVolatile(long addr);

    abstract void putIntVolatile(long addr, int value);

    abstract boolean compareAndSetInt(long addr, int expected, int value);

    abstract int getAndAddInt(long addr, int delta);

    abstract int getAndSetInt(long addr, int value);

    abstract int getAndBitwiseOrInt(long addr, int mask);

    abstract int getAndBitwiseAndInt(long addr, int mask);

    abstract long getLongAcquire(long addr);

    abstract void putLongRelease(long addr, long value);

    abstract long getLongVolatile(long addr);

    abstract void putLongVolatile(long addr, long value);

    abstract boolean compareAndSetLong(long addr, long expected, long value);

    abstract long compareAndExchangeLong(long addr, long expected, long value);

    abstract long getAndAddLong(long addr, long delta);

    abstract long getAndSetLong(long addr, long value);

    abstract long getAndBitwiseOrLong(long addr, long mask);

    abstract long getAndBitwiseAndLong(long addr, long mask);

    abstract void copy(long src, long dst, long length);

    abstract void copyFrom(byte[] src, int offset, long dst, int length);

    abstract void copyTo(long src, byte[] dst, int offset, int length);

    abstract void fill(long addr, long length, byte value);

    /** Zeroed memory at a multiple of {@link Mem#ALIGNMENT}; {@code length} is at least 1. */
    abstract long alloc(long length);

    /** Gives back what {@link #alloc} returned; false if {@code addr} is not such an address. */
    abstract boolean free(long addr);
}
