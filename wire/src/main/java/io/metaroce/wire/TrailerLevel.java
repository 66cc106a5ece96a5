package io.metaroce.wire;

/** What protects a packet. */
public final class TrailerLevel {
    /** No trailer. */
    public static final int NONE = 0;

    /** A 32-bit SipHash-2-4 tag over the headers. */
    public static final int TAG = 1;

    /** A 128-bit AES-GCM tag. */
    public static final int SEALED = 2;

    private TrailerLevel() {}
}
