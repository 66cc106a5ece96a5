package io.metaroce.wire;

/** Why a decoder refused a packet. The names are stable: they appear in counters and traces. */
public enum DropReason {
    /** Ends before its headers do. */
    TRUNCATED,
    /** Another version of the protocol. */
    VERSION,
    /** A packet type that does not exist. */
    TYPE,
    /** Announces an ACK behind it, but is no DATA or leaves no room for one. */
    ACK_FOLLOWS,
    /** A trailer that does not exist, or one on a packet that has none. */
    LEVEL,
    /** Connection id zero where one is needed, or the reverse. */
    CONNECTION_ID,
    /** A transmit order on a packet that has none. */
    TX_ORDER,
    /** Headers, payload and trailer do not add up to the length of the packet. */
    LENGTH,
    /** A payload where there is none, or none where there must be one. */
    PAYLOAD,
    /** An INIT or OPEN shorter than 1200 bytes. */
    PADDING,
    /** An operation that does not exist. */
    OPCODE,
    /** Flags that the operation does not allow, or a LAST that contradicts the lengths. */
    FLAGS,
    /** A message longer than 2^31 bytes, or a datagram whose lengths differ. */
    MESSAGE_LENGTH,
    /** Payload beyond the end of its message, or an offset where there is none. */
    OFFSET,
    /** An atomic operation or operand size that does not exist. */
    ATOMIC,
    /** A syndrome that does not exist. */
    SYNDROME,
    /** More SACK words than agreed. */
    SACK_WORDS,
    /** A stream block of no known kind, or with a code that does not fit it. */
    STREAM_BLOCK,
    /** A STREAM_CTL of no known kind, or with a wrong number of blocks. */
    STREAM_CTL,
    /** A bind with a segment size or window that is not allowed. */
    BIND,
    /** A PATH_CTL of no known kind, or with a plane that cannot be. */
    PATH_CTL,
    /** A handshake with a value that is not allowed. */
    HANDSHAKE,
    /** Neither IPv4 nor IPv6. */
    ETHER_TYPE,
    /** An IP header of another version than its EtherType, or of an impossible length. */
    IP_HEADER,
    /** The IP packet is longer than what arrived. */
    IP_LENGTH,
    /** The checksum of the IPv4 header is wrong. */
    IP_CHECKSUM,
    /** A fragment of an IP packet. */
    FRAGMENT,
    /** Not UDP, or UDP behind an IPv6 extension header. */
    IP_PROTOCOL,
    /** The UDP length is impossible. */
    UDP_LENGTH,
    /** The UDP checksum is wrong. */
    UDP_CHECKSUM;

    private static final DropReason[] VALUES = values();

    /** The negative number that decoders return for this reason; it never leaves the process. */
    @SuppressWarnings("EnumOrdinal")
    long result() {
        return -1L - ordinal();
    }

    /**
     * The reason behind a negative answer of a decoder.
     *
     * @throws IllegalArgumentException if the answer was not a drop
     */
    public static DropReason of(long read) {
        if (read >= 0 || read < -VALUES.length) {
            throw new IllegalArgumentException("not a drop: " + read);
        }
        return VALUES[(int) (-1 - read)];
    }
}
