package io.metaroce.provider.slots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.wire.Mem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract with C: every struct, member and number that gcc sees in mroce_abi.h is in {@link Abi}, and equal. Needs gcc. */
final class AbiTest {
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern STRUCT = Pattern.compile("struct (mroce_\\w+) \\{(.*?)};", Pattern.DOTALL);
    private static final Pattern ENUM = Pattern.compile("enum mroce_\\w+ \\{(.*?)};", Pattern.DOTALL);
    private static final Pattern DEFINE = Pattern.compile("#define (MROCE_(?!ABI_H\\b)\\w+) ");
    private static final Pattern MEMBER = Pattern.compile("\\*?(\\w+)(\\[\\w+])?\\s*[,;]");

    @TempDir
    Path dir;

    @Test
    void java_and_the_header_agree_in_every_size_offset_and_number() throws IOException, InterruptedException {
        Map<String, Abi.Entry> c = compiled(header());
        assertTrue(c.size() > 150, "only " + c.size() + " entries found in the header");
        assertNull(Abi.compare(c));
        assertEquals(c.keySet(), Abi.table().keySet());
    }

    @Test
    void a_member_that_moved_is_noticed() throws IOException, InterruptedException {
        String moved = header().replace(
                        "uint32_t status, opcode, vendor_err, byte_len;",
                        "uint32_t opcode, status, vendor_err, byte_len;");
        String sentence = Abi.compare(compiled(moved));
        assertNotNull(sentence);
        assertTrue(sentence.contains("mroce_cqe.status has size 4 and offset 12"), sentence);
    }

    @Test
    void a_member_that_grew_a_new_one_and_a_changed_number_are_noticed() throws IOException, InterruptedException {
        String grew =
                header().replace("uint32_t pkey_index, alt_pkey_index", "uint64_t pkey_index; uint32_t alt_pkey_index");
        assertNotNull(Abi.compare(compiled(grew)));
        String added = header().replace(
                        "struct mroce_cmd_pd { uint32_t pd; uint32_t pad0; };",
                        "struct mroce_cmd_pd { uint32_t pd; uint32_t more; };");
        String sentence = Abi.compare(compiled(added));
        assertNotNull(sentence);
        assertTrue(sentence.contains("mroce_cmd_pd.more"), sentence);
        assertNotNull(Abi.compare(compiled(header().replace("MROCE_OP_ALLOC_PD = 1", "MROCE_OP_ALLOC_PD = 2"))));
    }

    @Test
    void the_table_is_read_from_native_memory() {
        Map<String, Abi.Entry> table = Abi.table();
        long block = Mem.alloc((long) (table.size() + 1) * AbiEntry.BYTES);
        long names = Mem.alloc(table.size() * 64L);
        long entry = block;
        long name = names;
        for (Map.Entry<String, Abi.Entry> line : table.entrySet()) {
            CString.put(name, line.getKey(), 64);
            AbiEntry.name(entry, name);
            AbiEntry.size(entry, line.getValue().size());
            AbiEntry.offset(entry, line.getValue().offset());
            entry += AbiEntry.BYTES;
            name += 64;
        }
        assertNull(Abi.compare(block));
        AbiEntry.offset(block + AbiEntry.BYTES, 4);
        assertNotNull(Abi.compare(block));
        AbiEntry.name(block + AbiEntry.BYTES, 0);
        assertNotNull(Abi.compare(block));
        Mem.free(block);
        Mem.free(names);
    }

    private static String header() throws IOException {
        return Files.readString(Path.of(System.getProperty("metaroce.root"), "native-shim/src/main/c/mroce_abi.h"));
    }

    /** Lets gcc print the table of a header. */
    private Map<String, Abi.Entry> compiled(String header) throws IOException, InterruptedException {
        String plain = COMMENT.matcher(header).replaceAll("");
        StringBuilder program = new StringBuilder(
                "#include <stddef.h>\n#include <stdio.h>\n#include \"mroce_abi.h\"\nint main(void) {\n");
        Matcher struct = STRUCT.matcher(plain);
        while (struct.find()) {
            String name = struct.group(1);
            if (name.equals("mroce_abi_entry")) {
                continue;
            }
            program.append("printf(\"%s %zu 0\\n\", \"" + name + "\", sizeof(struct " + name + "));\n");
            Matcher member = MEMBER.matcher(struct.group(2));
            while (member.find()) {
                String field = member.group(1);
                if (!field.startsWith("pad")) {
                    program.append("printf(\"%s %zu %zu\\n\", \"" + name + "." + field + "\", sizeof(((struct " + name
                            + " *)0)->" + field + "), offsetof(struct " + name + ", " + field + "));\n");
                }
            }
        }
        Matcher define = DEFINE.matcher(plain);
        while (define.find()) {
            program.append(
                    "printf(\"%s %lld 0\\n\", \"" + define.group(1) + "\", (long long)" + define.group(1) + ");\n");
        }
        Matcher list = ENUM.matcher(plain);
        while (list.find()) {
            for (String part : list.group(1).split(",")) {
                String number = part.strip().split("\\W")[0];
                program.append("printf(\"%s %lld 0\\n\", \"" + number + "\", (long long)" + number + ");\n");
            }
        }
        program.append("return 0;\n}\n");
        Files.writeString(dir.resolve("mroce_abi.h"), header);
        Files.writeString(dir.resolve("table.c"), program);
        run("gcc", "-o", "table", "table.c");
        Map<String, Abi.Entry> table = new LinkedHashMap<>();
        for (String line : run(dir.resolve("table").toString()).split("\n")) {
            String[] words = line.split(" ");
            table.put(words[0], new Abi.Entry((int) Long.parseLong(words[1]), Integer.parseInt(words[2])));
        }
        return table;
    }

    private String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }
}
