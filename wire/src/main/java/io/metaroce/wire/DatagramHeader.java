package io.metaroce.wire;

/**
 * An unreliable datagram (UD): no connection, one message in one packet.
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class DatagramHeader {
    /** Bytes. */
    public static final int LENGTH = 16;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 20;

    private DatagramHeader() {}

    /** Destination QPN. */
    public static int qpn(long addr) {
        return Mem.getMediumBe(addr);
    }

    /** Sets: destination QPN. */
    public static void qpn(long addr, int value) {
        Mem.putMediumBe(addr, value);
    }

    /** SE and IMM of {@link StreamFlag}. */
    public static int flags(long addr) {
        return Mem.getUnsignedByte(addr + 3);
    }

    /** Sets: SE and IMM of {@link StreamFlag}. */
    public static void flags(long addr, int value) {
        Mem.putByte(addr + 3, value);
    }

    /** Source QPN. */
    public static int sourceQpn(long addr) {
        return Mem.getMediumBe(addr + 4);
    }

    /** Sets: source QPN. */
    public static void sourceQpn(long addr, int value) {
        Mem.putMediumBe(addr + 4, value);
    }

    /** Q_Key. */
    public static int qkey(long addr) {
        return Mem.getIntBe(addr + 8);
    }

    /** Sets: Q_Key. */
    public static void qkey(long addr, int value) {
        Mem.putIntBe(addr + 8, value);
    }

    /** Message length in bytes; equals the payload length. */
    public static long messageLength(long addr) {
        return Mem.getUnsignedIntBe(addr + 12);
    }

    /** Sets: message length in bytes; equals the payload length. */
    public static void messageLength(long addr, long value) {
        Mem.putIntBe(addr + 12, (int) value);
    }

    /** Writes the whole header. */
    public static void put(long addr, int qpn, int flags, int sourceQpn, int qkey, long messageLength) {
        Mem.putIntBe(addr, qpn << 8 | (flags & 0xff));
        Mem.putIntBe(addr + 4, sourceQpn << 8);
        Mem.putIntBe(addr + 8, qkey);
        Mem.putIntBe(addr + 12, (int) messageLength);
    }
}
