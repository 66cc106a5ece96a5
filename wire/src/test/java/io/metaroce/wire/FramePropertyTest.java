package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/** What is built is accepted and read back; jqwik prints the seed of a failure. */
class FramePropertyTest {
    @Property(tries = 2000)
    void anyBytesAreReadWithoutHarm(@ForAll @Size(max = 300) byte[] data) {
        Invariants.check(data);
    }

    @Property(tries = 2000)
    void anyHeaderOfOurVersionIsReadWithoutHarm(@ForAll @Size(min = 20, max = 300) byte[] data) {
        byte[] ours = data.clone();
        ours[0] = (byte) (0x10 | (ours[0] & 0xf));
        ours[1] &= (byte) ~FrameFlag.ACK_FOLLOWS;
        Invariants.check(ours);
        // The length check is right more often than chance would have it.
        int type = ours[0] & 0xf;
        ours[16] = 0;
        ours[17] = 0;
        ours[18] = (byte) (type == FrameType.PROBE ? ours.length - 20 : 0);
        ours[19] = 0;
        Invariants.check(ours);
    }

    @Property(tries = 2000)
    void aSendIsReadBack(
            @ForAll @IntRange(max = 255) int path,
            @ForAll @IntRange(max = 255) int epoch,
            @ForAll int connection,
            @ForAll int psn,
            @ForAll int spsn,
            @ForAll @IntRange(max = 0xffffff) int qpn,
            @ForAll @IntRange(max = 0xffffff) int msn,
            @ForAll @IntRange(max = 15) int generation,
            @ForAll @LongRange(max = 1L << 31) long messageLength,
            @ForAll @IntRange(max = 9000) int room,
            @ForAll boolean tagged) {
        long frame = Mem.alloc(9200);
        try {
            int segment = MetaRoce.LARGE_SEGMENT_BYTES;
            long lastSegment = messageLength == 0 ? 0 : (messageLength - 1) / segment;
            long offset = Math.floorMod(spsn, lastSegment + 1) * (long) segment;
            int whole = Math.max(1, room / segment) * segment;
            int payload = (int) Math.min(whole, messageLength - offset);
            boolean last = offset + payload == messageLength;
            int level = tagged ? TrailerLevel.TAG : TrailerLevel.NONE;
            int id = connection == 0 ? 1 : connection;
            CommonHeader.put(frame, FrameType.DATA, 0, path, epoch, id, psn, ~psn, payload, 0, level);
            StreamHeader.put(frame + 20, qpn, Opcode.SEND, generation, spsn, msn, last ? StreamFlag.LAST : 0, offset);
            SendExt.put(frame + 36, ~spsn, messageLength);
            FrameTag.seal(frame, 44, payload, 1, 2);
            int length = 44 + payload + FrameLayout.trailerLength(level);

            long read = FrameReader.read(frame, length);
            assertTrue(read >= 0, () -> DropReason.of(read).name());
            assertEquals(FrameType.DATA, FrameReader.type(read));
            assertEquals(Opcode.SEND, FrameReader.opcode(read));
            assertEquals(44, FrameReader.headerLength(read));
            assertEquals(payload, FrameReader.payloadLength(read));
            assertEquals(level, FrameReader.level(read));
            assertEquals(tagged, FrameTag.matches(frame, read, 1, 2));
            assertEquals(path, CommonHeader.path(frame));
            assertEquals(epoch, CommonHeader.epoch(frame));
            assertEquals(id, CommonHeader.connectionId(frame));
            assertEquals(psn, CommonHeader.psn(frame));
            assertEquals(qpn, StreamHeader.qpn(frame + 20));
            assertEquals(msn, StreamHeader.msn(frame + 20));
            assertEquals(offset, StreamHeader.offset(frame + 20));
            assertEquals(messageLength, DataLayout.messageLength(frame + 20));
            assertEquals(~spsn, SendExt.rqIndex(frame + 36));
            assertTrue(DataLayout.cutAtSegments(frame + 20, payload, segment));
            assertTrue(FrameReader.read(frame, length - 1) < 0);
            assertTrue(FrameReader.read(frame, length + 1) < 0);
        } finally {
            Mem.free(frame);
        }
    }

    @Property(tries = 1000)
    void anAckIsReadBack(
            @ForAll int cumPsn,
            @ForAll int echo,
            @ForAll @Size(max = 15) long[] words,
            @ForAll @IntRange(max = 15) int blocks,
            @ForAll @LongRange(max = 10_000_000_000_000L) long rate) {
        long frame = Mem.alloc(512);
        try {
            int length = FrameLayout.ackLength(words.length, blocks);
            CommonHeader.put(frame, FrameType.ACK, 0, 1, 2, 3, 4, 0, 0, 0, TrailerLevel.NONE);
            long ack = frame + AckHeader.OFFSET;
            AckHeader.cumPsn(ack, cumPsn);
            AckHeader.echoTxOrder(ack, echo);
            AckHeader.rateHint(ack, RateHint.encode(rate));
            AckHeader.sackWords(ack, words.length);
            AckHeader.streamBlocks(ack, blocks);
            for (int i = 0; i < words.length; i++) {
                AckHeader.sackWord(ack, i, words[i]);
            }
            for (int i = 0; i < blocks; i++) {
                int kind = i % 4;
                int code = kind == BlockKind.ERROR ? 1 + i % 4 : kind == BlockKind.RNR ? i : 0;
                StreamBlock.put(AckHeader.streamBlock(ack, words.length, i), i, i & 1, kind, i, i, code, i, cumPsn + i);
            }
            assertEquals(words.length <= 4, FrameReader.read(frame, length) >= 0);
            long read = FrameReader.read(frame, length, AckHeader.MAX_SACK_WORDS);
            assertTrue(read >= 0, () -> DropReason.of(read).name());
            assertEquals(length, FrameReader.headerLength(read));
            assertEquals(cumPsn, AckHeader.cumPsn(ack));
            assertEquals(echo, AckHeader.echoTxOrder(ack));
            for (int i = 0; i < words.length; i++) {
                assertEquals(words[i], AckHeader.sackWord(ack, i));
            }
            for (int i = 0; i < blocks; i++) {
                long block = AckHeader.streamBlock(ack, words.length, i);
                assertEquals(i, StreamBlock.qpn(block));
                assertEquals(cumPsn + i, StreamBlock.cumSpsn(block));
            }
            long hinted = RateHint.decode(AckHeader.rateHint(ack));
            assertTrue(hinted <= Math.max(rate, rate == 0 ? 0 : 64_000), "a hint is never more than the rate");
            assertTrue(rate > 8_000_000_000_000L || hinted + (hinted >> 11) + 64_000 > rate, "nor much less");
        } finally {
            Mem.free(frame);
        }
    }
}
