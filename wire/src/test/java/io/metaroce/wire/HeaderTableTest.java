package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Header classes against {@link HeaderTable}: same fields, same bits. */
class HeaderTableTest {
    /** Headers without a class of their own. */
    private static final Set<String> NO_CLASS = Set.of("VlanTag");

    /** Headers that this process writes as a whole only. */
    private static final Set<String> NO_SETTERS = Set.of("Ipv4Header", "Ipv6Header");

    static List<HeaderTable.Header> headers() {
        return HeaderTable.headers().stream()
                .filter(h -> !NO_CLASS.contains(h.name()))
                .toList();
    }

    private static boolean hasAccessor(HeaderTable.Field field) {
        return field.bits() <= 64 && !field.name().equals("reserved");
    }

    @ParameterizedTest
    @MethodSource("headers")
    void lengthsAgree(HeaderTable.Header header) throws ReflectiveOperationException {
        assertEquals(
                header.length(),
                Fields.headerClass(header.name()).getDeclaredField("LENGTH").getInt(null));
    }

    @ParameterizedTest
    @MethodSource("headers")
    void gettersReadTheBitsOfTheTable(HeaderTable.Header header) {
        long seed = 0x5eed_0001L;
        Random random = new Random(seed);
        byte[] bytes = new byte[header.length()];
        long addr = Mem.alloc(header.length());
        try {
            for (int round = 0; round < 100; round++) {
                random.nextBytes(bytes);
                Mem.copy(bytes, 0, addr, bytes.length);
                for (HeaderTable.Field field : header.fields()) {
                    if (hasAccessor(field)) {
                        assertEquals(
                                Fields.bits(bytes, 0, field),
                                Fields.get(header.name(), addr, field)
                                        .orElseThrow(() -> new AssertionError("no getter for " + field)),
                                () -> header.name() + " " + field + " seed " + seed);
                    }
                }
            }
        } finally {
            Mem.free(addr);
        }
    }

    @ParameterizedTest
    @MethodSource("headers")
    void settersWriteTheBitsOfTheTableAndNoOther(HeaderTable.Header header) {
        if (NO_SETTERS.contains(header.name())) {
            return;
        }
        long seed = 0x5eed_0002L;
        Random random = new Random(seed);
        byte[] expected = new byte[header.length()];
        byte[] actual = new byte[header.length()];
        long addr = Mem.alloc(header.length());
        try {
            for (int round = 0; round < 100; round++) {
                for (HeaderTable.Field field : header.fields()) {
                    if (hasAccessor(field)) {
                        random.nextBytes(expected);
                        Mem.copy(expected, 0, addr, expected.length);
                        BigInteger value = new BigInteger(field.bits(), random);
                        Fields.bits(expected, 0, field, value);
                        assertTrue(Fields.set(header.name(), addr, field, value), () -> "no setter for " + field);
                        Mem.copy(addr, actual, 0, actual.length);
                        assertArrayEquals(expected, actual, () -> header.name() + " " + field + " seed " + seed);
                    }
                }
            }
        } finally {
            Mem.free(addr);
        }
    }

    @ParameterizedTest
    @MethodSource("headers")
    void everyGetterIsInTheTable(HeaderTable.Header header) {
        Set<String> known =
                header.fields().stream().map(HeaderTable.Field::name).collect(Collectors.toCollection(TreeSet::new));
        for (Method method : Fields.headerClass(header.name()).getDeclaredMethods()) {
            boolean getter = Modifier.isPublic(method.getModifiers())
                    && method.getParameterCount() == 1
                    && method.getParameterTypes()[0] == long.class
                    && !method.getName().equals("delayUnits");
            assertTrue(!getter || known.contains(method.getName()), () -> method + " is not in the table");
        }
    }

    @Test
    void anUnknownHeaderIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> HeaderTable.header("Header"));
    }

    @Test
    void sackWordsAreBigEndianNumbersInOrder() {
        long ack = Mem.alloc(64);
        try {
            AckHeader.sackWord(ack, 1, 1L << 63 | 2);
            assertEquals(0x80, Mem.getUnsignedByte(ack + 24 + 8));
            assertEquals(2, Mem.getUnsignedByte(ack + 24 + 15));
            assertEquals(1L << 63 | 2, AckHeader.sackWord(ack, 1));
            assertEquals(ack + 24 + 16 + 16, AckHeader.streamBlock(ack, 2, 1));
        } finally {
            Mem.free(ack);
        }
    }

    @Test
    void writingAWholeHeaderEqualsSettingItsFields() {
        long addr = Mem.alloc(128);
        long other = Mem.alloc(128);
        try {
            CommonHeader.put(addr, FrameType.PROBE, 0xf7, 0xfe, 0xfd, 0x89abcdef, -2, -3, 0xfedcba, 0xe, 2);
            CommonHeader.version(other, 1);
            CommonHeader.type(other, FrameType.PROBE);
            CommonHeader.flags(other, 0xf7);
            CommonHeader.path(other, 0xfe);
            CommonHeader.epoch(other, 0xfd);
            CommonHeader.connectionId(other, 0x89abcdef);
            CommonHeader.psn(other, -2);
            CommonHeader.txOrder(other, -3);
            CommonHeader.payloadLength(other, 0xfedcba);
            CommonHeader.attempt(other, 0xe);
            CommonHeader.level(other, 2);

            StreamHeader.put(addr + 20, 0xffeedd, 5, 9, -4, 0x876543, 0xa1, 0xfedcba98L);
            StreamHeader.qpn(other + 20, 0xffeedd);
            StreamHeader.opcode(other + 20, 5);
            StreamHeader.generation(other + 20, 9);
            StreamHeader.spsn(other + 20, -4);
            StreamHeader.msn(other + 20, 0x876543);
            StreamHeader.flags(other + 20, 0xa1);
            StreamHeader.offset(other + 20, 0xfedcba98L);

            StreamBlock.put(addr + 36, 0xfedcba, 1, 2, 0xf, 0x987654, 0xc8, -5, -6);
            StreamBlock.qpn(other + 36, 0xfedcba);
            StreamBlock.space(other + 36, 1);
            StreamBlock.kind(other + 36, 2);
            StreamBlock.generation(other + 36, 0xf);
            StreamBlock.cumMsn(other + 36, 0x987654);
            StreamBlock.code(other + 36, 0xc8);
            StreamBlock.rqLimit(other + 36, -5);
            StreamBlock.cumSpsn(other + 36, -6);

            AtomicExt.put(addr + 52, -7, -8, 1, -9, -10);
            AtomicExt.va(other + 52, -7);
            AtomicExt.rkey(other + 52, -8);
            AtomicExt.op(other + 52, 1);
            AtomicExt.size(other + 52, 8);
            AtomicExt.arg1(other + 52, -9);
            AtomicExt.arg2(other + 52, -10);

            QueryBody.put(addr + 84, 0xabcdef, 1, 0xe, 0x123456, 0xd);
            QueryBody.qpn(other + 84, 0xabcdef);
            QueryBody.space(other + 84, 1);
            QueryBody.generation(other + 84, 0xe);
            QueryBody.askerQpn(other + 84, 0x123456);
            QueryBody.askerGeneration(other + 84, 0xd);

            PathCtlBody.put(addr + 92, 3, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5f6);
            PathCtlBody.kind(other + 92, 3);
            PathCtlBody.localPlane(other + 92, 0xf1);
            PathCtlBody.remotePlane(other + 92, 0xf2);
            PathCtlBody.path(other + 92, 0xf3);
            PathCtlBody.epoch(other + 92, 0xf4);
            PathCtlBody.sourcePort(other + 92, 0xf5f6);

            DatagramHeader.put(addr + 100, 0xabcdef, 0x60, 0xfedcba, -11, 0x80000001L);
            DatagramHeader.qpn(other + 100, 0xabcdef);
            DatagramHeader.flags(other + 100, 0x60);
            DatagramHeader.sourceQpn(other + 100, 0xfedcba);
            DatagramHeader.qkey(other + 100, -11);
            DatagramHeader.messageLength(other + 100, 0x80000001L);

            CtlHeader.put(addr + 116, CtlKind.FINAL, 0xfe);
            CtlHeader.kind(other + 116, CtlKind.FINAL);
            CtlHeader.count(other + 116, 0xfe);
            assertTrue(Mem.equal(addr, other, 128));
        } finally {
            Mem.free(addr);
            Mem.free(other);
        }
    }
}
