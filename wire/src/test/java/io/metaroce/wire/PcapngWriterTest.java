package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Blocks laid out by hand from draft-ietf-opsawg-pcapng, sections 4.1 to 4.3. */
class PcapngWriterTest {
    private static final String SECTION =
            "0a0d0d0a" + "0000001c" + "1a2b3c4d" + "00010000" + "ffffffffffffffff" + "0000001c";
    private static final String INTERFACE = "00000001" + "0000002c" + "00010000" + "00000000" + "00020005"
            + "7665746830000000" + "00090001" + "09000000" + "00000000" + "0000002c";

    @Test
    void blocksAreThoseOfTheDraft() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long frame = Mem.alloc(64);
        try (PcapngWriter writer = new PcapngWriter(out)) {
            assertEquals(0, writer.addInterface("veth0"));
            for (int i = 0; i < 5; i++) {
                Mem.putByte(frame + i, 0xa1 + i);
            }
            writer.packet(0, 0x1122334455667788L, PcapngWriter.OUTBOUND, frame, 5);
            writer.packet(0, 1, PcapngWriter.INBOUND, frame, 4);
        } finally {
            Mem.free(frame);
        }
        String first = "00000006" + "00000034" + "00000000" + "1122334455667788" + "00000005" + "00000005"
                + "a1a2a3a4a5000000" + "00020004" + "00000002" + "00000000" + "00000034";
        String second = "00000006" + "00000030" + "00000000" + "0000000000000001" + "00000004" + "00000004" + "a1a2a3a4"
                + "00020004" + "00000001" + "00000000" + "00000030";
        assertEquals(SECTION + INTERFACE + first + second, HexFormat.of().formatHex(out.toByteArray()));
    }

    @Test
    void largeFramesFit() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long frame = Mem.alloc(65_550);
        try (PcapngWriter writer = new PcapngWriter(out)) {
            writer.addInterface("veth0");
            int before = out.size();
            writer.packet(0, 1, PcapngWriter.INBOUND, frame, 65_549);
            assertEquals(before + 28 + 65_552 + 12 + 4, out.size());
        } finally {
            Mem.free(frame);
        }
    }

    @Test
    void anUnknownInterfaceIsRefused() throws IOException {
        try (PcapngWriter writer = new PcapngWriter(new ByteArrayOutputStream())) {
            assertThrows(IllegalArgumentException.class, () -> writer.packet(0, 1, PcapngWriter.INBOUND, 0, 0));
        }
    }
}
