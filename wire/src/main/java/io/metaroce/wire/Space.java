package io.metaroce.wire;

/** Sequence spaces of a stream. */
public final class Space {
    /** SPSNs of requests: WRITE, SEND, READ_REQ, ATOMIC_REQ. */
    public static final int REQUEST = 0;

    /** SPSNs of responses: READ_RSP, ATOMIC_RSP. */
    public static final int RESPONSE = 1;

    private Space() {}
}
