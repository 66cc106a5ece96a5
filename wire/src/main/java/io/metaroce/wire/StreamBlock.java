package io.metaroce.wire;

/**
 * Acknowledgement of one stream in one sequence space; the same bytes in an ACK and in a STREAM_CTL FINAL.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class StreamBlock {
    /** Bytes. */
    public static final int LENGTH = 16;

    private StreamBlock() {}

    /** QPN of the side that receives this block. */
    public static int qpn(long addr) {
        return Mem.getMediumBe(addr);
    }

    /** Sets: QPN of the side that receives this block. */
    public static void qpn(long addr, int value) {
        Mem.putMediumBe(addr, value);
    }

    /** Sequence space it acknowledges, one of {@link Space}. */
    public static int space(long addr) {
        return Mem.getUnsignedByte(addr + 3) >>> 7;
    }

    /** Sets: sequence space it acknowledges, one of {@link Space}. */
    public static void space(long addr, int value) {
        Mem.putByte(addr + 3, (Mem.getUnsignedByte(addr + 3) & 0x7f) | (value & 0x1) << 7);
    }

    /** One of {@link BlockKind}. */
    public static int kind(long addr) {
        return Mem.getUnsignedByte(addr + 3) >>> 4 & 0x7;
    }

    /** Sets: one of {@link BlockKind}. */
    public static void kind(long addr, int value) {
        Mem.putByte(addr + 3, (Mem.getUnsignedByte(addr + 3) & 0x8f) | (value & 0x7) << 4);
    }

    /** Bind generation of the side that receives this block. */
    public static int generation(long addr) {
        return Mem.getUnsignedByte(addr + 3) & 0xf;
    }

    /** Sets: bind generation of the side that receives this block. */
    public static void generation(long addr, int value) {
        Mem.putByte(addr + 3, (Mem.getUnsignedByte(addr + 3) & 0xf0) | (value & 0xf));
    }

    /** First MSN not complete: all before it are. */
    public static int cumMsn(long addr) {
        return Mem.getMediumBe(addr + 4);
    }

    /** Sets: first MSN not complete: all before it are. */
    public static void cumMsn(long addr, int value) {
        Mem.putMediumBe(addr + 4, value);
    }

    /** RNR: timer code 0..31 of IBTA table 46; ERROR: {@link Syndrome}; else 0. */
    public static int code(long addr) {
        return Mem.getUnsignedByte(addr + 7);
    }

    /** Sets: RNR: timer code 0..31 of IBTA table 46; ERROR: {@link Syndrome}; else 0. */
    public static void code(long addr, int value) {
        Mem.putByte(addr + 7, value);
    }

    /** Receives posted since the bind, modulo 2^32. */
    public static int rqLimit(long addr) {
        return Mem.getIntBe(addr + 8);
    }

    /** Sets: receives posted since the bind, modulo 2^32. */
    public static void rqLimit(long addr, int value) {
        Mem.putIntBe(addr + 8, value);
    }

    /** First segment that has not landed. */
    public static int cumSpsn(long addr) {
        return Mem.getIntBe(addr + 12);
    }

    /** Sets: first segment that has not landed. */
    public static void cumSpsn(long addr, int value) {
        Mem.putIntBe(addr + 12, value);
    }

    /** Writes the whole block. */
    public static void put(
            long addr, int qpn, int space, int kind, int generation, int cumMsn, int code, int rqLimit, int cumSpsn) {
        Mem.putIntBe(addr, qpn << 8 | (space & 1) << 7 | (kind & 7) << 4 | (generation & 0xf));
        Mem.putIntBe(addr + 4, cumMsn << 8 | (code & 0xff));
        Mem.putIntBe(addr + 8, rqLimit);
        Mem.putIntBe(addr + 12, cumSpsn);
    }
}
