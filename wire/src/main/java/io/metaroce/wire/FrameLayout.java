package io.metaroce.wire;

/** Length of all headers of a packet, so that both sides tag the same bytes. */
public final class FrameLayout {
    private FrameLayout() {}

    /**
     * Bytes from the common header to the payload (or padding) of a packet that this process built or that {@link
     * FrameReader} accepted: the part that a {@link FrameTag} covers.
     *
     * @throws IllegalArgumentException if there is no such type; never for an accepted packet
     */
    public static int headerLength(long frame) {
        long body = frame + CommonHeader.LENGTH;
        return switch (CommonHeader.type(frame)) {
            case FrameType.DATA -> CommonHeader.LENGTH + DataLayout.headersLength(body);
            case FrameType.ACK -> ackLength(AckHeader.sackWords(body), AckHeader.streamBlocks(body));
            case FrameType.PROBE, FrameType.VOID -> CommonHeader.LENGTH;
            case FrameType.STREAM_CTL ->
                CommonHeader.LENGTH + streamCtlLength(CtlHeader.kind(body), CtlHeader.count(body));
            case FrameType.PATH_CTL -> CommonHeader.LENGTH + PathCtlBody.LENGTH;
            case FrameType.DATAGRAM -> CommonHeader.LENGTH + datagramLength(DatagramHeader.flags(body));
            case FrameType.INIT -> CommonHeader.LENGTH + HandshakeBody.LENGTH;
            case FrameType.INIT_ACK -> CommonHeader.LENGTH + InitAckBody.LENGTH;
            case FrameType.OPEN -> CommonHeader.LENGTH + HandshakeBody.LENGTH + OpenTail.LENGTH;
            case FrameType.OPEN_ACK -> CommonHeader.LENGTH + HandshakeBody.LENGTH + OpenAckTail.LENGTH;
            case FrameType.CLOSE -> CommonHeader.LENGTH + CloseBody.LENGTH;
            case FrameType.RESET -> CommonHeader.LENGTH + ResetBody.LENGTH;
            default -> throw new IllegalArgumentException("no packet type " + CommonHeader.type(frame));
        };
    }

    /** Bytes of an ACK's headers, the common header included; an ACK has nothing else. */
    public static int ackLength(int sackWords, int streamBlocks) {
        return CommonHeader.LENGTH
                + AckHeader.LENGTH
                + sackWords * AckHeader.SACK_WORD_LENGTH
                + streamBlocks * StreamBlock.LENGTH;
    }

    /** Bytes after the common header of a STREAM_CTL, or -1 if there is no such kind. */
    public static int streamCtlLength(int kind, int count) {
        return switch (kind) {
            case CtlKind.BIND, CtlKind.BIND_ACK -> CtlHeader.LENGTH + BindBody.LENGTH;
            case CtlKind.QUERY -> CtlHeader.LENGTH + QueryBody.LENGTH;
            case CtlKind.FINAL -> CtlHeader.LENGTH + count * StreamBlock.LENGTH;
            default -> -1;
        };
    }

    /** Bytes after the common header of a DATAGRAM's headers. */
    public static int datagramLength(int flags) {
        return DatagramHeader.LENGTH + ((flags & StreamFlag.IMM) != 0 ? ImmediateTail.SEND_LENGTH : 0);
    }

    /** Bytes of the trailer of a level; 0 for a level that does not exist. */
    public static int trailerLength(int level) {
        return switch (level) {
            case TrailerLevel.TAG -> FrameTag.LENGTH;
            case TrailerLevel.SEALED -> 16;
            default -> 0;
        };
    }
}
