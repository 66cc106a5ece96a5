package io.metaroce.wire;

/**
 * Acknowledgement of one path and epoch; the common header names them (PROTOCOL.md, ACK).
 *
 * <p>{@code addr} is the address of this header's first byte.
 */
public final class AckHeader {
    /** Bytes. */
    public static final int LENGTH = 24;

    /** Where it starts, counted from the first byte of the UDP payload. */
    public static final int OFFSET = 20;

    /** Bytes of one SACK word. */
    public static final int SACK_WORD_LENGTH = 8;

    /** Most SACK words of a connection that did not negotiate more: 256 PSNs. */
    public static final int DEFAULT_MAX_SACK_WORDS = 4;

    /** Most SACK words that can be negotiated: 960 PSNs. */
    public static final int MAX_SACK_WORDS = 15;

    /** Most stream blocks in one ACK. */
    public static final int MAX_STREAM_BLOCKS = 15;

    private static final int MAX_DELAY_UNITS = 0xffff;

    private AckHeader() {}

    /** Next PSN expected: all before it have arrived. */
    public static int cumPsn(long addr) {
        return Mem.getIntBe(addr);
    }

    /** Sets: next PSN expected: all before it have arrived. */
    public static void cumPsn(long addr, int value) {
        Mem.putIntBe(addr, value);
    }

    /** Highest transmit order received on this path and epoch. */
    public static int echoTxOrder(long addr) {
        return Mem.getIntBe(addr + 4);
    }

    /** Sets: highest transmit order received on this path and epoch. */
    public static void echoTxOrder(long addr, int value) {
        Mem.putIntBe(addr + 4, value);
    }

    /** Counter of ACKs of this connection. */
    public static int ackSeq(long addr) {
        return Mem.getIntBe(addr + 8);
    }

    /** Sets: counter of ACKs of this connection. */
    public static void ackSeq(long addr, int value) {
        Mem.putIntBe(addr + 8, value);
    }

    /** Time since the echoed packet arrived, in units of 64 ns, saturating. */
    public static int ackDelay(long addr) {
        return Mem.getShortBe(addr + 12);
    }

    /** Sets: time since the echoed packet arrived, in units of 64 ns, saturating. */
    public static void ackDelay(long addr, int value) {
        Mem.putShortBe(addr + 12, value);
    }

    /** The sender's share, coded as {@link RateHint}; 0 for none. */
    public static int rateHint(long addr) {
        return Mem.getShortBe(addr + 14);
    }

    /** Sets: the sender's share, coded as {@link RateHint}; 0 for none. */
    public static void rateHint(long addr, int value) {
        Mem.putShortBe(addr + 14, value);
    }

    /** CE-marked packets received on this path and epoch, modulo 65536. */
    public static int ceCount(long addr) {
        return Mem.getShortBe(addr + 16);
    }

    /** Sets: CE-marked packets received on this path and epoch, modulo 65536. */
    public static void ceCount(long addr, int value) {
        Mem.putShortBe(addr + 16, value);
    }

    /** Duplicates received on this path and epoch, VOID aside, modulo 256. */
    public static int dupCount(long addr) {
        return Mem.getUnsignedByte(addr + 18);
    }

    /** Sets: duplicates received on this path and epoch, VOID aside, modulo 256. */
    public static void dupCount(long addr, int value) {
        Mem.putByte(addr + 18, value);
    }

    /** Number of 64-bit SACK words that follow. */
    public static int sackWords(long addr) {
        return Mem.getUnsignedByte(addr + 19) >>> 4;
    }

    /** Sets: number of 64-bit SACK words that follow. */
    public static void sackWords(long addr, int value) {
        Mem.putByte(addr + 19, (Mem.getUnsignedByte(addr + 19) & 0x0f) | (value & 0xf) << 4);
    }

    /** Number of stream blocks that follow the SACK words. */
    public static int streamBlocks(long addr) {
        return Mem.getUnsignedByte(addr + 19) & 0xf;
    }

    /** Sets: number of stream blocks that follow the SACK words. */
    public static void streamBlocks(long addr, int value) {
        Mem.putByte(addr + 19, (Mem.getUnsignedByte(addr + 19) & 0xf0) | (value & 0xf));
    }

    /** The SACK word {@code index}; its bit i (value 1 &lt;&lt; i) stands for PSN cum + 1 + 64 * index + i. */
    public static long sackWord(long addr, int index) {
        return Mem.getLongBe(addr + LENGTH + (long) index * SACK_WORD_LENGTH);
    }

    /** Sets SACK word {@code index}. */
    public static void sackWord(long addr, int index, long word) {
        Mem.putLongBe(addr + LENGTH + (long) index * SACK_WORD_LENGTH, word);
    }

    /** Address of stream block {@code index}, given the number of SACK words before the blocks. */
    public static long streamBlock(long addr, int sackWords, int index) {
        return addr + LENGTH + (long) sackWords * SACK_WORD_LENGTH + (long) index * StreamBlock.LENGTH;
    }

    /** A delay as the field holds it: units of 64 ns, rounded down, at most 4.19 ms. */
    public static int delayUnits(long delayNs) {
        return delayNs <= 0 ? 0 : (int) Math.min(delayNs >>> 6, MAX_DELAY_UNITS);
    }

    /** The time that a delay field stands for. */
    public static long delayNs(int delayUnits) {
        return (long) delayUnits << 6;
    }
}
