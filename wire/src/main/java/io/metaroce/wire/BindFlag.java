package io.metaroce.wire;

/** Flags of a bind. */
public final class BindFlag {
    /** Receives come from a shared receive queue. */
    public static final int SRQ = 0x8;

    private BindFlag() {}
}
