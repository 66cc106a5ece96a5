package io.metaroce.shim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.shim.Programs.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** libmroce.so as real processes meet it. The programs check and tell; this only runs them and looks at how they end. */
final class LibraryProcessTest {
    private static final int SIGPIPE = 13;
    private static final int SIGSEGV = 11;

    /** So many safepoints that a rule about them cannot hold by luck. */
    private static final Map<String, String> MANY_SAFEPOINTS =
            Map.of("METAROCE_JAVA_OPTIONS", "-XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=2 -Xmx16m");

    private static void ok(Result result) {
        assertTrue(result.status() == 0 && result.output().endsWith("ok\n"), result::toString);
    }

    private static String program(String name) {
        return Programs.program(name).toString();
    }

    @Test
    void the_device_is_listed_and_queried_without_a_vm_and_tells_what_the_kernel_tells() {
        ok(Programs.run(program("device_queries"), "lo"));
    }

    @Test
    void every_public_verb_is_found_by_dlvsym_and_is_ours() {
        ok(Programs.run(
                program("dlopen_verbs"),
                Programs.RESOURCES.resolve("public-verbs.txt").toString()));
    }

    @Test
    void a_post_while_the_turn_is_held_is_seen_after_its_release() {
        ok(Programs.run(program("turn_second_look")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"unsupported", "extended", "stacks", "fork_rules", "events", "threads", "unmapped"})
    void rules_of_the_boundary_hold(String name) {
        ok(Programs.run(program(name)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mask", "late", "early", "handler"})
    void the_vm_and_the_program_each_get_their_own_signals(String name) {
        ok(Programs.run(MANY_SAFEPOINTS, program("signals"), name));
    }

    @Test
    void a_fault_of_the_program_ends_it_as_without_a_vm() {
        Result result = Programs.run(program("signals"), "default");
        assertTrue(result.killedBy(SIGSEGV), result::toString);
        assertTrue(result.output().contains("about to fault"), result::toString);
        assertTrue(!result.output().contains("fatal error has been detected"), result::toString);
    }

    @Test
    void dispositions_are_those_of_the_program_after_the_vm_has_started() {
        Result result = Programs.run(program("signals"), "restored");
        assertTrue(result.killedBy(SIGPIPE), result::toString);
    }

    @ParameterizedTest
    @CsvSource({"return,41", "exit,42", "_exit,43", "thread,44", "abort,134", "kill,137"})
    void a_program_may_end_while_others_drive(String how, int status) {
        Result result = Programs.run(program("exits"), how);
        assertEquals(status, result.status(), result::toString);
    }

    @Test
    void options_meant_for_other_vms_do_not_reach_ours() {
        ok(Programs.run(
                Map.of(
                        "JAVA_TOOL_OPTIONS", "-XX:+UseG1GC",
                        "_JAVA_OPTIONS", "-XX:+UseParallelGC",
                        "JDK_JAVA_OPTIONS", "-XX:+UseZGC"),
                program("unsupported")));
    }

    @Test
    void a_killed_process_leaves_a_tree_that_the_next_start_removes_and_a_living_one_keeps_its_own(@TempDir Path folder)
            throws IOException {
        Map<String, String> here = Map.of("TMPDIR", folder.toString());
        Process living = Programs.start(here, program("hold"));
        Programs.waitFor(living, "ready");
        List<Path> its = Programs.trees(folder);
        assertEquals(1, its.size());

        assertEquals(137, Programs.run(here, program("exits"), "kill").status());
        assertEquals(2, Programs.trees(folder).size());

        ok(Programs.run(here, program("device_queries"), "lo"));
        assertEquals(its, Programs.trees(folder));

        living.getOutputStream().close();
        ok(Programs.finish(living));
        assertEquals(List.of(), Programs.trees(folder));
    }

    @Test
    void a_process_with_a_vm_of_its_own_is_told_so() throws IOException {
        Path libjvm = Path.of(System.getProperty("java.home"), "lib/server/libjvm.so");
        Process process = Programs.start(Map.of(), program("hold"), libjvm.toString());
        process.getOutputStream().close();
        Result result = Programs.finish(process);
        assertEquals(3, result.status(), result::toString);
        assertTrue(result.output().contains("this process has a Java VM of its own"), result::toString);
    }

    @Test
    void without_a_vm_the_device_is_listed_and_its_first_object_fails_with_a_sentence() throws IOException {
        Process process = Programs.start(Map.of("METAROCE_JAVA_HOME", "/nowhere"), program("hold"));
        process.getOutputStream().close();
        Result result = Programs.finish(process);
        assertEquals(3, result.status(), result::toString);
        assertTrue(result.output().contains("METAROCE_JAVA_HOME=/nowhere holds no Java VM"), result::toString);
    }

    @Test
    void without_its_jars_the_library_says_what_is_missing(@TempDir Path folder) throws IOException {
        Path alone = Files.copy(Programs.LIBRARY, folder.resolve("libmroce.so"));
        Process process = Programs.start(Map.of("LD_PRELOAD", alone.toString()), program("hold"));
        process.getOutputStream().close();
        Result result = Programs.finish(process);
        assertEquals(3, result.status(), result::toString);
        assertTrue(result.output().contains("there are no jars in " + folder), result::toString);
    }

    @Test
    void an_unknown_netdev_is_named_and_no_device_is_listed() {
        Result result = Programs.run(Map.of("METAROCE_IFACE", "nosuchif0"), program("device_queries"), "lo");
        assertEquals(1, result.status(), result::toString);
        assertTrue(
                result.output().contains("METAROCE_IFACE names \"nosuchif0\", and there is no such network device"),
                result::toString);
    }
}
