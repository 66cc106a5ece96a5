package io.metaroce.wire;

/** Features offered in a handshake. */
public final class Feature {
    /** Packets carry a SipHash tag. */
    public static final int TAG = 0x1;

    /** Packets can be sealed with AES-GCM. */
    public static final int SEALED = 0x2;

    /** A pre-shared key is required. */
    public static final int PSK = 0x4;

    private Feature() {}
}
