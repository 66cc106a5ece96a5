package io.metaroce.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a command left: its exit status and its two streams. They go to files: a process that outlives the command can keep a
 * pipe open, and nothing ends a thread that reads one.
 */
record Ran(int status, String out, String err) {
    private static final Path NO_INPUT = Path.of("/dev/null");

    /** Runs a command, which fails the test if it takes longer than {@code timeoutS} seconds. */
    static Ran run(ProcessBuilder builder, int timeoutS) throws IOException, InterruptedException {
        Path out = Files.createTempFile("mroce", ".out");
        Path err = Files.createTempFile("mroce", ".err");
        try {
            Process process = builder.redirectInput(NO_INPUT.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            boolean ended = process.waitFor(timeoutS, TimeUnit.SECONDS);
            if (!ended) {
                List<String> children = process.descendants()
                        .map(ProcessHandle::info)
                        .map(Object::toString)
                        .toList();
                process.destroyForcibly();
                throw new AssertionError("still running after " + timeoutS + " s: " + builder.command() + "\nwith "
                        + children + "\n" + Files.readString(out) + Files.readString(err));
            }
            return new Ran(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    int count(String text) {
        return out.split(text, -1).length - 1;
    }

    /** The number behind a word at the start of a line or behind a space. */
    long number(String word) {
        Matcher matcher = Pattern.compile("(?m)(?:^|\\s)" + word + " (\\d+)").matcher(out + err);
        if (!matcher.find()) {
            throw new AssertionError("no '" + word + "' in " + this);
        }
        return Long.parseLong(matcher.group(1));
    }
}
