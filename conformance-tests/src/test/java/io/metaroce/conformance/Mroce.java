package io.metaroce.conformance;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Runs the command {@code mroce} on real programs. Needs what {@code mroce test} installs (perftest, ibverbs-utils, gcc) and the
 * right to make network namespaces (root, or user namespaces); where that is missing the command says so and the test fails.
 */
final class Mroce {
    private static final Path ROOT = root();

    /** Seconds that {@code mroce} itself may take beyond the time-out of what it runs. */
    private static final int MARGIN_S = 60;

    private Mroce() {}

    /** What a command printed (both streams) and its exit status. */
    record Result(String command, int status, String output) {
        Result mustSucceed() {
            if (status != 0) {
                throw new AssertionError(this.toString());
            }
            return this;
        }

        Result mustFail() {
            if (status == 0) {
                throw new AssertionError("ended with 0, but should have failed: " + this);
            }
            return this;
        }

        /** A line of the output must have a match of this regular expression. */
        Result mustPrint(String regex) {
            if (!Pattern.compile(regex, Pattern.MULTILINE).matcher(output).find()) {
                throw new AssertionError("no line matches " + regex + ": " + this);
            }
            return this;
        }

        @Override
        public String toString() {
            return "exit status " + status + " of\n" + command + "\n" + output;
        }
    }

    /** The folder of the C judges. */
    static Path judges() {
        return ROOT.resolve("conformance-tests/target/judge");
    }

    static String judge(String name) {
        Path program = judges().resolve(name);
        if (!Files.isExecutable(program)) {
            fail(program + " is missing: the build makes it in phase process-test-classes");
        }
        return program.toString();
    }

    /** A file of {@code src/test/resources}. */
    static Path resource(String name) {
        return ROOT.resolve("conformance-tests/src/test/resources").resolve(name);
    }

    /** {@code mroce pair OPTIONS --timeout SECONDS 'server' -- 'client'}. */
    static Result pair(List<String> options, int timeoutS, String server, String client) {
        List<String> command = new ArrayList<>();
        command.add(ROOT.resolve("native-shim/mroce").toString());
        command.add("pair");
        command.addAll(options);
        Collections.addAll(command, "--timeout", Integer.toString(timeoutS), server, "--", client);
        return run(command, timeoutS + MARGIN_S);
    }

    static Result run(List<String> command, int timeoutS) {
        String text = String.join(" ", command.stream().map(Mroce::quote).toList());
        try {
            Path output = Files.createTempFile("mroce", ".out");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectInput(ProcessBuilder.Redirect.from(
                                Path.of("/dev/null").toFile()))
                        .redirectOutput(output.toFile())
                        .start();
                boolean ended = process.waitFor(timeoutS, java.util.concurrent.TimeUnit.SECONDS);
                if (!ended) {
                    process.destroyForcibly();
                }
                String printed = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
                return new Result(text, ended ? process.exitValue() : 124, printed);
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while running " + text, e);
        }
    }

    private static String quote(String word) {
        return word.matches("[\\w./,=:-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private static Path root() {
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            if (Files.exists(dir.resolve("native-shim").resolve("mroce"))) {
                return dir;
            }
        }
        throw new AssertionError("run the tests inside the project's tree");
    }
}
