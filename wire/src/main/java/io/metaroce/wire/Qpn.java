package io.metaroce.wire;

/** Queue pair numbers: 24 bits, the process's slot (10) above the index within the process (14). */
public final class Qpn {
    /** Bits of the index. */
    public static final int INDEX_BITS = 14;

    /** Queue pair indexes per process; 0 and 1 are never given out, as QP0 and QP1 are special (IBTA 3.9). */
    public static final int INDEXES = 1 << INDEX_BITS;

    /** All bits of a QPN. */
    public static final int MASK = 0xffffff;

    private Qpn() {}

    /** The QPN of an index within a slot. */
    public static int of(int slot, int index) {
        return (slot & 0x3ff) << INDEX_BITS | (index & (INDEXES - 1));
    }

    /** The slot, 0..1023. */
    public static int slot(int qpn) {
        return (qpn >>> INDEX_BITS) & 0x3ff;
    }

    /** The index, 0..16383. */
    public static int index(int qpn) {
        return qpn & (INDEXES - 1);
    }
}
