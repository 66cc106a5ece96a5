package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Rates, sequence numbers, QPNs, ports, segments: values calculated by hand. */
class NumbersTest {
    @Test
    void ratesAreRoundedDownToTwelveBits() {
        assertEquals(0, RateHint.encode(0));
        assertEquals(0, RateHint.encode(-1));
        assertEquals(0x0010, RateHint.encode(1), "the least rate is one unit");
        assertEquals(0x0010, RateHint.encode(127_999));
        assertEquals(0x0020, RateHint.encode(128_000));
        assertEquals(0xfff0, RateHint.encode(4095L * 64_000));
        assertEquals(0x8001, RateHint.encode(4096L * 64_000));
        assertEquals(0x8001, RateHint.encode(4097L * 64_000));
        // 100 Gb/s = 1,562,500 units = 3051.75.. * 2^9
        assertEquals(3051 << 4 | 9, RateHint.encode(100_000_000_000L));
        assertEquals(3051L * 512 * 64_000, RateHint.decode(3051 << 4 | 9));
        assertEquals(0xffff, RateHint.encode(Long.MAX_VALUE));
        assertEquals(4095L * 32768 * 64_000, RateHint.decode(0xffff));
        assertEquals(0, RateHint.decode(0));
    }

    @Test
    void everyRateCodeStandsForARateThatEncodesToItself() {
        for (int code = 0; code <= 0xffff; code++) {
            long rate = RateHint.decode(code);
            int again = RateHint.encode(rate);
            assertEquals(rate, RateHint.decode(again));
            if (rate > 0) {
                assertTrue(RateHint.decode(RateHint.encode(rate - 1)) <= Math.max(rate - 1, 64_000));
            }
        }
    }

    @Test
    void delaysAreUnitsOf64NsAndSaturate() {
        assertEquals(0, AckHeader.delayUnits(-5));
        assertEquals(0, AckHeader.delayUnits(63));
        assertEquals(1, AckHeader.delayUnits(64));
        assertEquals(15_625, AckHeader.delayUnits(1_000_000));
        assertEquals(65_535, AckHeader.delayUnits(Long.MAX_VALUE));
        assertEquals(4_194_240, AckHeader.delayNs(65_535));
    }

    @Test
    void sequenceNumbersCompareAcrossTheWrap() {
        assertTrue(Serial.before(-1, 0));
        assertFalse(Serial.before(0, -1));
        assertFalse(Serial.before(7, 7));
        assertEquals(2, Serial.distance(1, -1));
        assertEquals(0, Serial.max(-1, 0));
        assertEquals(0x7fff_ffff, Serial.max(0x7fff_ffff, 0x7fff_fffe));
        assertTrue(Serial.before24(0xffffff, 0));
        assertFalse(Serial.before24(0, 0xffffff));
        assertEquals(2, Serial.distance24(1, 0xffffff));
        assertEquals(-2, Serial.distance24(0xffffff, 1));
        assertEquals(0x7fffff, Serial.distance24(0x7fffff, 0));
        assertEquals(-0x800000, Serial.distance24(0x800000, 0));
        assertEquals(1, Serial.add24(0xfffffe, 3));
        assertEquals(0xffffff, Serial.add24(0, -1));
    }

    @Test
    void aQpnIsSlotAboveIndex() {
        assertEquals(0xffffff, Qpn.of(1023, 16383));
        assertEquals(0x004000, Qpn.of(1, 0));
        assertEquals(0x008005, Qpn.of(2, 5));
        assertEquals(2, Qpn.slot(0x008005));
        assertEquals(5, Qpn.index(0x008005));
        assertEquals(1023, Qpn.slot(0xffffff));
        assertEquals(16383, Qpn.index(0xffffff));
    }

    @Test
    void slotsArePortsFrom47810On() {
        assertEquals(47810, MetaRoce.port(0));
        assertEquals(48833, MetaRoce.port(1023));
        assertEquals(0, MetaRoce.slot(47810));
        assertEquals(1023, MetaRoce.slot(48833));
        assertEquals(-1, MetaRoce.slot(47809));
        assertEquals(-1, MetaRoce.slot(48834));
        assertEquals(-1, MetaRoce.slot(4791));
    }

    @Test
    void aMessageHasAtLeastOneSegment() {
        assertEquals(1, DataLayout.segments(0, 1344));
        assertEquals(1, DataLayout.segments(1344, 1344));
        assertEquals(2, DataLayout.segments(1345, 1344));
        assertEquals(1_597_831, DataLayout.segments(1L << 31, 1344));
        assertEquals(Space.REQUEST, DataLayout.space(Opcode.ATOMIC_REQ));
        assertEquals(Space.RESPONSE, DataLayout.space(Opcode.ATOMIC_RSP));
        assertEquals(Space.RESPONSE, DataLayout.space(Opcode.READ_RSP));
    }

    @Test
    void packetsAreCutAtSegments() {
        long header = Mem.alloc(64);
        try {
            StreamHeader.put(header, 5, Opcode.WRITE, 0, 0, 0, 0, 2688);
            assertTrue(DataLayout.cutAtSegments(header, 2688, 1344));
            assertFalse(DataLayout.cutAtSegments(header, 100, 1344));
            StreamHeader.flags(header, StreamFlag.LAST);
            assertTrue(DataLayout.cutAtSegments(header, 100, 1344));
            StreamHeader.offset(header, 2689);
            assertFalse(DataLayout.cutAtSegments(header, 100, 1344));
            StreamHeader.offset(header, 0xffff_fe00L);
            assertFalse(DataLayout.cutAtSegments(header, 100, 1344), "offsets are unsigned");
            assertTrue(DataLayout.cutAtSegments(header, 100, 256));
        } finally {
            Mem.free(header);
        }
    }

    @Test
    void theLargestPacketHoldsOneSegmentAndEverythingAroundIt() {
        assertEquals(MetaRoce.LARGE_PACKET_BYTES, 20 + 16 + 16 + 8 + 1344 + 16);
        assertEquals(68, MetaRoce.MAX_DATA_HEADER_BYTES);
        // IPv6's least MTU: 40 bytes IP, 8 bytes UDP, headers, one small segment, the longest trailer.
        assertTrue(40 + 8 + 20 + 16 + 16 + 8 + MetaRoce.SMALL_SEGMENT_BYTES + 16 <= 1280);
    }

    @Test
    void dropReasonsComeBackFromTheirNumbers() {
        for (DropReason reason : DropReason.values()) {
            assertTrue(reason.result() < 0);
            assertEquals(reason, DropReason.of(reason.result()));
        }
        assertThrows(IllegalArgumentException.class, () -> DropReason.of(0));
        assertThrows(IllegalArgumentException.class, () -> DropReason.of(-1000));
    }

    @Test
    void namesOfNumbersAreThoseOfTheSpecification() {
        assertEquals("DATA", FrameType.name(0));
        assertEquals("UNKNOWN", FrameType.name(7));
        assertEquals("RESET", FrameType.name(13));
        assertEquals("ATOMIC_RSP", Opcode.name(5));
        assertEquals("FINAL", CtlKind.name(4));
        assertEquals("GONE", BlockKind.name(3));
        assertEquals("LENGTH", Syndrome.name(4));
        assertEquals("PATH_NEW", PathCtlKind.name(3));
        assertEquals("FETCH_AND_ADD", AtomicOp.name(1));
        assertEquals("IDLE", CloseReason.name(1));
        assertEquals("VERSION", ResetReason.name(1));
    }
}
