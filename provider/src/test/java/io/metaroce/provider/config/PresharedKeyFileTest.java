package io.metaroce.provider.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PresharedKeyFileTest {
    private static final byte[] MESSAGE = {1, 2, 3};

    @TempDir
    private Path dir;

    private String file(String content) throws java.io.IOException {
        Path file = Files.writeString(dir.resolve("key"), content);
        return file.toString();
    }

    @Test
    void the_line_end_of_an_editor_is_not_of_the_key() throws Exception {
        byte[] plain = PresharedKey.read(file("0123456789abcdef")).hash(MESSAGE);
        assertArrayEquals(plain, PresharedKey.read(file("0123456789abcdef\r\n")).hash(MESSAGE));
        assertArrayEquals(
                plain,
                PresharedKey.of("0123456789abcdef".getBytes(StandardCharsets.US_ASCII))
                        .hash(MESSAGE));
        assertEquals(32, plain.length);
    }

    @Test
    void what_is_no_key_is_said_in_a_sentence() throws Exception {
        String small = file("0123456789abcde\n");
        Exception tooShort = assertThrows(IllegalArgumentException.class, () -> PresharedKey.read(small));
        assertTrue(
                String.valueOf(tooShort.getMessage())
                        .startsWith(
                                "METAROCE_PSK_FILE=" + small + ": a pre-shared key needs 16 bytes at least, not 15"),
                tooShort::toString);
        String none = dir.resolve("none").toString();
        Exception missing = assertThrows(IllegalArgumentException.class, () -> PresharedKey.read(none));
        assertTrue(String.valueOf(missing.getMessage()).contains("cannot be read"), missing::toString);
        String large = file("x".repeat(5000));
        assertThrows(IllegalArgumentException.class, () -> PresharedKey.read(large));
    }

    @Test
    void the_variable_names_the_file() {
        assertEquals("", Config.of(Map.of()).pskFile());
        assertEquals("/k", Config.of(Map.of("METAROCE_PSK_FILE", "/k")).pskFile());
    }
}
