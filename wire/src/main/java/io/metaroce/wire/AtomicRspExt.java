package io.metaroce.wire;

/**
 * Result of an ATOMIC_REQ.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class AtomicRspExt {
    /** Bytes. */
    public static final int LENGTH = 8;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 36;

    private AtomicRspExt() {}

    /** Value at the address before the operation; 0 if ERR is set. */
    public static long original(long addr) {
        return Mem.getLongBe(addr);
    }

    /** Sets: value at the address before the operation; 0 if ERR is set. */
    public static void original(long addr, long value) {
        Mem.putLongBe(addr, value);
    }
}
