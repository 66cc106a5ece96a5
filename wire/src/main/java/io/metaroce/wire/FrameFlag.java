package io.metaroce.wire;

/** Flags of the common header. */
public final class FrameFlag {
    /** Acknowledge now. */
    public static final int AR = 0x80;

    /** Sent before under the same PSN. */
    public static final int RTX = 0x40;

    /** A copy is also on another path. */
    public static final int HEDGE = 0x20;

    /** The sender has nothing after this. */
    public static final int NEWEST = 0x10;

    /** DATA only: an ACK of the same connection stands behind this packet, in the same datagram. */
    public static final int ACK_FOLLOWS = 0x08;

    private FrameFlag() {}
}
