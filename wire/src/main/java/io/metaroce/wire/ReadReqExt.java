package io.metaroce.wire;

/**
 * What a READ_REQ asks for.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class ReadReqExt {
    /** Bytes. */
    public static final int LENGTH = 16;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 36;

    private ReadReqExt() {}

    /** Remote virtual address of the message's first byte. */
    public static long va(long addr) {
        return Mem.getLongBe(addr);
    }

    /** Sets: remote virtual address of the message's first byte. */
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

    /** Bytes to read. */
    public static long messageLength(long addr) {
        return Mem.getUnsignedIntBe(addr + 12);
    }

    /** Sets: bytes to read. */
    public static void messageLength(long addr, long value) {
        Mem.putIntBe(addr + 12, (int) value);
    }

    /** Writes all fields. */
    public static void put(long addr, long va, int rkey, long messageLength) {
        va(addr, va);
        rkey(addr, rkey);
        messageLength(addr, messageLength);
    }
}
