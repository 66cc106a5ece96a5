package io.metaroce.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Habits of the tree that no compiler checks. The words looked for are put together here so that this file passes. */
final class TidyTest {
    private static final int MAX_LINES = 700;

    /** Longer files, each with the reason why it is one file. */
    private static final Map<String, String> LONG_FILES =
            Map.of("wire/PROTOCOL.md", "one specification; half of its lines are tables of fields");

    private static final Set<String> CODE = Set.of("java", "c", "h", "sh", "py", "lua", "map", "md", "xml", "yml");

    private static final Pattern UNFINISHED = word("TO" + "DO", "FIX" + "ME", "XX" + "X");
    private static final Pattern NOT_DONE = Pattern.compile("(?i)not (yet )?impl" + "emented");
    private static final Pattern REGISTRY = Pattern.compile("repo1?\\.maven" + "\\.|maven\\.apache\\.org/ma"
            + "ven2|registry\\." + "npmjs|deb\\.deb" + "ian|py" + "pi\\.org|cent" + "ral\\.sonatype");
    private static final Pattern MACHINE_PATH =
            Pattern.compile("(?<![\\w.$}/*-])/(wo" + "rk|ro" + "ot|ho" + "me/[a-z]+)(/|\\b)");
    private static final Pattern SLEEP = Pattern.compile("Thread\\s*\\.\\s*sl" + "eep|TimeUnit\\.\\w+\\.sl" + "eep");
    private static final Pattern SKIP =
            Pattern.compile("@Dis" + "abled|Assum" + "ptions|assu" + "me(True|False|That)\\(|Assu" + "me\\.");

    private static final Path ROOT = root();

    @Test
    void no_file_is_too_long_to_have_one_duty() {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            int lines = lines(file).size();
            if (lines > MAX_LINES && !LONG_FILES.containsKey(name(file))) {
                found.add(name(file) + " has " + lines + " lines");
            }
        }
        assertEquals(List.of(), found);
    }

    @Test
    void the_list_of_long_files_names_only_long_files() {
        for (String name : LONG_FILES.keySet()) {
            assertTrue(lines(ROOT.resolve(name)).size() > MAX_LINES, name + " needs no entry any more");
        }
    }

    @Test
    void nothing_is_left_unfinished() {
        assertEquals(List.of(), grep(UNFINISHED, ""));
        assertEquals(List.of(), grep(NOT_DONE, ""));
    }

    @Test
    void no_package_registry_is_named() {
        assertEquals(List.of(), grep(REGISTRY, ""));
    }

    @Test
    void no_path_of_one_machine_is_named() {
        assertEquals(List.of(), grep(MACHINE_PATH, ""));
    }

    @Test
    void every_package_says_what_it_may_import() {
        Set<String> missing = new TreeSet<>();
        for (Path file : sources()) {
            Path dir = file.resolveSibling("").normalize();
            boolean test = name(file).contains("src/test/java/");
            if (name(file).endsWith(".java") && !Files.exists(dir.resolve("package-info.java"))) {
                Path main = Path.of(dir.toString().replace("src/test/java", "src/main/java"));
                if (!test || !Files.exists(main.resolve("package-info.java"))) {
                    missing.add(name(dir));
                }
            }
        }
        assertEquals(Set.of(), missing);
    }

    @Test
    void no_test_sleeps_to_synchronise() {
        assertEquals(List.of(), grep(SLEEP, "src/test/"));
    }

    @Test
    void no_test_is_skipped() {
        assertEquals(List.of(), grep(SKIP, "src/test/"));
    }

    private static Pattern word(String... words) {
        return Pattern.compile("\\b(" + String.join("|", words) + ")\\b");
    }

    private static List<String> grep(Pattern pattern, String under) {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            if (!name(file).contains(under)) {
                continue;
            }
            List<String> lines = lines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (pattern.matcher(lines.get(i)).find()) {
                    found.add(name(file) + ":" + (i + 1) + ": " + lines.get(i).strip());
                }
            }
        }
        return found;
    }

    private static List<Path> sources() {
        try (Stream<Path> walk = Files.walk(ROOT)) {
            List<Path> files = walk.filter(TidyTest::isSource).sorted().toList();
            assertTrue(files.size() > 10, "found only " + files.size() + " source files under " + ROOT);
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSource(Path file) {
        String path = "/" + name(file);
        if (path.contains("/target/") || path.contains("/.git/") || !Files.isRegularFile(file)) {
            return false;
        }
        String simple = file.getFileName().toString();
        int dot = simple.lastIndexOf('.');
        return dot > 0
                ? CODE.contains(simple.substring(dot + 1))
                : path.endsWith("/mroce") || path.endsWith("/run") || path.endsWith("/Makefile");
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (MalformedInputException e) {
            throw new AssertionError(name(file) + " is not UTF-8", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(Path file) {
        return ROOT.relativize(file).toString();
    }

    static Path root() {
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            if (Files.exists(dir.resolve("conformance-tests").resolve("pom.xml"))) {
                return dir;
            }
        }
        throw new AssertionError("run the tests inside the project's tree");
    }
}
