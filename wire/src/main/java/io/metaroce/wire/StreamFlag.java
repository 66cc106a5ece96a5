package io.metaroce.wire;

/** Flags of the stream header and of the datagram header. */
public final class StreamFlag {
    /** Ends its message. */
    public static final int LAST = 0x80;

    /** Solicited event; with LAST only. */
    public static final int SE = 0x40;

    /** Immediate data follows; with LAST only. */
    public static final int IMM = 0x20;

    /** An rkey to invalidate follows; with LAST only. */
    public static final int INV = 0x10;

    /** A response that cannot be given; a syndrome stands in for the data. */
    public static final int ERR = 0x08;

    private StreamFlag() {}
}
