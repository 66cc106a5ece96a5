package io.metaroce.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The verbs of {@code mroce} that need no device. Needs what {@code mroce test} installs, and root. */
@Tag("root")
final class MroceCommandTest {
    private static final Path MROCE = TidyTest.root().resolve("native-shim/mroce");

    @TempDir
    private Path dir;

    @Test
    void help_names_every_verb() throws Exception {
        String help = output(0, MROCE + " help");
        for (String verb : List.of("demo", "test", "build", "run", "pair", "doctor", "bench")) {
            assertTrue(help.contains("\n  " + verb + " "), help);
        }
    }

    @Test
    void a_wrong_call_ends_with_2_and_a_sentence() throws Exception {
        assertTrue(output(2, MROCE + " dance").contains("unknown verb: dance"));
        assertTrue(output(2, MROCE + " run").contains("which command?"));
        assertTrue(output(2, MROCE + " run --iface").contains("needs the name of an interface"));
        assertTrue(output(2, MROCE + " build everything").contains("build takes no argument"));
        assertTrue(output(2, MROCE + " bench").contains("lat or bw?"));
    }

    @Test
    void run_sets_the_environment_and_keeps_arguments_and_status() throws Exception {
        // Any shared object does: what counts is what the command is given.
        Path library = Files.createFile(dir.resolve("libany.so"));
        String run = "MROCE_LIB=" + library + " " + MROCE + " run --iface veth7,veth8 ";
        String printed = output(5, run + "sh -c 'echo \"$LD_PRELOAD|$METAROCE_IFACE|$1\"; exit 5' - 'a  b'");
        assertTrue(printed.contains(library + "|veth7,veth8|a  b\n"), printed);
        printed = output(0, run + "sh -c '\"$METAROCE_JAVA_HOME/bin/java\" -version'");
        assertTrue(printed.matches("(?s).*version \"(2[5-9]|[3-9]\\d).*"), printed);
    }

    @Test
    void run_keeps_what_was_preloaded_before() throws Exception {
        Path library = Files.createFile(dir.resolve("libany.so"));
        Path other = Files.createFile(dir.resolve("libother.so"));
        String printed =
                output(0, "LD_PRELOAD=" + other + " MROCE_LIB=" + library + " " + MROCE + " run printenv LD_PRELOAD");
        assertTrue(printed.contains(library + ":" + other + "\n"), printed);
    }

    @Test
    void a_machine_without_a_new_jdk_is_told_what_to_type() throws Exception {
        String empty = "METAROCE_JAVA_HOME= JAVA_HOME=" + dir + " PATH=/usr/sbin:/usr/bin:/sbin:/bin ";
        // Only a folder without JDKs stands where they are looked for.
        String printed =
                output(2, "unshare -m sh -c 'mount -t tmpfs none /usr/lib/jvm && " + empty + MROCE + " build'");
        assertTrue(printed.contains("no JDK 25 found"), printed);
        assertTrue(printed.contains("export JAVA_HOME="), printed);
    }

    @Test
    void the_doctor_says_what_an_ordinary_user_lacks_and_what_to_type() throws Exception {
        output(0, "cp -r " + MROCE + " " + MROCE.resolveSibling("script") + " " + dir + " && chmod -R a+rX " + dir);
        String user = "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env -u TMPDIR ";
        String printed = output(1, user + dir + "/mroce doctor");
        assertTrue(printed.contains("MISSING  raw sockets: CAP_NET_RAW"), printed);
        assertTrue(printed.contains("type: sudo " + dir + "/mroce run COMMAND"), printed);
        assertTrue(printed.contains("--ambient-caps +net_raw"), printed);
        assertTrue(printed.contains("ok       namespaces: this user may make user namespaces"), printed);
        assertTrue(printed.contains("ok       nft's ingress hook"), printed);
        assertTrue(printed.contains("MISSING  the library"), printed);
        assertTrue(printed.contains("type: " + dir + "/mroce build"), printed);
    }

    @Test
    void the_doctor_finds_nothing_missing_for_root_but_the_library() throws Exception {
        output(0, "cp -r " + MROCE + " " + MROCE.resolveSibling("script") + " " + dir);
        List<String> missing = output(1, dir + "/mroce doctor")
                .lines()
                .filter(line -> line.startsWith("MISSING"))
                .toList();
        assertEquals(List.of("MISSING  the library " + dir + "/target/mroce/libmroce.so"), missing);
    }

    /** Both streams of a shell command that must end with this status. */
    private static String output(int status, String command) {
        Mroce.Result result = Mroce.run(List.of("bash", "-c", command), 60);
        assertEquals(status, result.status(), result::toString);
        return result.output();
    }
}
