package io.metaroce.wire;

/**
 * The header that every MetaRoCE packet starts with (PROTOCOL.md, Common header).
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class CommonHeader {
    /** Bytes. */
    public static final int LENGTH = 20;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 0;

    private CommonHeader() {}

    /** Protocol version, {@link MetaRoce#VERSION}. */
    public static int version(long addr) {
        return Mem.getUnsignedByte(addr) >>> 4;
    }

    /** Sets: protocol version, {@link MetaRoce#VERSION}. */
    public static void version(long addr, int value) {
        Mem.putByte(addr, (Mem.getUnsignedByte(addr) & 0x0f) | (value & 0xf) << 4);
    }

    /** Packet type, one of {@link FrameType}. */
    public static int type(long addr) {
        return Mem.getUnsignedByte(addr) & 0xf;
    }

    /** Sets: packet type, one of {@link FrameType}. */
    public static void type(long addr, int value) {
        Mem.putByte(addr, (Mem.getUnsignedByte(addr) & 0xf0) | (value & 0xf));
    }

    /** A set of {@link FrameFlag} bits. */
    public static int flags(long addr) {
        return Mem.getUnsignedByte(addr + 1);
    }

    /** Sets: a set of {@link FrameFlag} bits. */
    public static void flags(long addr, int value) {
        Mem.putByte(addr + 1, value);
    }

    /** Path id within the connection. */
    public static int path(long addr) {
        return Mem.getUnsignedByte(addr + 2);
    }

    /** Sets: path id within the connection. */
    public static void path(long addr, int value) {
        Mem.putByte(addr + 2, value);
    }

    /** Path epoch; every re-path adds one, PSN and counters start at 0 in each. */
    public static int epoch(long addr) {
        return Mem.getUnsignedByte(addr + 3);
    }

    /** Sets: path epoch; every re-path adds one, PSN and counters start at 0 in each. */
    public static void epoch(long addr, int value) {
        Mem.putByte(addr + 3, value);
    }

    /** The connection id that the receiver of this packet chose; 0 before it has one. */
    public static int connectionId(long addr) {
        return Mem.getIntBe(addr + 4);
    }

    /** Sets: the connection id that the receiver of this packet chose; 0 before it has one. */
    public static void connectionId(long addr, int value) {
        Mem.putIntBe(addr + 4, value);
    }

    /** Packet sequence number of this path and epoch, or the last one sent. */
    public static int psn(long addr) {
        return Mem.getIntBe(addr + 8);
    }

    /** Sets: packet sequence number of this path and epoch, or the last one sent. */
    public static void psn(long addr, int value) {
        Mem.putIntBe(addr + 8, value);
    }

    /** Transmit counter of this path and epoch; 0 in ACK and in types from 6 on. */
    public static int txOrder(long addr) {
        return Mem.getIntBe(addr + 12);
    }

    /** Sets: transmit counter of this path and epoch; 0 in ACK and in types from 6 on. */
    public static void txOrder(long addr, int value) {
        Mem.putIntBe(addr + 12, value);
    }

    /** Bytes between the last header and the trailer. */
    public static int payloadLength(long addr) {
        return Mem.getMediumBe(addr + 16);
    }

    /** Sets: bytes between the last header and the trailer. */
    public static void payloadLength(long addr, int value) {
        Mem.putMediumBe(addr + 16, value);
    }

    /** How often this probe was sent before; an ACK repeats the attempt it answers. */
    public static int attempt(long addr) {
        return Mem.getUnsignedByte(addr + 19) >>> 4;
    }

    /** Sets: how often this probe was sent before; an ACK repeats the attempt it answers. */
    public static void attempt(long addr, int value) {
        Mem.putByte(addr + 19, (Mem.getUnsignedByte(addr + 19) & 0x0f) | (value & 0xf) << 4);
    }

    /** Trailer at the end of the packet, one of {@link TrailerLevel}. */
    public static int level(long addr) {
        return Mem.getUnsignedByte(addr + 19) >>> 2 & 0x3;
    }

    /** Sets: trailer at the end of the packet, one of {@link TrailerLevel}. */
    public static void level(long addr, int value) {
        Mem.putByte(addr + 19, (Mem.getUnsignedByte(addr + 19) & 0xf3) | (value & 0x3) << 2);
    }

    /** Writes the whole header, the version included. */
    public static void put(
            long addr,
            int type,
            int flags,
            int path,
            int epoch,
            int connectionId,
            int psn,
            int txOrder,
            int payloadLength,
            int attempt,
            int level) {
        Mem.putIntBe(
                addr, MetaRoce.VERSION << 28 | type << 24 | (flags & 0xff) << 16 | (path & 0xff) << 8 | (epoch & 0xff));
        Mem.putIntBe(addr + 4, connectionId);
        Mem.putIntBe(addr + 8, psn);
        Mem.putIntBe(addr + 12, txOrder);
        Mem.putIntBe(addr + 16, payloadLength << 8 | (attempt & 0xf) << 4 | (level & 3) << 2);
    }
}
