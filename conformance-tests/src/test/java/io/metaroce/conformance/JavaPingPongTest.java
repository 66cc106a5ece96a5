package io.metaroce.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The Java example as a user starts it: two JVMs in two network namespaces, or one alone. Every byte is checked. Needs root and iproute2. */
@Tag("root")
final class JavaPingPongTest {
    private static final String PING_PONG = "io.metaroce.bench.JavaPingPong";
    private static final String WRITE = "io.metaroce.bench.JavaWrite";

    @Test
    void two_processes_in_two_namespaces() throws Exception {
        Ran ran = pair(List.of(), "-n 200 -s 4096 -c");
        assertEquals(0, ran.status(), ran.toString());
        assertEquals(2, ran.count("200 iterations in "), ran.toString());
        assertTrue(ran.out().contains("remote: QPN 0x2, GID 0000:0000:0000:0000:0000:ffff:0a4e:0001"), ran.toString());
    }

    @Test
    void large_messages_through_a_channel_under_loss() throws Exception {
        Ran ran = pair(List.of("--loss", "1"), "-n 60 -s 200000 -c -e");
        assertEquals(0, ran.status(), ran.toString());
        assertEquals(2, ran.count("60 iterations in "), ran.toString());
    }

    @Test
    void one_process_with_itself() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(java(PING_PONG, "-n", "200", "-s", "100000", "-c", "--self"));
        builder.environment().put("METAROCE_IFACE", "lo");
        Ran ran = Ran.run(builder, 120);
        assertEquals(0, ran.status(), ran.toString());
        assertEquals(1, ran.count("200 iterations in "), ran.toString());
    }

    @Test
    void the_example_of_the_readme() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(java(WRITE));
        builder.environment().put("METAROCE_IFACE", "lo");
        Ran ran = Ran.run(builder, 120);
        assertTrue(ran.out().matches("work request 1 of QP 0x[0-9a-f]+: SUCCESS, .*: hello\\n"), ran.toString());
        assertEquals(0, ran.status(), ran.toString());
    }

    @Test
    void a_netdev_that_does_not_exist_is_said_in_a_sentence() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(java(PING_PONG, "--self"));
        builder.environment().put("METAROCE_IFACE", "nosuchdev");
        Ran ran = Ran.run(builder, 120);
        assertEquals(1, ran.status(), ran.toString());
        assertTrue(ran.err().contains("open_device: ENODEV: ") && ran.err().contains("nosuchdev"), ran.toString());
    }

    private static List<String> java(String main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main));
        command.addAll(List.of(arguments));
        return command;
    }

    private static Ran pair(List<String> options, String arguments) throws Exception {
        String server = String.join(" ", java(PING_PONG, arguments));
        List<String> command = new ArrayList<>(List.of(
                TidyTest.root().resolve("native-shim").resolve("mroce").toString(),
                "pair",
                "--plain",
                "--timeout",
                "240"));
        command.addAll(options);
        command.addAll(List.of(server, "--", server + " 10.78.0.1"));
        return Ran.run(new ProcessBuilder(command), 300);
    }
}
