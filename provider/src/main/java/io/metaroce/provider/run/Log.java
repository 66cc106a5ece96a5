package io.metaroce.provider.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

/** Lines for the user: on stderr, at the end of a file, or nowhere. A file that cannot be written is told once on stderr. */
final class Log implements Consumer<String> {
    private final String target;
    private boolean told;

    /** @param target "off", "failures" (on stderr, and nothing else), "stderr" or the name of a file */
    Log(String target) {
        this.target = target;
    }

    @Override
    public void accept(String line) {
        if (!target.equals("off")) {
            write("mroce: " + line + "\n");
        }
    }

    /** A line of the normal course of things. */
    void note(String line) {
        if (!target.equals("failures")) {
            accept(line);
        }
    }

    /** Writes text as it is. */
    void write(String text) {
        if (target.equals("stderr") || target.equals("failures")) {
            System.err.print(text);
            System.err.flush();
            return;
        }
        try {
            Files.write(
                    Path.of(target),
                    text.getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            if (!told) {
                told = true;
                System.err.println("mroce: cannot write " + target + ": " + e.getMessage());
            }
        }
    }
}
