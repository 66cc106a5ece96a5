package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The hand-calculated packets of {@code vectors}, decoded and encoded. */
class VectorTest {
    static List<Vector> packets() {
        return Vector.packets();
    }

    static List<Vector> drops() {
        return Vector.drops();
    }

    private static long keyHalf(Vector vector, int half) {
        return HexFormat.fromHexDigitsToLong(vector.text("key"), 16 * half, 16 * half + 16);
    }

    @ParameterizedTest
    @MethodSource("packets")
    void decodes(Vector vector) {
        long addr = vector.toMemory();
        try {
            long read = FrameReader.read(addr, vector.bytes().length);
            assertTrue(read >= 0, () -> "dropped: " + DropReason.of(read));
            assertEquals(vector.text("type"), FrameType.name(FrameReader.type(read)));
            assertEquals(vector.number("headers", -1), FrameReader.headerLength(read));
            assertEquals(vector.number("headers", -1), FrameLayout.headerLength(addr));
            assertEquals(vector.number("payload", -1), FrameReader.payloadLength(read));
            assertEquals(vector.number("trailer", -1), FrameLayout.trailerLength(FrameReader.level(read)));
            for (Vector.Field expected : vector.fields()) {
                HeaderTable.Field field = Fields.field(expected.header(), expected.name());
                String what = expected.header() + "." + expected.name();
                assertEquals(expected.value(), Fields.bits(vector.bytes(), expected.at(), field), what + " by bits");
                Optional<BigInteger> got = Fields.get(expected.header(), addr + expected.at(), field);
                got.ifPresent(value -> assertEquals(expected.value(), value, what + " by accessor"));
                assertTrue(got.isPresent() || field.bits() > 64, what + " has no accessor");
            }
        } finally {
            Mem.free(addr);
        }
    }

    @ParameterizedTest
    @MethodSource("packets")
    void encodes(Vector vector) {
        int length = vector.bytes().length;
        int headers = vector.number("headers", -1);
        int payload = vector.number("payload", -1);
        long addr = Mem.alloc(length);
        try {
            for (Vector.Field set : vector.fields()) {
                HeaderTable.Field field = Fields.field(set.header(), set.name());
                if (!Fields.set(set.header(), addr + set.at(), field, set.value())) {
                    byte[] whole =
                            new byte[set.at() + HeaderTable.header(set.header()).length()];
                    Mem.copy(addr, whole, 0, whole.length);
                    Fields.bits(whole, set.at(), field, set.value());
                    Mem.copy(whole, 0, addr, whole.length);
                }
            }
            Mem.copy(vector.bytes(), headers, addr + headers, payload);
            if (vector.head().containsKey("key")) {
                FrameTag.seal(addr, headers, payload, keyHalf(vector, 0), keyHalf(vector, 1));
            }
            byte[] built = new byte[length];
            Mem.copy(addr, built, 0, length);
            assertArrayEquals(vector.bytes(), built);
        } finally {
            Mem.free(addr);
        }
    }

    @ParameterizedTest
    @MethodSource("packets")
    void everyHeaderByteThatIsNotZeroIsListed(Vector vector) {
        byte[] rest = vector.bytes().clone();
        for (Vector.Field set : vector.fields()) {
            Fields.bits(rest, set.at(), Fields.field(set.header(), set.name()), BigInteger.ZERO);
        }
        for (int i = 0; i < vector.number("headers", -1); i++) {
            assertEquals(0, rest[i], "byte " + i);
        }
    }

    @ParameterizedTest
    @MethodSource("drops")
    void drops(Vector vector) {
        long addr = vector.toMemory();
        try {
            long read = FrameReader.read(addr, vector.bytes().length);
            assertTrue(read < 0, "accepted");
            assertEquals(vector.text("drop"), DropReason.of(read).name());
        } finally {
            Mem.free(addr);
        }
    }

    @Test
    void anAckStandsBehindDataThatAnnouncesIt() {
        byte[] data = Vector.packet("send-only").bytes().clone();
        byte[] ack = Vector.packet("ack-plain").bytes();
        data[1] |= FrameFlag.ACK_FOLLOWS;
        long addr = Mem.alloc(data.length + ack.length);
        try {
            Mem.copy(data, 0, addr, data.length);
            Mem.copy(ack, 0, addr + data.length, ack.length);
            long read = FrameReader.read(addr, data.length + ack.length);
            assertEquals(FrameType.DATA, FrameReader.type(read));
            assertEquals(5, FrameReader.payloadLength(read));
            assertEquals(data.length, FrameReader.length(read));
            assertEquals(FrameType.ACK, FrameReader.type(FrameReader.read(addr + data.length, ack.length)));
            for (int length = 0; length < data.length + ack.length; length++) {
                assertTrue(FrameReader.read(addr, length) < 0, "accepted at " + length + " bytes");
            }
        } finally {
            Mem.free(addr);
        }
    }

    @ParameterizedTest
    @MethodSource("packets")
    void noPacketIsAcceptedWhenCutShort(Vector vector) {
        long addr = vector.toMemory();
        try {
            for (int length = 0; length < vector.bytes().length; length++) {
                assertTrue(FrameReader.read(addr, length) < 0, "accepted at " + length + " bytes");
            }
        } finally {
            Mem.free(addr);
        }
    }

    @Test
    void tagsFitAndNoHeaderBitCanChangeUnnoticed() {
        int tagged = 0;
        for (Vector vector : packets()) {
            if (!vector.head().containsKey("key")) {
                continue;
            }
            tagged++;
            long addr = vector.toMemory();
            try {
                long read = FrameReader.read(addr, vector.bytes().length);
                assertTrue(FrameTag.matches(addr, read, keyHalf(vector, 0), keyHalf(vector, 1)), vector.name());
                for (int bit = 0; bit < vector.number("headers", -1) * 8; bit++) {
                    Mem.putByte(addr + bit / 8, Mem.getByte(addr + bit / 8) ^ (1 << (bit % 8)));
                    assertTrue(
                            !FrameTag.matches(addr, read, keyHalf(vector, 0), keyHalf(vector, 1)),
                            vector.name() + " bit " + bit);
                    Mem.putByte(addr + bit / 8, Mem.getByte(addr + bit / 8) ^ (1 << (bit % 8)));
                }
                assertTrue(!FrameTag.matches(addr, read, keyHalf(vector, 0), 0), vector.name());
            } finally {
                Mem.free(addr);
            }
        }
        assertEquals(4, tagged);
    }

    @Test
    void anUntaggedPacketNeverMatchesATag() {
        Vector vector = Vector.packet("send-only");
        long addr = vector.toMemory();
        try {
            assertTrue(!FrameTag.matches(addr, FrameReader.read(addr, vector.bytes().length), 0, 0));
        } finally {
            Mem.free(addr);
        }
    }

    @Test
    void thereIsAVectorForEveryTypeAndEveryDrop() {
        TreeSet<String> types = new TreeSet<>();
        packets().forEach(v -> types.add(v.text("type")));
        assertEquals(13, types.size());
        TreeSet<String> dropped = new TreeSet<>();
        drops().forEach(v -> dropped.add(v.text("drop")));
        for (DropReason reason : DropReason.values()) {
            assertEquals(reason.compareTo(DropReason.ETHER_TYPE) < 0, dropped.contains(reason.name()), reason.name());
        }
    }
}
