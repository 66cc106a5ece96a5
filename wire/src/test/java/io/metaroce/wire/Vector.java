package io.metaroce.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * One file of {@code src/test/resources/vectors}: a packet as bytes, what a decoder must answer, and its fields. The README
 * beside the files describes the format.
 */
final class Vector {
    private final String name;
    private final Map<String, String> head;
    private final byte[] bytes;
    private final List<Field> fields;

    private Vector(String name, Map<String, String> head, byte[] bytes, List<Field> fields) {
        this.name = name;
        this.head = head;
        this.bytes = bytes;
        this.fields = fields;
    }

    String name() {
        return name;
    }

    Map<String, String> head() {
        return head;
    }

    byte[] bytes() {
        return bytes;
    }

    List<Field> fields() {
        return fields;
    }

    /** A field of a header that starts {@code at} bytes into the packet; unsigned. */
    record Field(String header, int at, String name, BigInteger value) {}

    private static final HexFormat HEX = HexFormat.of();

    static List<Vector> packets() {
        return read("/vectors");
    }

    static List<Vector> drops() {
        return read("/vectors/drops");
    }

    static List<Vector> ethernet() {
        return read("/vectors/ethernet");
    }

    static Vector packet(String name) {
        return packets().stream().filter(v -> v.name().equals(name)).findFirst().orElseThrow();
    }

    private static List<Vector> read(String folder) {
        try {
            Path path = Path.of(Objects.requireNonNull(Vector.class.getResource(folder), folder)
                    .toURI());
            try (Stream<Path> files = Files.list(path)) {
                return files.filter(f -> f.toString().endsWith(".hex"))
                        .sorted()
                        .map(Vector::parse)
                        .toList();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Vector parse(Path file) {
        Map<String, String> head = new LinkedHashMap<>();
        StringBuilder hex = new StringBuilder();
        List<Field> fields = new ArrayList<>();
        String header = "";
        int at = 0;
        int section = 0;
        for (String line : lines(file)) {
            if (line.startsWith("#") || line.isBlank()) {
                continue;
            }
            if (line.equals("bytes:")) {
                section = 1;
            } else if (line.equals("fields:")) {
                section = 2;
            } else if (section == 0) {
                head.put(line.substring(0, line.indexOf(": ")), line.substring(line.indexOf(": ") + 2));
            } else if (section == 1) {
                appendBytes(hex, line);
            } else if (!line.startsWith(" ")) {
                header = line.substring(0, line.indexOf('@'));
                at = Integer.parseInt(line.substring(line.indexOf('@') + 1));
            } else {
                String[] words = line.trim().split(" ", -1);
                fields.add(new Field(header, at, words[0], number(words[1])));
            }
        }
        String name = Objects.requireNonNull(file.getFileName()).toString().replace(".hex", "");
        return new Vector(name, head, HEX.parseHex(hex), fields);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void appendBytes(StringBuilder hex, String line) {
        for (String word : line.trim().split("\\s+", -1)) {
            int star = word.indexOf('*');
            if (star < 0) {
                hex.append(word);
            } else {
                hex.append(word.substring(0, star).repeat(Integer.parseInt(word.substring(star + 1))));
            }
        }
    }

    private static BigInteger number(String word) {
        if (word.startsWith("hex:")) {
            return new BigInteger(word.substring(4), 16);
        }
        return word.startsWith("0x") ? new BigInteger(word.substring(2), 16) : new BigInteger(word);
    }

    /** What the file says that must be there. */
    String text(String key) {
        return Objects.requireNonNull(head.get(key), key);
    }

    /** A number from the part of the file before the bytes. */
    int number(String key, int orElse) {
        String word = head.get(key);
        return word == null ? orElse : Integer.parseInt(word);
    }

    /** A copy in native memory. Whoever calls frees it. */
    long toMemory() {
        long addr = Mem.alloc(Math.max(1, bytes.length));
        Mem.copy(bytes, 0, addr, bytes.length);
        return addr;
    }

    @Override
    public String toString() {
        return name;
    }
}
