package io.metaroce.wire;

/**
 * Body of a QUERY: asks for a stream block.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class QueryBody {
    /** Bytes. */
    public static final int LENGTH = 8;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 24;

    private QueryBody() {}

    /** QPN of the side that receives this. */
    public static int qpn(long addr) {
        return Mem.getMediumBe(addr);
    }

    /** Sets: QPN of the side that receives this. */
    public static void qpn(long addr, int value) {
        Mem.putMediumBe(addr, value);
    }

    /** The space in which the asking side has unfinished work, one of {@link Space}. */
    public static int space(long addr) {
        return Mem.getUnsignedByte(addr + 3) >>> 7;
    }

    /** Sets: the space in which the asking side has unfinished work, one of {@link Space}. */
    public static void space(long addr, int value) {
        Mem.putByte(addr + 3, (Mem.getUnsignedByte(addr + 3) & 0x7f) | (value & 0x1) << 7);
    }

    /** Bind generation of the side that receives this. */
    public static int generation(long addr) {
        return Mem.getUnsignedByte(addr + 3) & 0xf;
    }

    /** Sets: bind generation of the side that receives this. */
    public static void generation(long addr, int value) {
        Mem.putByte(addr + 3, (Mem.getUnsignedByte(addr + 3) & 0xf0) | (value & 0xf));
    }

    /** QPN of the side that asks; the answer is addressed to it. */
    public static int askerQpn(long addr) {
        return Mem.getMediumBe(addr + 4);
    }

    /** Sets: QPN of the side that asks; the answer is addressed to it. */
    public static void askerQpn(long addr, int value) {
        Mem.putMediumBe(addr + 4, value);
    }

    /** Bind generation of the side that asks. */
    public static int askerGeneration(long addr) {
        return Mem.getUnsignedByte(addr + 7) & 0xf;
    }

    /** Sets: bind generation of the side that asks. */
    public static void askerGeneration(long addr, int value) {
        Mem.putByte(addr + 7, (Mem.getUnsignedByte(addr + 7) & 0xf0) | (value & 0xf));
    }

    /** Writes the whole body. */
    public static void put(long addr, int qpn, int space, int generation, int askerQpn, int askerGeneration) {
        Mem.putIntBe(addr, qpn << 8 | (space & 1) << 7 | (generation & 0xf));
        Mem.putIntBe(addr + 4, askerQpn << 8 | (askerGeneration & 0xf));
    }
}
