package io.metaroce.wire;

/**
 * What one side tells of itself: in INIT and OPEN its offer, in OPEN_ACK what was chosen.
 * Eight {@link PlaneEntry} slots follow the fixed fields; unused ones are zero.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class HandshakeBody {
    /** Bytes. */
    public static final int LENGTH = 224;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 20;

    /** Most planes of one side. */
    public static final int MAX_PLANES = 8;

    /** Where the first plane slot is. */
    public static final int PLANES_OFFSET = 32;

    private HandshakeBody() {}

    /** Versions spoken: bit v (value 1 &lt;&lt; v) for version v; in OPEN_ACK the chosen one. */
    public static int versions(long addr) {
        return Mem.getShortBe(addr);
    }

    /** Sets: versions spoken: bit v (value 1 &lt;&lt; v) for version v; in OPEN_ACK the chosen one. */
    public static void versions(long addr, int value) {
        Mem.putShortBe(addr, value);
    }

    /** Plane slots in use, 1..8. */
    public static int planeCount(long addr) {
        return Mem.getUnsignedByte(addr + 2);
    }

    /** Sets: plane slots in use, 1..8. */
    public static void planeCount(long addr, int value) {
        Mem.putByte(addr + 2, value);
    }

    /** Most SACK words accepted in an ACK, 4..15; the smaller of both sides holds. */
    public static int sackWords(long addr) {
        return Mem.getUnsignedByte(addr + 3);
    }

    /** Sets: most SACK words accepted in an ACK, 4..15; the smaller of both sides holds. */
    public static void sackWords(long addr, int value) {
        Mem.putByte(addr + 3, value);
    }

    /** A set of {@link Feature} bits; OPEN_ACK: those of both sides. */
    public static int features(long addr) {
        return Mem.getIntBe(addr + 4);
    }

    /** Sets: a set of {@link Feature} bits; OPEN_ACK: those of both sides. */
    public static void features(long addr, int value) {
        Mem.putIntBe(addr + 4, value);
    }

    /** Random, drawn when the process starts, never 0. */
    public static long bootNonce(long addr) {
        return Mem.getLongBe(addr + 8);
    }

    /** Sets: random, drawn when the process starts, never 0. */
    public static void bootNonce(long addr, long value) {
        Mem.putLongBe(addr + 8, value);
    }

    /** Connection id that packets to the side that sends this must carry, never 0. */
    public static int connectionId(long addr) {
        return Mem.getIntBe(addr + 16);
    }

    /** Sets: connection id that packets to the side that sends this must carry, never 0. */
    public static void connectionId(long addr, int value) {
        Mem.putIntBe(addr + 16, value);
    }

    /** Largest UDP payload accepted, in bytes. */
    public static int maxPayload(long addr) {
        return Mem.getShortBe(addr + 20);
    }

    /** Sets: largest UDP payload accepted, in bytes. */
    public static void maxPayload(long addr, int value) {
        Mem.putShortBe(addr + 20, value);
    }

    /** Longest time an ACK is held back, in microseconds. */
    public static int maxAckDelay(long addr) {
        return Mem.getShortBe(addr + 22);
    }

    /** Sets: longest time an ACK is held back, in microseconds. */
    public static void maxAckDelay(long addr, int value) {
        Mem.putShortBe(addr + 22, value);
    }

    /** Address of plane slot {@code index}. */
    public static long plane(long addr, int index) {
        return addr + PLANES_OFFSET + (long) index * PlaneEntry.LENGTH;
    }
}
