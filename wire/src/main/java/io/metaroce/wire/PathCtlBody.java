package io.metaroce.wire;

/**
 * Body of a PATH_CTL.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class PathCtlBody {
    /** Bytes. */
    public static final int LENGTH = 8;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 20;

    /** Stands for every plane. */
    public static final int ANY_PLANE = 255;

    private PathCtlBody() {}

    /** One of {@link PathCtlKind}. */
    public static int kind(long addr) {
        return Mem.getUnsignedByte(addr);
    }

    /** Sets: one of {@link PathCtlKind}. */
    public static void kind(long addr, int value) {
        Mem.putByte(addr, value);
    }

    /** Index in the sender's plane list; 255 for every one. */
    public static int localPlane(long addr) {
        return Mem.getUnsignedByte(addr + 1);
    }

    /** Sets: index in the sender's plane list; 255 for every one. */
    public static void localPlane(long addr, int value) {
        Mem.putByte(addr + 1, value);
    }

    /** Index in the receiver's plane list; 255 for every one. */
    public static int remotePlane(long addr) {
        return Mem.getUnsignedByte(addr + 2);
    }

    /** Sets: index in the receiver's plane list; 255 for every one. */
    public static void remotePlane(long addr, int value) {
        Mem.putByte(addr + 2, value);
    }

    /** Path id that a PATH_NEW announces, else 0. */
    public static int path(long addr) {
        return Mem.getUnsignedByte(addr + 3);
    }

    /** Sets: path id that a PATH_NEW announces, else 0. */
    public static void path(long addr, int value) {
        Mem.putByte(addr + 3, value);
    }

    /** Its epoch, else 0. */
    public static int epoch(long addr) {
        return Mem.getUnsignedByte(addr + 4);
    }

    /** Sets: its epoch, else 0. */
    public static void epoch(long addr, int value) {
        Mem.putByte(addr + 4, value);
    }

    /** Its UDP source port, else 0. */
    public static int sourcePort(long addr) {
        return Mem.getShortBe(addr + 6);
    }

    /** Sets: its UDP source port, else 0. */
    public static void sourcePort(long addr, int value) {
        Mem.putShortBe(addr + 6, value);
    }

    /** Writes the whole body. */
    public static void put(long addr, int kind, int localPlane, int remotePlane, int path, int epoch, int sourcePort) {
        Mem.putIntBe(addr, kind << 24 | (localPlane & 0xff) << 16 | (remotePlane & 0xff) << 8 | (path & 0xff));
        Mem.putIntBe(addr + 4, (epoch & 0xff) << 24 | (sourcePort & 0xffff));
    }
}
