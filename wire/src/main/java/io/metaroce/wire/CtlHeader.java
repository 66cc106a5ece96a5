package io.metaroce.wire;

/**
 * Starts every STREAM_CTL packet after the common header.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class CtlHeader {
    /** Bytes. */
    public static final int LENGTH = 4;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 20;

    /** Most stream blocks in one FINAL. */
    public static final int MAX_FINAL_BLOCKS = 64;

    private CtlHeader() {}

    /** One of {@link CtlKind}. */
    public static int kind(long addr) {
        return Mem.getUnsignedByte(addr);
    }

    /** Sets: one of {@link CtlKind}. */
    public static void kind(long addr, int value) {
        Mem.putByte(addr, value);
    }

    /** Number of stream blocks in a FINAL, else 0. */
    public static int count(long addr) {
        return Mem.getUnsignedByte(addr + 1);
    }

    /** Sets: number of stream blocks in a FINAL, else 0. */
    public static void count(long addr, int value) {
        Mem.putByte(addr + 1, value);
    }

    /** Writes the whole header. */
    public static void put(long addr, int kind, int count) {
        Mem.putIntBe(addr, kind << 24 | (count & 0xff) << 16);
    }
}
