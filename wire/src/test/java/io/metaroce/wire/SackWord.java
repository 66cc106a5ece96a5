package io.metaroce.wire;

/** A SACK word as a header of its own, so that tests can treat it like the others. */
final class SackWord {
    static final int LENGTH = AckHeader.SACK_WORD_LENGTH;

    private SackWord() {}

    static long bits(long addr) {
        return AckHeader.sackWord(addr - AckHeader.LENGTH, 0);
    }

    static void bits(long addr, long value) {
        AckHeader.sackWord(addr - AckHeader.LENGTH, 0, value);
    }
}
