package io.metaroce.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code mroce pair} with programs that need no device. Needs root, iproute2, nftables and netcat-openbsd. */
@Tag("root")
final class PairTest {
    private static final int DEVICE_PORT = 47810;
    private static final int OTHER_PORT = 4791;

    /** Seconds after which {@code mroce pair} ends by itself. */
    private static final int TIMEOUT_S = 50;

    @Test
    void client_output_comes_first_and_server_output_after_the_line() throws Exception {
        Ran ran = pair(
                "nc -l 5000; echo to server stderr >&2", "echo from client | nc -N 10.78.0.1 5000; echo client done");
        assertEquals("client done\n--- server ---\nfrom client\nto server stderr\n", ran.out());
        assertEquals("", ran.err());
        assertEquals(0, ran.status());
    }

    @Test
    void the_client_starts_when_the_server_listens() throws Exception {
        Ran ran = pair("read -t 0.4 < <(tail -f /dev/null); exec nc -l 5000", "echo first try | nc -N 10.78.0.1 5000");
        assertEquals("--- server ---\nfirst try\n", ran.out());
        assertEquals(0, ran.status());
    }

    @Test
    void a_server_that_never_listens_is_not_waited_for_long() throws Exception {
        Ran ran = pair("nc -u -l 5000 | head -c 6", "for i in 1 2 3; do echo hello | nc -u -q 0 10.78.0.1 5000; done");
        assertEquals("--- server ---\nhello\n", ran.out());
        assertEquals(0, ran.status());
    }

    /** On a busy machine: `mroce pair` waited for a server that had ended, until its time was over. */
    @Test
    void the_end_of_a_command_is_not_lost_when_it_is_half_read_in_time(@TempDir Path dir) throws Exception {
        String script = """
                . "$MROCE_DIR/script/common.sh"
                . "$MROCE_DIR/script/pair.sh"
                mkfifo "$0"
                exec {EVENTS}<>"$0"
                printf 'serv' >&"$EVENTS"
                await_event 10000
                printf 'er' >&"$EVENTS"
                await_event 10000
                printf ' 7\\nclient 0\\n' >&"$EVENTS"
                await_event 1000000
                await_event 1000000
                echo "$SERVER_STATUS $CLIENT_STATUS"
                """;
        ProcessBuilder builder =
                new ProcessBuilder("bash", "-c", script, dir.resolve("events").toString());
        builder.environment()
                .put("MROCE_DIR", TidyTest.root().resolve("native-shim").toString());
        Ran ran = Ran.run(builder, TIMEOUT_S);
        assertEquals("7 0\n", ran.out(), ran.err());
    }

    @Test
    void the_status_of_a_client_that_fails_is_the_status() throws Exception {
        assertEquals(7, pair("true", "exit 7").status());
        assertEquals(7, pair("exit 3", "exit 7").status());
    }

    @Test
    void the_status_of_a_server_that_fails_is_the_status_when_the_client_does_not() throws Exception {
        assertEquals(3, pair("exit 3", "true").status());
        assertEquals(137, pair("kill -KILL $$", "true").status());
    }

    @Test
    void a_time_out_ends_with_124_and_shows_what_the_server_said() throws Exception {
        String tag = tag();
        Ran ran = pair("--timeout", "1", "echo here; sleep " + tag, "sleep " + tag);
        assertEquals(124, ran.status());
        assertEquals("--- server ---\nhere\n", ran.out());
        assertEquals(0, processes(tag).count());
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM", "HUP", "KILL"})
    void nothing_is_left_after_a_signal(String signal) throws Exception {
        String tag = tag();
        // Children in the background, and one that has left the session.
        // And whoever started these tests may have told them to ignore signals, which a shell would inherit.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal"));
        command.addAll(mroce(
                "pair", "--plain", "sleep " + tag + " & nc -l 5000", "--", "setsid sleep " + tag + " & sleep " + tag));
        Process pair = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<ProcessHandle> left = new ArrayList<>();
        while (left.size() < 3) {
            assertTrue(pair.isAlive(), "mroce pair ended by itself");
            left = processes(tag).filter(p -> name(p).equals("sleep")).toList();
        }
        String namespace = namespace(left.get(0));
        assertNotEquals(namespace(ProcessHandle.current()), namespace);
        assertEquals(
                0, run(List.of("kill", "-" + signal, Long.toString(pair.pid()))).status());
        assertTrue(pair.waitFor(20, TimeUnit.SECONDS));
        int number = switch (signal) {
            case "INT" -> 2;
            case "TERM" -> 15;
            case "HUP" -> 1;
            default -> 9;
        };
        assertEquals(128 + number, pair.exitValue());
        // The holder of the namespace ends last. Whoever adopts the processes need not ask for their status: a zombie
        // has ended.
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (processes(tag).findAny().isPresent()
                || ProcessHandle.allProcesses().anyMatch(p -> namespace(p).equals(namespace))) {
            assertTrue(
                    System.nanoTime() < until,
                    () -> "left: " + processes(tag).map(ProcessHandle::info).toList());
            Thread.onSpinWait();
        }
    }

    @Test
    void losses_to_the_ports_of_the_device_are_counted_exactly() throws Exception {
        Ran ran = traffic(DEVICE_PORT, "10.78.0.1", "--loss", "2.5");
        assertEquals(ran.number("sent") - ran.number("received"), ran.number("dropped"));
        // 2.5 % of 20,000 with six standard deviations to either side.
        assertTrue(Math.abs(ran.number("dropped") - 500) < 133, ran.toString());
        assertEquals(0, ran.status());
    }

    @Test
    void losses_spare_all_other_ports() throws Exception {
        Ran ran = traffic(OTHER_PORT, "10.78.0.1", "--loss", "2.5");
        assertEquals(20_000, ran.number("received"));
        assertEquals(0, ran.number("dropped"));
        assertEquals(0, ran.status());
    }

    @Test
    void loss_all_hits_every_port() throws Exception {
        Ran ran = traffic(OTHER_PORT, "10.78.0.1", "--loss-all", "2.5");
        long missing = ran.number("sent") - ran.number("received");
        assertTrue(missing > 300, ran.toString());
        assertTrue(ran.number("dropped") >= missing, ran.toString());
        assertEquals(0, ran.status());
    }

    @Test
    void a_run_in_which_nothing_was_lost_fails(@TempDir Path dir) throws Exception {
        Path nft = dir.resolve("nft");
        String real = run(List.of("sh", "-c", "command -v nft")).out().strip();
        Files.writeString(
                nft, "#!/bin/sh\n[ \"$1\" = -f ] || exec " + real + " \"$@\"\ngrep -v random | " + real + " -f -\n");
        Files.setPosixFilePermissions(nft, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> command = new ArrayList<>(List.of("env", "PATH=" + dir + ":" + System.getenv("PATH")));
        command.addAll(mroce(trafficArguments(DEVICE_PORT, "10.78.0.1", "--loss", "2.5")));
        Ran ran = run(command);
        assertEquals(20_000, ran.number("received"));
        assertEquals(0, ran.number("dropped"));
        assertEquals(1, ran.status());
    }

    @Test
    void congestion_marks_arrive() throws Exception {
        // An independent counter behind the marking: a second table, a later priority.
        String probe =
                "table netdev probe { counter ce {}; chain c { type filter hook ingress devices = { veth0 } priority 9;"
                        + " udp dport " + DEVICE_PORT + " ip ecn ce counter name ce; }; }";
        Ran ran = run(mroce(
                "pair",
                "--plain",
                "--ce",
                "10",
                "nft '" + probe + "'; " + java("server " + DEVICE_PORT) + "; nft list counter netdev probe ce",
                "--",
                java("client " + DEVICE_PORT + " 10.78.0.1 20000")));
        assertEquals(20_000, ran.number("received"));
        assertEquals(ran.number("marked"), ran.number("packets"));
        assertTrue(Math.abs(ran.number("marked") - 2000) < 255, ran.toString());
        assertEquals(0, ran.status());
    }

    @Test
    void every_plane_has_its_link_and_its_losses() throws Exception {
        Ran ran = traffic(DEVICE_PORT, "10.78.2.1", "--planes", "3", "--loss", "2.5");
        assertEquals(ran.number("sent") - ran.number("received"), ran.number("dropped"));
        assertTrue(ran.number("dropped") > 300, ran.toString());
        ran = pair(
                "--planes",
                "2",
                "cat /sys/class/net/veth*/address",
                "ip -o -4 addr show | grep -c 10[.]78[.]; ls /sys/class/net");
        assertTrue(ran.out().startsWith("2\nlo\nveth0\nveth1\n--- server ---\n"), ran.out());
    }

    @Test
    void links_have_the_mtu_asked_for_and_are_up_at_once() throws Exception {
        String show = "cat /sys/class/net/veth0/mtu /sys/class/net/veth0/operstate";
        assertEquals(
                "9000\nup\n--- server ---\n9000\nup\n",
                pair("--mtu", "9000", show, show).out());
        assertEquals("1500\nup\n--- server ---\n1500\nup\n", pair(show, show).out());
    }

    @Test
    void an_ordinary_user_may_do_the_same(@TempDir Path dir) throws Exception {
        // The tree may stand where that user cannot read, so it gets copies.
        Path copy = Files.createDirectories(dir.resolve("tree"));
        assertEquals(
                0,
                run(List.of("cp", "-r", shim("mroce"), shim("script"), classes(), copy.toString()))
                        .status());
        assertEquals(0, run(List.of("chmod", "-R", "a+rX", dir.toString())).status());
        String java = System.getProperty("java.home") + "/bin/java -Xshare:auto -cp " + copy + "/test-classes "
                + PairTraffic.class.getName();
        Ran ran = run(List.of(
                "setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                "--inh-caps=-all",
                "env",
                "-u",
                "TMPDIR",
                copy + "/mroce",
                "pair",
                "--plain",
                "--loss",
                "2.5",
                java + " server " + DEVICE_PORT,
                "--",
                java + " client " + DEVICE_PORT + " 10.78.0.1 20000"));
        assertEquals(ran.number("sent") - ran.number("received"), ran.number("dropped"));
        assertTrue(ran.number("dropped") > 300, ran.toString());
        assertEquals(0, ran.status());
    }

    @Test
    void a_wrong_call_is_told_what_is_wrong() throws Exception {
        Ran ran = run(mroce("pair", "--loss", "many", "true", "--", "true"));
        assertEquals(2, ran.status());
        assertTrue(ran.err().contains("--loss wants a percentage"), ran.err());
        ran = run(mroce("pair", "true", "true"));
        assertEquals(2, ran.status());
        assertTrue(ran.err().contains("usage: mroce pair"), ran.err());
        ran = run(mroce("pair", "--planes", "0", "true", "--", "true"));
        assertEquals(2, ran.status());
        assertTrue(ran.err().contains("--planes wants a number from 1"), ran.err());
    }

    private static Ran traffic(int port, String address, String... options) throws Exception {
        return run(mroce(trafficArguments(port, address, options)));
    }

    private static String[] trafficArguments(int port, String address, String... options) {
        List<String> arguments = new ArrayList<>(List.of("pair", "--plain", "--timeout", "" + TIMEOUT_S));
        arguments.addAll(List.of(options));
        arguments.add(java("server " + port));
        arguments.add("--");
        arguments.add(java("client " + port + " " + address + " 20000"));
        return arguments.toArray(new String[0]);
    }

    private static String java(String arguments) {
        return System.getProperty("java.home") + "/bin/java -cp " + classes() + " " + PairTraffic.class.getName() + " "
                + arguments;
    }

    /** Options first, then the server's and the client's command. */
    private static Ran pair(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(mroce("pair", "--plain", "--timeout", "" + TIMEOUT_S));
        command.addAll(List.of(arguments).subList(0, arguments.length - 1));
        command.add("--");
        command.add(arguments[arguments.length - 1]);
        return run(command);
    }

    private static List<String> mroce(String... arguments) {
        List<String> command = new ArrayList<>(List.of(shim("mroce")));
        command.addAll(List.of(arguments));
        return command;
    }

    private static String shim(String name) {
        return TidyTest.root().resolve("native-shim").resolve(name).toString();
    }

    private static String classes() {
        return TidyTest.root().resolve("conformance-tests/target/test-classes").toString();
    }

    /** A number of seconds that no other process sleeps. */
    private static String tag() {
        return "1" + (UUID.randomUUID().getLeastSignificantBits() & 0xffffffffL);
    }

    private static Stream<ProcessHandle> processes(String tag) {
        return ProcessHandle.allProcesses()
                .filter(p -> p.info().commandLine().orElse("").contains(tag));
    }

    private static String name(ProcessHandle process) {
        String command = process.info().command().orElse("");
        return command.substring(command.lastIndexOf('/') + 1);
    }

    private static String namespace(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/ns/net"))
                    .toString();
        } catch (IOException ended) {
            return "";
        }
    }

    private static Ran run(List<String> command) throws Exception {
        return Ran.run(new ProcessBuilder(command), TIMEOUT_S + 60);
    }
}
