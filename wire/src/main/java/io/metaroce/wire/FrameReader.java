package io.metaroce.wire;

/**
 * The only way into a UDP payload that came from outside. It looks at lengths, types and everything else that can be
 * judged without knowing the connection, never reads past the length and never throws.
 *
 * <p>The answer is one long: negative for a drop ({@link DropReason#of}), else type and lengths, read by the accessors
 * here. What it accepts may be read with the header classes without any further check of lengths. Not checked, since
 * that takes the connection or the stream: tag and level agreed, windows, generations, and that offsets are multiples
 * of the segment size ({@link DataLayout#cutAtSegments}).
 */
public final class FrameReader {
    private static final int PAYLOAD_SHIFT = 26;
    private static final int HEADER_SHIFT = 10;
    private static final int LEVEL_SHIFT = 8;
    private static final int OPCODE_SHIFT = 4;

    /** Types that belong to an open connection and so may carry a trailer. */
    private static final int TRAILER_TYPES = 1 << FrameType.DATA
            | 1 << FrameType.ACK
            | 1 << FrameType.PROBE
            | 1 << FrameType.VOID
            | 1 << FrameType.STREAM_CTL
            | 1 << FrameType.PATH_CTL
            | 1 << FrameType.CLOSE;

    /** Types whose receiver has not chosen a connection id, or has none. */
    private static final int NO_CONNECTION_TYPES =
            1 << FrameType.DATAGRAM | 1 << FrameType.INIT | 1 << FrameType.OPEN | 1 << FrameType.RESET;

    /** Types that may have bytes between headers and trailer. */
    private static final int PAYLOAD_TYPES = 1 << FrameType.DATA
            | 1 << FrameType.PROBE
            | 1 << FrameType.DATAGRAM
            | 1 << FrameType.INIT
            | 1 << FrameType.OPEN;

    private static final int MAX_RNR_TIMER = 31;
    private static final int INV_IMM = StreamFlag.INV | StreamFlag.IMM;

    private FrameReader() {}

    /** Judges a packet of a connection that agreed on nothing beyond 4 SACK words. */
    public static long read(long frame, int length) {
        return read(frame, length, AckHeader.DEFAULT_MAX_SACK_WORDS);
    }

    /**
     * Judges a packet.
     *
     * @param frame address of the first byte after the UDP header
     * @param length bytes that may be read there
     * @param maxSackWords most SACK words to accept in an ACK, up to 15
     * @return a {@link DropReason} as a negative number, or type and lengths
     */
    public static long read(long frame, int length, int maxSackWords) {
        if (length < CommonHeader.LENGTH) {
            return DropReason.TRUNCATED.result();
        }
        if (CommonHeader.version(frame) != MetaRoce.VERSION) {
            return DropReason.VERSION.result();
        }
        int type = CommonHeader.type(frame);
        if (type > FrameType.RESET || type == 7) {
            return DropReason.TYPE.result();
        }
        boolean ackFollows = (CommonHeader.flags(frame) & FrameFlag.ACK_FOLLOWS) != 0;
        if (ackFollows && type != FrameType.DATA) {
            return DropReason.ACK_FOLLOWS.result();
        }
        int level = CommonHeader.level(frame);
        if (level > TrailerLevel.SEALED || (level != TrailerLevel.NONE && (TRAILER_TYPES & 1 << type) == 0)) {
            return DropReason.LEVEL.result();
        }
        if (CommonHeader.connectionId(frame) == 0 != ((NO_CONNECTION_TYPES & 1 << type) != 0)) {
            return DropReason.CONNECTION_ID.result();
        }
        if (CommonHeader.txOrder(frame) != 0 && (type == FrameType.ACK || type >= FrameType.DATAGRAM)) {
            return DropReason.TX_ORDER.result();
        }
        int trailer = FrameLayout.trailerLength(level);
        int payload = CommonHeader.payloadLength(frame);
        if (payload != 0 && (PAYLOAD_TYPES & 1 << type) == 0) {
            return DropReason.PAYLOAD.result();
        }
        int room = length - trailer - CommonHeader.LENGTH;
        if (room < 0) {
            return DropReason.TRUNCATED.result();
        }
        long body = frame + CommonHeader.LENGTH;
        long headers = headers(type, body, room, payload, maxSackWords);
        if (headers < 0) {
            return headers;
        }
        if (ackFollows) {
            if (room - headers - payload < CommonHeader.LENGTH + AckHeader.LENGTH) {
                return DropReason.ACK_FOLLOWS.result();
            }
        } else if (headers + payload != room) {
            return DropReason.LENGTH.result();
        }
        if ((type == FrameType.INIT || type == FrameType.OPEN) && length < MetaRoce.INIT_BYTES) {
            return DropReason.PADDING.result();
        }
        int opcode = type == FrameType.DATA ? StreamHeader.opcode(body) : 0;
        return (long) payload << PAYLOAD_SHIFT
                | (headers + CommonHeader.LENGTH) << HEADER_SHIFT
                | (long) level << LEVEL_SHIFT
                | (long) opcode << OPCODE_SHIFT
                | type;
    }

    /** The type of an accepted packet, one of {@link FrameType}. */
    public static int type(long read) {
        return (int) read & 0xf;
    }

    /** The operation of an accepted DATA packet, one of {@link Opcode}; 0 for other types. */
    public static int opcode(long read) {
        return (int) (read >>> OPCODE_SHIFT) & 0xf;
    }

    /** The trailer of an accepted packet, one of {@link TrailerLevel}. The receiver compares it with what was agreed. */
    public static int level(long read) {
        return (int) (read >>> LEVEL_SHIFT) & 3;
    }

    /** Bytes of all headers of an accepted packet: where its payload starts, and what its tag covers. */
    public static int headerLength(long read) {
        return (int) (read >>> HEADER_SHIFT) & 0xffff;
    }

    /** Bytes of payload or padding of an accepted packet. */
    public static int payloadLength(long read) {
        return (int) (read >>> PAYLOAD_SHIFT) & 0xffffff;
    }

    /** Bytes of an accepted packet, its trailer included: an ACK that is announced by ACK_FOLLOWS begins there, and is judged for itself. */
    public static int length(long read) {
        return headerLength(read) + payloadLength(read) + FrameLayout.trailerLength(level(read));
    }

    /** Bytes after the common header that are known to be there and right, or a drop. */
    private static long headers(int type, long body, int room, int payload, int maxSackWords) {
        return switch (type) {
            case FrameType.DATA -> data(body, room, payload);
            case FrameType.ACK -> ack(body, room, maxSackWords);
            case FrameType.PROBE, FrameType.VOID -> 0;
            case FrameType.STREAM_CTL -> streamCtl(body, room);
            case FrameType.PATH_CTL -> room < PathCtlBody.LENGTH ? DropReason.TRUNCATED.result() : pathCtl(body);
            case FrameType.DATAGRAM ->
                room < DatagramHeader.LENGTH ? DropReason.TRUNCATED.result() : datagram(body, room, payload);
            case FrameType.INIT -> handshake(body, room, 0);
            case FrameType.OPEN -> handshake(body, room, OpenTail.LENGTH);
            case FrameType.OPEN_ACK -> handshake(body, room, OpenAckTail.LENGTH);
            case FrameType.INIT_ACK -> fixed(room, InitAckBody.LENGTH);
            case FrameType.CLOSE -> fixed(room, CloseBody.LENGTH);
            default -> fixed(room, ResetBody.LENGTH);
        };
    }

    private static long fixed(int room, int length) {
        return room < length ? DropReason.TRUNCATED.result() : length;
    }

    private static long data(long body, int room, int payload) {
        if (room < StreamHeader.LENGTH) {
            return DropReason.TRUNCATED.result();
        }
        int opcode = StreamHeader.opcode(body);
        int flags = StreamHeader.flags(body);
        if (DataLayout.extensionLength(opcode) < 0) {
            return DropReason.OPCODE.result();
        }
        if (!flagsFit(opcode, flags)) {
            return DropReason.FLAGS.result();
        }
        int headers = DataLayout.headersLength(opcode, flags);
        if (room < headers) {
            return DropReason.TRUNCATED.result();
        }
        if ((flags & StreamFlag.ERR) != 0 && !isSyndrome(ErrorTail.syndrome(DataLayout.tail(body)))) {
            return DropReason.SYNDROME.result();
        }
        long offset = StreamHeader.offset(body);
        if (opcode == Opcode.WRITE || opcode == Opcode.SEND || opcode == Opcode.READ_RSP) {
            return payloadFits(body, flags, offset, payload, headers);
        }
        if (opcode == Opcode.READ_REQ && DataLayout.messageLength(body) > MetaRoce.MAX_MESSAGE_BYTES) {
            return DropReason.MESSAGE_LENGTH.result();
        }
        if (opcode == Opcode.ATOMIC_REQ && !atomicFits(DataLayout.extension(body))) {
            return DropReason.ATOMIC.result();
        }
        return single(flags, offset, payload, headers);
    }

    private static boolean atomicFits(long atomic) {
        return AtomicExt.op(atomic) <= AtomicOp.FETCH_AND_ADD && AtomicExt.size(atomic) == Long.BYTES;
    }

    private static boolean flagsFit(int opcode, int flags) {
        boolean response = opcode == Opcode.READ_RSP || opcode == Opcode.ATOMIC_RSP;
        if ((flags & StreamFlag.ERR) != 0 && !response) {
            return false;
        }
        int ending = flags & (StreamFlag.SE | StreamFlag.IMM | StreamFlag.INV);
        if (ending == 0) {
            return true;
        }
        if ((flags & StreamFlag.LAST) == 0 || (ending & INV_IMM) == INV_IMM) {
            return false;
        }
        return opcode == Opcode.SEND || (opcode == Opcode.WRITE && (ending & StreamFlag.INV) == 0);
    }

    /** A request or response that is one packet without payload. */
    private static long single(int flags, long offset, int payload, int headers) {
        if ((flags & StreamFlag.LAST) == 0) {
            return DropReason.FLAGS.result();
        }
        if (offset != 0) {
            return DropReason.OFFSET.result();
        }
        return payload != 0 ? DropReason.PAYLOAD.result() : headers;
    }

    private static long payloadFits(long body, int flags, long offset, int payload, int headers) {
        long message = DataLayout.messageLength(body);
        if (message > MetaRoce.MAX_MESSAGE_BYTES) {
            return DropReason.MESSAGE_LENGTH.result();
        }
        if (offset + payload > message) {
            return DropReason.OFFSET.result();
        }
        if ((flags & StreamFlag.ERR) != 0) {
            return payload != 0 ? DropReason.PAYLOAD.result() : headers;
        }
        if (payload == 0 && message != 0) {
            return DropReason.PAYLOAD.result();
        }
        if (offset + payload == message != ((flags & StreamFlag.LAST) != 0)) {
            return DropReason.FLAGS.result();
        }
        return headers;
    }

    private static long ack(long body, int room, int maxSackWords) {
        if (room < AckHeader.LENGTH) {
            return DropReason.TRUNCATED.result();
        }
        int words = AckHeader.sackWords(body);
        int blocks = AckHeader.streamBlocks(body);
        if (words > maxSackWords) {
            return DropReason.SACK_WORDS.result();
        }
        int headers = FrameLayout.ackLength(words, blocks) - CommonHeader.LENGTH;
        if (room < headers) {
            return DropReason.TRUNCATED.result();
        }
        return blocksFit(AckHeader.streamBlock(body, words, 0), blocks) ? headers : DropReason.STREAM_BLOCK.result();
    }

    private static boolean blocksFit(long blocks, int count) {
        for (int i = 0; i < count; i++) {
            long block = blocks + (long) i * StreamBlock.LENGTH;
            int code = StreamBlock.code(block);
            boolean fits = switch (StreamBlock.kind(block)) {
                case BlockKind.ACK, BlockKind.GONE -> code == 0;
                case BlockKind.RNR -> code <= MAX_RNR_TIMER;
                case BlockKind.ERROR -> isSyndrome(code);
                default -> false;
            };
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSyndrome(int code) {
        return code >= Syndrome.REM_INV_REQ && code <= Syndrome.LENGTH;
    }

    private static long streamCtl(long body, int room) {
        if (room < CtlHeader.LENGTH) {
            return DropReason.TRUNCATED.result();
        }
        int kind = CtlHeader.kind(body);
        int count = CtlHeader.count(body);
        int headers = FrameLayout.streamCtlLength(kind, count);
        boolean countFits = kind == CtlKind.FINAL ? count >= 1 && count <= CtlHeader.MAX_FINAL_BLOCKS : count == 0;
        if (headers < 0 || !countFits) {
            return DropReason.STREAM_CTL.result();
        }
        if (room < headers) {
            return DropReason.TRUNCATED.result();
        }
        long content = body + CtlHeader.LENGTH;
        if (kind == CtlKind.FINAL && !blocksFit(content, count)) {
            return DropReason.STREAM_BLOCK.result();
        }
        if ((kind == CtlKind.BIND || kind == CtlKind.BIND_ACK) && !bindFits(content)) {
            return DropReason.BIND.result();
        }
        return headers;
    }

    private static boolean bindFits(long bind) {
        int segment = BindBody.segmentSize(bind);
        int window = BindBody.window(bind);
        return segment >= BindBody.MIN_SEGMENT_BYTES
                && segment % BindBody.SEGMENT_STEP_BYTES == 0
                && window >= BindBody.MIN_WINDOW_SEGMENTS
                && window <= MetaRoce.MAX_WINDOW_SEGMENTS;
    }

    private static long pathCtl(long body) {
        int kind = PathCtlBody.kind(body);
        boolean fits = kind >= PathCtlKind.PLANE_DOWN
                && kind <= PathCtlKind.PATH_NEW
                && isPlane(PathCtlBody.localPlane(body))
                && isPlane(PathCtlBody.remotePlane(body));
        return fits ? PathCtlBody.LENGTH : DropReason.PATH_CTL.result();
    }

    private static boolean isPlane(int plane) {
        return plane < HandshakeBody.MAX_PLANES || plane == PathCtlBody.ANY_PLANE;
    }

    private static long datagram(long body, int room, int payload) {
        int flags = DatagramHeader.flags(body);
        if ((flags & (StreamFlag.INV | StreamFlag.ERR)) != 0) {
            return DropReason.FLAGS.result();
        }
        int headers = FrameLayout.datagramLength(flags);
        if (room < headers) {
            return DropReason.TRUNCATED.result();
        }
        return DatagramHeader.messageLength(body) == payload ? headers : DropReason.MESSAGE_LENGTH.result();
    }

    private static long handshake(long body, int room, int tail) {
        if (room < HandshakeBody.LENGTH + tail) {
            return DropReason.TRUNCATED.result();
        }
        int planes = HandshakeBody.planeCount(body);
        int words = HandshakeBody.sackWords(body);
        boolean fits = planes >= 1
                && planes <= HandshakeBody.MAX_PLANES
                && words >= AckHeader.DEFAULT_MAX_SACK_WORDS
                && words <= AckHeader.MAX_SACK_WORDS
                && HandshakeBody.bootNonce(body) != 0
                && HandshakeBody.connectionId(body) != 0
                && HandshakeBody.maxPayload(body) >= MetaRoce.INIT_BYTES;
        for (int i = 0; fits && i < planes; i++) {
            long plane = HandshakeBody.plane(body, i);
            fits = (PlaneEntry.addressHigh(plane) | PlaneEntry.addressLow(plane)) != 0
                    && MetaRoce.slot(PlaneEntry.port(plane)) >= 0
                    && PlaneEntry.mtu(plane) >= PlaneEntry.MIN_MTU;
        }
        return fits ? HandshakeBody.LENGTH + tail : DropReason.HANDSHAKE.result();
    }
}
