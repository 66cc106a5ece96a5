package io.metaroce.wire;

import java.util.Arrays;

/** What must hold for any bytes at all; shared by the fuzz test and the properties. */
final class Invariants {
    private static final int SLACK = 512;
    private static final int MOST = 16 << 10;

    /** One piece for all calls; it lives as long as the process. */
    private static final long SCRATCH = Mem.alloc(MOST + SLACK);

    private Invariants() {}

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** Whatever lies behind the packet, both decoders answer the same, and what they answer lies inside the packet. */
    static void check(byte[] data) {
        long[] first = answers(data, 0);
        check(Arrays.equals(first, answers(data, 0xff)), "depends on bytes behind the packet");
        check(Arrays.equals(first, answers(data, 0x5a)), "depends on bytes behind the packet");
    }

    private static synchronized long[] answers(byte[] data, int behind) {
        int length = Math.min(data.length, MOST);
        Mem.fill(SCRATCH, length + SLACK, behind);
        Mem.copy(data, 0, SCRATCH, length);
        long usual = FrameReader.read(SCRATCH, length);
        long wide = FrameReader.read(SCRATCH, length, AckHeader.MAX_SACK_WORDS);
        long ethernet = EthernetReader.read(SCRATCH, length);
        frame(SCRATCH, length, usual);
        frame(SCRATCH, length, wide);
        ethernet(SCRATCH, length, ethernet);
        return new long[] {usual, wide, ethernet};
    }

    /** Whether one of the decoders accepts the bytes. */
    static boolean accepted(byte[] data) {
        long[] answers = answers(data, 0);
        return answers[0] >= 0 || answers[2] >= 0;
    }

    private static void frame(long addr, int length, long read) {
        if (read < 0) {
            DropReason.of(read);
            return;
        }
        int headers = FrameReader.headerLength(read);
        int payload = FrameReader.payloadLength(read);
        int own = FrameReader.length(read);
        check(own == headers + payload + FrameLayout.trailerLength(FrameReader.level(read)), "length");
        boolean ackFollows = (CommonHeader.flags(addr) & FrameFlag.ACK_FOLLOWS) != 0;
        check(
                ackFollows ? own + CommonHeader.LENGTH + AckHeader.LENGTH <= length : own == length,
                "lengths do not add up");
        check(headers == FrameLayout.headerLength(addr), "two opinions on the length of the headers");
        check(FrameReader.type(read) == CommonHeader.type(addr), "type");
        if (FrameReader.type(read) == FrameType.DATA) {
            long stream = addr + StreamHeader.OFFSET;
            check(FrameReader.opcode(read) == StreamHeader.opcode(stream), "opcode");
            check(StreamHeader.offset(stream) + payload <= DataLayout.messageLength(stream), "beyond the message");
        }
    }

    private static void ethernet(long addr, int length, long read) {
        if (read < 0) {
            DropReason.of(read);
            return;
        }
        int end = EthernetReader.payloadOffset(read) + EthernetReader.payloadLength(read);
        check(end <= length, "UDP payload ends behind the frame");
        check(EthernetReader.ipOffset(read) + 28 <= EthernetReader.payloadOffset(read), "headers overlap");
        EthernetReader.udpChecksumFits(addr, read);
    }
}
