package io.metaroce.wire;

/**
 * Target and operands of an ATOMIC_REQ.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class AtomicExt {
    /** Bytes. */
    public static final int LENGTH = 32;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 36;

    private AtomicExt() {}

    /** Remote virtual address. */
    public static long va(long addr) {
        return Mem.getLongBe(addr);
    }

    /** Sets: remote virtual address. */
    public static void va(long addr, long value) {
        Mem.putLongBe(addr, value);
    }

    /** Remote key. */
    public static int rkey(long addr) {
        return Mem.getIntBe(addr + 8);
    }

    /** Sets: remote key. */
    public static void rkey(long addr, int value) {
        Mem.putIntBe(addr + 8, value);
    }

    /** Operation, one of {@link AtomicOp}. */
    public static int op(long addr) {
        return Mem.getUnsignedByte(addr + 12);
    }

    /** Sets: operation, one of {@link AtomicOp}. */
    public static void op(long addr, int value) {
        Mem.putByte(addr + 12, value);
    }

    /** Operand size in bytes, always 8. */
    public static int size(long addr) {
        return Mem.getUnsignedByte(addr + 13);
    }

    /** Sets: operand size in bytes, always 8. */
    public static void size(long addr, int value) {
        Mem.putByte(addr + 13, value);
    }

    /** Value to swap in, or to add. */
    public static long arg1(long addr) {
        return Mem.getLongBe(addr + 16);
    }

    /** Sets: value to swap in, or to add. */
    public static void arg1(long addr, long value) {
        Mem.putLongBe(addr + 16, value);
    }

    /** Value to compare with, 0 for an add. */
    public static long arg2(long addr) {
        return Mem.getLongBe(addr + 24);
    }

    /** Sets: value to compare with, 0 for an add. */
    public static void arg2(long addr, long value) {
        Mem.putLongBe(addr + 24, value);
    }

    /** Writes the whole extension for 8-byte operands. */
    public static void put(long addr, long va, int rkey, int op, long arg1, long arg2) {
        Mem.putLongBe(addr, va);
        Mem.putIntBe(addr + 8, rkey);
        Mem.putIntBe(addr + 12, op << 24 | 8 << 16);
        Mem.putLongBe(addr + 16, arg1);
        Mem.putLongBe(addr + 24, arg2);
    }
}
