package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The tables of PROTOCOL.md against the code. */
class SpecificationTest {
    /** Headers that other standards define. */
    private static final Set<String> FOREIGN =
            Set.of("EthernetHeader", "VlanTag", "Ipv4Header", "Ipv6Header", "UdpHeader");

    private static List<String> lines = List.of();

    @BeforeAll
    static void read() throws IOException {
        Path file = Path.of("PROTOCOL.md");
        lines = Files.readAllLines(Files.exists(file) ? file : Path.of("wire", "PROTOCOL.md"));
    }

    /** Tables behind a marker such as {@code <!-- header: CommonHeader -->}, as cells, without their head. */
    private static Map<String, List<String[]>> tables(String kind) {
        Map<String, List<String[]>> tables = new LinkedHashMap<>();
        String prefix = "<!-- " + kind + ": ";
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).startsWith(prefix)) {
                continue;
            }
            String name = lines.get(i).substring(prefix.length()).replace(" -->", "");
            int row = i;
            while (!lines.get(row).startsWith("|---")) {
                row++;
            }
            List<String[]> rows = new ArrayList<>();
            while (++row < lines.size() && lines.get(row).startsWith("|")) {
                rows.add(cells(lines.get(row)));
            }
            assertTrue(tables.put(name, rows) == null, name + " stands twice");
        }
        return tables;
    }

    private static String[] cells(String line) {
        String[] cells = line.substring(1).split("(?<!\\\\)\\|", -1);
        for (int i = 0; i < cells.length; i++) {
            cells[i] = cells[i].trim();
        }
        return cells;
    }

    @Test
    void fieldTablesAreThoseOfTheHeaderTable() {
        Map<String, List<String[]>> tables = tables("header");
        Set<String> documented = new TreeSet<>(tables.keySet());
        Set<String> existing = new TreeSet<>();
        for (HeaderTable.Header header : HeaderTable.headers()) {
            if (!FOREIGN.contains(header.name())) {
                existing.add(header.name());
            }
        }
        assertEquals(existing, documented);
        tables.forEach((name, rows) -> {
            List<String> expected = new ArrayList<>();
            for (HeaderTable.Field field : HeaderTable.header(name).fields()) {
                int bit = field.bitOffset() % 8;
                String offset = field.bitOffset() / 8 + (bit == 0 ? "" : "." + bit);
                expected.add(offset + " " + field.bits() + " " + field.name());
            }
            List<String> actual =
                    rows.stream().map(r -> r[0] + " " + r[1] + " " + r[2]).toList();
            assertEquals(expected, actual, name);
            String length = "**" + name + "**, " + HeaderTable.header(name).length() + " bytes:";
            assertTrue(lines.contains(length), "missing: " + length);
        });
    }

    @Test
    void valueTablesAreTheConstantsOfTheirClasses() throws ReflectiveOperationException {
        Map<String, List<String[]>> tables = tables("values");
        assertEquals(
                new TreeSet<>(Set.of(
                        "AtomicOp",
                        "BindFlag",
                        "BlockKind",
                        "CloseReason",
                        "CtlKind",
                        "Feature",
                        "FrameFlag",
                        "FrameType",
                        "Opcode",
                        "PathCtlKind",
                        "ResetReason",
                        "Space",
                        "StreamFlag",
                        "Syndrome",
                        "TrailerLevel")),
                new TreeSet<>(tables.keySet()));
        for (Map.Entry<String, List<String[]>> table : tables.entrySet()) {
            Map<String, Integer> expected = new TreeMap<>();
            for (Field field : Fields.headerClass(table.getKey()).getDeclaredFields()) {
                if (Modifier.isPublic(field.getModifiers())) {
                    expected.put(field.getName(), field.getInt(null));
                }
            }
            Map<String, Integer> actual = new TreeMap<>();
            for (String[] row : table.getValue()) {
                actual.put(row[1], Integer.decode(row[0]));
            }
            assertEquals(expected, actual, table.getKey());
        }
    }

    @Test
    void everyDropReasonIsListedInItsOrder() {
        List<String> listed = new ArrayList<>();
        int row = lines.indexOf("| reason | when |") + 2;
        while (lines.get(row).startsWith("|")) {
            listed.add(cells(lines.get(row++))[0]);
        }
        assertEquals(Stream.of(DropReason.values()).map(Enum::name).toList(), listed);
    }

    @Test
    void headerLengthsOfDataPacketsAreAsPrinted() {
        Map<String, Integer> opcodes = Map.of(
                "WRITE", Opcode.WRITE,
                "SEND", Opcode.SEND,
                "READ_REQ", Opcode.READ_REQ,
                "READ_RSP", Opcode.READ_RSP,
                "ATOMIC_REQ", Opcode.ATOMIC_REQ,
                "ATOMIC_RSP", Opcode.ATOMIC_RSP);
        int row = lines.indexOf("| opcode | extension | tail | headers with common header, bytes |") + 2;
        for (int i = 0; i < opcodes.size(); i++) {
            String[] cells = cells(lines.get(row + i));
            int opcode = Objects.requireNonNull(opcodes.get(cells[0]), cells[0]);
            int flags = cells[2].contains("IMM")
                    ? StreamFlag.IMM
                    : cells[2].contains("INV") ? StreamFlag.INV : cells[2].contains("ERR") ? StreamFlag.ERR : 0;
            int bare = CommonHeader.LENGTH + DataLayout.headersLength(opcode, 0);
            int tailed = CommonHeader.LENGTH + DataLayout.headersLength(opcode, flags);
            assertEquals(cells[3], flags == 0 ? "" + bare : bare + ", " + tailed, cells[0]);
        }
    }

    @Test
    void numbersArePrintedAsTheyAre() {
        Map<String, String> numbers = Map.of(
                "UDP port of slot 0", "" + MetaRoce.PORT_BASE,
                "slots per address", "" + MetaRoce.SLOTS,
                "INIT, UDP payload", "" + MetaRoce.INIT_BYTES,
                "planes per side", "" + HandshakeBody.MAX_PLANES,
                "stream blocks per ACK, per FINAL", AckHeader.MAX_STREAM_BLOCKS + ", " + CtlHeader.MAX_FINAL_BLOCKS,
                "OPEN, UDP payload", MetaRoce.LARGE_PACKET_BYTES + " (1200 from the fourth try on)",
                "stream window W",
                        MetaRoce.DEFAULT_WINDOW_SEGMENTS + " segments, up to " + MetaRoce.MAX_WINDOW_SEGMENTS,
                "path window",
                        64 * AckHeader.DEFAULT_MAX_SACK_WORDS + " packets, up to " + 64 * AckHeader.MAX_SACK_WORDS);
        numbers.forEach((what, value) -> {
            String row = "| " + what + " | " + value + " |";
            assertTrue(lines.contains(row), "missing: " + row);
        });
    }
}
