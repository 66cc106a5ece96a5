package io.metaroce.wire;

/**
 * How the headers of a DATA packet follow from opcode and flags. All addresses are that of the stream header's first
 * byte, and all offsets and lengths are counted from there.
 *
 * <p>Meant for packets that {@link FrameReader} accepted, and for those this process builds.
 */
public final class DataLayout {
    private static final int TAIL_FLAGS = StreamFlag.IMM | StreamFlag.INV | StreamFlag.ERR;

    private DataLayout() {}

    /** Bytes of the extension behind the stream header, or -1 if there is no such operation. */
    public static int extensionLength(int opcode) {
        return switch (opcode) {
            case Opcode.WRITE, Opcode.READ_REQ -> WriteExt.LENGTH;
            case Opcode.SEND -> SendExt.LENGTH;
            case Opcode.READ_RSP -> ReadRspExt.LENGTH;
            case Opcode.ATOMIC_REQ -> AtomicExt.LENGTH;
            case Opcode.ATOMIC_RSP -> AtomicRspExt.LENGTH;
            default -> -1;
        };
    }

    /** Bytes behind the extension: immediate (with its receive index after a WRITE), invalidated rkey or syndrome. */
    public static int tailLength(int opcode, int flags) {
        if ((flags & TAIL_FLAGS) == 0) {
            return 0;
        }
        return opcode == Opcode.WRITE && (flags & StreamFlag.IMM) != 0 ? ImmediateTail.LENGTH : InvalidateTail.LENGTH;
    }

    /** Bytes of stream header, extension and tail: where the payload starts. The opcode must exist. */
    public static int headersLength(int opcode, int flags) {
        return StreamHeader.LENGTH + extensionLength(opcode) + tailLength(opcode, flags);
    }

    /** As {@link #headersLength(int, int)}, of a packet that is there. */
    public static int headersLength(long streamHeader) {
        return headersLength(StreamHeader.opcode(streamHeader), StreamHeader.flags(streamHeader));
    }

    /** Where the extension starts. */
    public static long extension(long streamHeader) {
        return streamHeader + StreamHeader.LENGTH;
    }

    /** Where the tail starts, if the flags say that there is one. */
    public static long tail(long streamHeader) {
        return streamHeader + StreamHeader.LENGTH + extensionLength(StreamHeader.opcode(streamHeader));
    }

    /** Bytes of the whole message: what was asked for in a READ_REQ, 0 in atomics. */
    public static long messageLength(long streamHeader) {
        long extension = extension(streamHeader);
        return switch (StreamHeader.opcode(streamHeader)) {
            case Opcode.WRITE, Opcode.READ_REQ -> WriteExt.messageLength(extension);
            case Opcode.SEND -> SendExt.messageLength(extension);
            case Opcode.READ_RSP -> ReadRspExt.messageLength(extension);
            default -> 0;
        };
    }

    /** Whether the operation belongs to the space of responses. */
    public static int space(int opcode) {
        return opcode == Opcode.READ_RSP || opcode == Opcode.ATOMIC_RSP ? Space.RESPONSE : Space.REQUEST;
    }

    /** SPSNs that a packet with {@code payloadBytes} takes, and that a message of that length takes: at least 1. */
    public static int segments(long payloadBytes, int segmentBytes) {
        return payloadBytes <= segmentBytes ? 1 : (int) ((payloadBytes + segmentBytes - 1) / segmentBytes);
    }

    /**
     * Whether a packet is cut at segments of its stream: it starts at a multiple of the segment size, and its payload is
     * a multiple too unless it ends the message. {@link FrameReader} cannot know the segment size, so this is checked
     * where the stream is known.
     */
    public static boolean cutAtSegments(long streamHeader, int payloadBytes, int segmentBytes) {
        return StreamHeader.offset(streamHeader) % segmentBytes == 0
                && (payloadBytes % segmentBytes == 0 || (StreamHeader.flags(streamHeader) & StreamFlag.LAST) != 0);
    }
}
