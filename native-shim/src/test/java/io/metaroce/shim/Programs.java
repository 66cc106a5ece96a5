package io.metaroce.shim;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the C programs of {@code src/test/c} under the library that this build has made, on {@code lo}. Needs CAP_NET_RAW for most of them. */
final class Programs {
    private static final Path TARGET =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolve("target");
    static final Path LIBRARY = TARGET.resolve("mroce/libmroce.so");
    static final Path RESOURCES = TARGET.resolve("test-classes");

    /** Long, as the machine may be busy; a hang is what it is for. */
    private static final long BOUND_SECONDS = 300;

    /** How a program ended. */
    record Result(int status, String output) {
        /** Killed by a signal, as shells tell it. */
        boolean killedBy(int signal) {
            return status == 128 + signal;
        }

        @Override
        public String toString() {
            return "status " + status + ", output:\n" + output;
        }
    }

    private Programs() {}

    static Path program(String name) {
        Path path = TARGET.resolve("ctests").resolve(name);
        if (!Files.isExecutable(path)) {
            throw new IllegalStateException(path + " is missing: it is built by make in src/test/c");
        }
        return path;
    }

    static Process start(Map<String, String> environment, String... command) {
        if (!Files.exists(LIBRARY)) {
            throw new IllegalStateException(LIBRARY + " is missing: build the module first");
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("METAROCE_"));
        builder.environment().put("LD_PRELOAD", LIBRARY.toString());
        builder.environment().put("METAROCE_IFACE", "lo");
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Result run(String... command) {
        return run(Map.of(), command);
    }

    static Result run(Map<String, String> environment, String... command) {
        return finish(start(environment, command));
    }

    /** Waits for the end and reads what is left of the output. */
    static Result finish(Process process) {
        try {
            Thread killer = new Thread(() -> {
                try {
                    if (!process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)) {
                        process.destroyForcibly();
                    }
                } catch (InterruptedException e) {
                    process.destroyForcibly();
                }
            });
            killer.setDaemon(true);
            killer.start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads lines until one of them is {@code wanted}. */
    static void waitFor(Process process, String wanted) {
        try {
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(wanted)) {
                    return;
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        throw new IllegalStateException("the program ended without the line \"" + wanted + "\"");
    }

    /** The trees of sysfs files in a folder. */
    static List<Path> trees(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.getFileName().toString().startsWith("mroce-sys-"))
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
