package io.metaroce.wire;

/**
 * Body of BIND and BIND_ACK: what the side that sends it offers for one stream.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class BindBody {
    /** Bytes. */
    public static final int LENGTH = 28;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 24;

    /** Least segment size in bytes. */
    public static final int MIN_SEGMENT_BYTES = 256;

    /** A segment size is a multiple of this. */
    public static final int SEGMENT_STEP_BYTES = 64;

    /** Least window in segments. */
    public static final int MIN_WINDOW_SEGMENTS = 64;

    private BindBody() {}

    /** QPN of the side that sends this. */
    public static int localQpn(long addr) {
        return Mem.getMediumBe(addr);
    }

    /** Sets: QPN of the side that sends this. */
    public static void localQpn(long addr, int value) {
        Mem.putMediumBe(addr, value);
    }

    /** Its bind generation. */
    public static int localGeneration(long addr) {
        return Mem.getUnsignedByte(addr + 3) >>> 4;
    }

    /** Sets: its bind generation. */
    public static void localGeneration(long addr, int value) {
        Mem.putByte(addr + 3, (Mem.getUnsignedByte(addr + 3) & 0x0f) | (value & 0xf) << 4);
    }

    /** A set of {@link BindFlag} bits. */
    public static int flags(long addr) {
        return Mem.getUnsignedByte(addr + 3) & 0xf;
    }

    /** Sets: a set of {@link BindFlag} bits. */
    public static void flags(long addr, int value) {
        Mem.putByte(addr + 3, (Mem.getUnsignedByte(addr + 3) & 0xf0) | (value & 0xf));
    }

    /** QPN of the side that receives this. */
    public static int remoteQpn(long addr) {
        return Mem.getMediumBe(addr + 4);
    }

    /** Sets: QPN of the side that receives this. */
    public static void remoteQpn(long addr, int value) {
        Mem.putMediumBe(addr + 4, value);
    }

    /** BIND_ACK: generation of the BIND that it answers; BIND: the last one seen, else 0. */
    public static int remoteGeneration(long addr) {
        return Mem.getUnsignedByte(addr + 7) >>> 4;
    }

    /** Sets: BIND_ACK: generation of the BIND that it answers; BIND: the last one seen, else 0. */
    public static void remoteGeneration(long addr, int value) {
        Mem.putByte(addr + 7, (Mem.getUnsignedByte(addr + 7) & 0x0f) | (value & 0xf) << 4);
    }

    /** First SPSN of the requests that the sender of this will send. */
    public static int firstRequestSpsn(long addr) {
        return Mem.getIntBe(addr + 8);
    }

    /** Sets: first SPSN of the requests that the sender of this will send. */
    public static void firstRequestSpsn(long addr, int value) {
        Mem.putIntBe(addr + 8, value);
    }

    /** First SPSN of the responses that the sender of this will send. */
    public static int firstResponseSpsn(long addr) {
        return Mem.getIntBe(addr + 12);
    }

    /** Sets: first SPSN of the responses that the sender of this will send. */
    public static void firstResponseSpsn(long addr, int value) {
        Mem.putIntBe(addr + 12, value);
    }

    /** Largest segment in bytes that it offers; the smaller offer of both sides holds. */
    public static int segmentSize(long addr) {
        return Mem.getShortBe(addr + 16);
    }

    /** Sets: largest segment in bytes that it offers; the smaller offer of both sides holds. */
    public static void segmentSize(long addr, int value) {
        Mem.putShortBe(addr + 16, value);
    }

    /** Segments beyond the first missing one that it accepts. */
    public static int window(long addr) {
        return Mem.getShortBe(addr + 18);
    }

    /** Sets: segments beyond the first missing one that it accepts. */
    public static void window(long addr, int value) {
        Mem.putShortBe(addr + 18, value);
    }

    /** Receives posted so far; 0 with an SRQ. */
    public static int rqLimit(long addr) {
        return Mem.getIntBe(addr + 20);
    }

    /** Sets: receives posted so far; 0 with an SRQ. */
    public static void rqLimit(long addr, int value) {
        Mem.putIntBe(addr + 20, value);
    }

    /** Reads and atomics that it serves at a time (max_dest_rd_atomic). */
    public static int rdAtomic(long addr) {
        return Mem.getUnsignedByte(addr + 24);
    }

    /** Sets: reads and atomics that it serves at a time (max_dest_rd_atomic). */
    public static void rdAtomic(long addr, int value) {
        Mem.putByte(addr + 24, value);
    }
}
