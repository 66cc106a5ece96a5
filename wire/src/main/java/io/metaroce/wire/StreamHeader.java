package io.metaroce.wire;

/**
 * What a DATA packet is for: queue pair, operation, place in its stream (PROTOCOL.md, Stream header).
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class StreamHeader {
    /** Bytes. */
    public static final int LENGTH = 16;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 20;

    private StreamHeader() {}

    /** Destination QPN. */
    public static int qpn(long addr) {
        return Mem.getMediumBe(addr);
    }

    /** Sets: destination QPN. */
    public static void qpn(long addr, int value) {
        Mem.putMediumBe(addr, value);
    }

    /** Operation, one of {@link Opcode}. */
    public static int opcode(long addr) {
        return Mem.getUnsignedByte(addr + 3) >>> 4;
    }

    /** Sets: operation, one of {@link Opcode}. */
    public static void opcode(long addr, int value) {
        Mem.putByte(addr + 3, (Mem.getUnsignedByte(addr + 3) & 0x0f) | (value & 0xf) << 4);
    }

    /** Bind generation of the receiving QP. */
    public static int generation(long addr) {
        return Mem.getUnsignedByte(addr + 3) & 0xf;
    }

    /** Sets: bind generation of the receiving QP. */
    public static void generation(long addr, int value) {
        Mem.putByte(addr + 3, (Mem.getUnsignedByte(addr + 3) & 0xf0) | (value & 0xf));
    }

    /** Stream packet sequence number of the first segment in this packet. */
    public static int spsn(long addr) {
        return Mem.getIntBe(addr + 4);
    }

    /** Sets: stream packet sequence number of the first segment in this packet. */
    public static void spsn(long addr, int value) {
        Mem.putIntBe(addr + 4, value);
    }

    /** Message sequence number; a response carries its request's. */
    public static int msn(long addr) {
        return Mem.getMediumBe(addr + 8);
    }

    /** Sets: message sequence number; a response carries its request's. */
    public static void msn(long addr, int value) {
        Mem.putMediumBe(addr + 8, value);
    }

    /** A set of {@link StreamFlag} bits. */
    public static int flags(long addr) {
        return Mem.getUnsignedByte(addr + 11);
    }

    /** Sets: a set of {@link StreamFlag} bits. */
    public static void flags(long addr, int value) {
        Mem.putByte(addr + 11, value);
    }

    /** Byte offset of the payload in the message. */
    public static long offset(long addr) {
        return Mem.getUnsignedIntBe(addr + 12);
    }

    /** Sets: byte offset of the payload in the message. */
    public static void offset(long addr, long value) {
        Mem.putIntBe(addr + 12, (int) value);
    }

    /** Writes the whole header. */
    public static void put(long addr, int qpn, int opcode, int generation, int spsn, int msn, int flags, long offset) {
        Mem.putIntBe(addr, qpn << 8 | (opcode & 0xf) << 4 | (generation & 0xf));
        Mem.putIntBe(addr + 4, spsn);
        Mem.putIntBe(addr + 8, msn << 8 | (flags & 0xff));
        Mem.putIntBe(addr + 12, (int) offset);
    }
}
