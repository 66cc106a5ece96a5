package io.metaroce.provider.port;

/** Every counter of the process; printed as {@code key value} lines with the name in lower case. Add freely, one line of meaning each. */
public enum Counter {
    /** Frames handed to the engine. */
    RX_FRAMES,
    /** Frames the engine sent. */
    TX_FRAMES,
    /** Bytes of UDP payload received and sent. */
    RX_BYTES,
    TX_BYTES,
    /** Frames refused by FrameReader. */
    RX_MALFORMED,
    /** Frames for a connection id that does not exist. */
    RX_UNKNOWN_CONNECTION,
    /** Frames whose SipHash tag was wrong. */
    RX_BAD_TAG,
    /** Frames of an earlier epoch, another boot or another bind generation. */
    RX_STALE,
    /** Packets that a path had received before. */
    RX_DUPLICATE,
    /** Packets dropped before their path marked them, for want of a resource. */
    RX_NO_RESOURCE,
    /** Segments that landed while an earlier one of their QP was missing. */
    RX_OUT_OF_ORDER,
    /** Frames with a CE mark. */
    RX_CE,
    /** Packets declared lost and sent again. */
    TX_RESENT,
    /** Packets turned into VOID. */
    TX_VOID,
    /** Packets of silent paths sent once more on other paths. */
    TX_COPIED,
    /** PROBEs sent: tail markers and PTO probes. */
    TX_PROBES,
    /** ACKs sent and received. */
    TX_ACKS,
    RX_ACKS,
    /** RNR blocks sent and received. */
    TX_RNR,
    RX_RNR,
    /** STREAM_CTL QUERY sent. */
    TX_QUERIES,
    /** Paths that fell silent with data outstanding. */
    PATHS_SUSPECTED,
    /** Connections that keep to smaller packets since larger ones have vanished. */
    MTU_STEPS_DOWN,
    /** The larger packets are tried again, {@link #MTU_STEPS_DOWN} once more if they are still lost. */
    MTU_STEPS_UP,
    /** Times a path got another source port because its probes were lost. */
    PATHS_MOVED,
    /** Times a path that was moved came back to its first source port. */
    PATHS_BACK,
    /** Planes that were given up while others lived, and those that came back. */
    PLANES_DOWN,
    PLANES_UP,
    /** INITs answered with a cookie, and OPENs whose cookie was wrong. */
    RX_INITS,
    RX_BAD_COOKIE,
    /** OPENs and OPEN_ACKs of processes without our pre-shared key, or with one that we have not. */
    RX_REFUSED,
    /** RESETs sent and received. */
    TX_RESETS,
    RX_RESETS,
    /** Connections opened since the start, and open now. */
    CONNECTIONS_OPENED,
    CONNECTIONS_OPEN,
    /** QPs that exist now. */
    QPS_OPEN,
    /** Remote accesses refused. */
    REMOTE_ACCESS_ERRORS,
    /** CQEs written. */
    CQES,
    /** Frames for our port that a link refused: cut short, wrong lengths, not for our addresses. */
    LINK_RX_MALFORMED,
    /** Frames with a wrong IP or UDP checksum. */
    LINK_RX_BAD_CHECKSUM,
    /** Frames that the kernel dropped because a ring was full. */
    LINK_RX_RING_DROPS,
    /** Frames that the kernel refused to send. */
    LINK_TX_DROPPED,
    /** Times the kernel left frames in the ring of transmission. */
    LINK_TX_CONGESTED,
    /** Frames sent through the kernel's own IP output, which resolves the neighbour. */
    LINK_TX_VIA_KERNEL,
    /** Duty cycles, and those that moved something. */
    CYCLES,
    CYCLES_BUSY
}
