package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ethernet frames of {@code vectors/ethernet}: read, dropped and built. */
class EthernetReaderTest {
    static List<Vector> accepted() {
        return Vector.ethernet().stream()
                .filter(v -> !v.head().containsKey("drop"))
                .toList();
    }

    static List<Vector> dropped() {
        return Vector.ethernet().stream()
                .filter(v -> v.head().containsKey("drop"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void findsThePayload(Vector vector) {
        long frame = vector.toMemory();
        try {
            long read = EthernetReader.read(frame, vector.bytes().length);
            assertTrue(read >= 0, () -> "dropped: " + DropReason.of(read));
            assertEquals(vector.number("udp", -1), EthernetReader.payloadOffset(read));
            assertEquals(vector.number("payload", -1), EthernetReader.payloadLength(read));
            assertEquals(vector.number("ecn", -1), EthernetReader.ecn(frame, read));
            assertEquals(
                    vector.text("source"),
                    String.format(
                            "%016x%016x",
                            EthernetReader.sourceHigh(frame, read), EthernetReader.sourceLow(frame, read)));
            assertEquals(51234, EthernetReader.sourcePort(frame, read));
            assertEquals(47810, EthernetReader.destinationPort(frame, read));
            assertEquals(2, EthernetReader.destinationLow(frame, read) & 0xffff);
            assertEquals(
                    EthernetReader.isV6(read) ? 0x20010db800000000L : 0, EthernetReader.destinationHigh(frame, read));
            assertEquals(
                    !vector.head().containsKey("checksum"), EthernetReader.udpChecksumFits(frame, read), "checksum");
            long payload = frame + EthernetReader.payloadOffset(read);
            assertEquals(
                    FrameType.VOID, FrameReader.type(FrameReader.read(payload, EthernetReader.payloadLength(read))));
            for (Vector.Field expected : vector.fields()) {
                HeaderTable.Field field = Fields.field(expected.header(), expected.name());
                String what = expected.header() + "." + expected.name();
                assertEquals(expected.value(), Fields.bits(vector.bytes(), expected.at(), field), what);
                if (!expected.header().equals("VlanTag")) {
                    Fields.get(expected.header(), frame + expected.at(), field)
                            .ifPresent(value -> assertEquals(expected.value(), value, what + " by accessor"));
                }
            }
        } finally {
            Mem.free(frame);
        }
    }

    @ParameterizedTest
    @MethodSource("dropped")
    void drops(Vector vector) {
        long frame = vector.toMemory();
        try {
            long read = EthernetReader.read(frame, vector.bytes().length);
            assertTrue(read < 0, "accepted");
            assertEquals(vector.text("drop"), DropReason.of(read).name());
        } finally {
            Mem.free(frame);
        }
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void noFrameIsAcceptedWhenItsPacketIsCutShort(Vector vector) {
        long frame = vector.toMemory();
        try {
            int end = vector.number("udp", -1) + vector.number("payload", -1);
            for (int length = 0; length < end; length++) {
                assertTrue(EthernetReader.read(frame, length) < 0, "accepted at " + length + " bytes");
            }
        } finally {
            Mem.free(frame);
        }
    }

    @Test
    void buildsTheIpv4Frame() {
        Vector vector = vector("ipv4");
        long expected = vector.toMemory();
        long frame = Mem.alloc(62);
        try {
            EthernetHeader.put(frame, 0x020000000002L, 0x020000000001L, EthernetHeader.TYPE_IPV4);
            Ipv4Header.put(frame + 14, 0x0a4e0001, 0x0a4e0002, 2, 7, 64, 28);
            UdpHeader.put(frame + 34, 51234, 47810, 20);
            CommonHeader.put(frame + 42, FrameType.VOID, FrameFlag.RTX, 3, 1, 0x5eed1234, 12, 23, 0, 0, 0);
            UdpHeader.checksum(frame + 34, UdpHeader.computeChecksum(frame + 14, frame + 34, 28));
            assertTrue(Mem.equal(expected, frame, 62));
        } finally {
            Mem.free(expected);
            Mem.free(frame);
        }
    }

    @Test
    void buildsTheIpv6Frame() {
        Vector vector = vector("ipv6");
        long expected = vector.toMemory();
        long frame = Mem.alloc(82);
        try {
            EthernetHeader.put(frame, 0x020000000002L, 0x020000000001L, EthernetHeader.TYPE_IPV6);
            Ipv6Header.put(frame + 14, 0x20010db800000000L, 1, 0x20010db800000000L, 2, 2, 0, 64, 28);
            UdpHeader.put(frame + 54, 51234, 47810, 20);
            CommonHeader.put(frame + 62, FrameType.VOID, FrameFlag.RTX, 3, 1, 0x5eed1234, 12, 23, 0, 0, 0);
            UdpHeader.checksum(frame + 54, UdpHeader.computeChecksum(frame + 14, frame + 54, 28));
            assertTrue(Mem.equal(expected, frame, 82));
        } finally {
            Mem.free(expected);
            Mem.free(frame);
        }
    }

    @Test
    void anyPayloadBitThatFlipsBreaksTheUdpChecksum() {
        for (String name : List.of("ipv4", "ipv6")) {
            Vector vector = vector(name);
            long frame = vector.toMemory();
            try {
                long read = EthernetReader.read(frame, vector.bytes().length);
                int start = EthernetReader.payloadOffset(read);
                for (int bit = 0; bit < EthernetReader.payloadLength(read) * 8; bit++) {
                    long addr = frame + start + bit / 8;
                    Mem.putByte(addr, Mem.getByte(addr) ^ (1 << (bit % 8)));
                    assertFalse(EthernetReader.udpChecksumFits(frame, read), name + " bit " + bit);
                    Mem.putByte(addr, Mem.getByte(addr) ^ (1 << (bit % 8)));
                }
            } finally {
                Mem.free(frame);
            }
        }
    }

    @Test
    void aChecksumThatComesOutAsZeroIsSentAsOnes() {
        long frame = Mem.alloc(64);
        try {
            // 10.78.0.1 + 10.78.0.2 + 17 + 10 + 1 + 2 + 10 = 0x14c2: a payload of 0xeb3d makes the sum 0xffff.
            Ipv4Header.put(frame, 0x0a4e0001, 0x0a4e0002, 0, 0, 64, 10);
            UdpHeader.put(frame + 20, 1, 2, 2);
            Mem.putShortBe(frame + 28, 0xffff - (0x0a4e + 1 + 0x0a4e + 2 + 17 + 10 + 1 + 2 + 10));
            assertEquals(0xffff, UdpHeader.computeChecksum(frame, frame + 20, 10));
            UdpHeader.checksum(frame + 20, 0xffff);
            assertTrue(UdpHeader.checksumFits(frame, frame + 20, 10));
            UdpHeader.checksum(frame + 20, 0);
            assertTrue(UdpHeader.checksumFits(frame, frame + 20, 10), "no checksum passes over IPv4");
        } finally {
            Mem.free(frame);
        }
    }

    @Test
    void thePseudoSumPlusTheRestIsTheChecksum() {
        Vector vector = vector("ipv6");
        long frame = vector.toMemory();
        try {
            long udp = frame + 54;
            int checksum = UdpHeader.checksum(udp);
            UdpHeader.checksum(udp, UdpHeader.pseudoSum(frame + 14, 28));
            // What a device with checksum offload does: sum from the UDP header on, whatever the field holds.
            assertEquals(checksum, InternetChecksum.finish(InternetChecksum.add(0, udp, 28)));
        } finally {
            Mem.free(frame);
        }
    }

    private static Vector vector(String name) {
        return Vector.ethernet().stream()
                .filter(v -> v.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
