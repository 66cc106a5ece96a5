package io.metaroce.conformance;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** METAROCE_PSK_FILE with unmodified programs. Needs root and iproute2. */
@Tag("root")
final class PresharedKeyProgramsTest {
    private static final int TIMEOUT_S = 60;
    private static final String PING_PONG = "ibv_rc_pingpong -g 0 -n 50 ";

    @TempDir
    private Path dir;

    private String key(String name, String content) throws IOException {
        return "METAROCE_PSK_FILE=" + Files.writeString(dir.resolve(name), content) + " ";
    }

    @Test
    void programs_with_the_same_key_talk() throws Exception {
        String key = key("key", "tell nobody of this one\n");
        Mroce.pair(List.of(), TIMEOUT_S, key + PING_PONG, key + PING_PONG + "10.78.0.1")
                .mustSucceed()
                .mustPrint("50 iters in");
    }

    @Test
    void a_program_with_another_key_fails_with_status_12_and_the_log_says_why() throws Exception {
        String server = key("server", "tell nobody of this one\n") + "timeout 12 " + PING_PONG;
        String client = key("client", "tell nobody of that one\n") + PING_PONG + "10.78.0.1";
        Mroce.Result result = Mroce.pair(List.of(), TIMEOUT_S, server, client)
                .mustPrint("transport retry counter exceeded \\(12\\)")
                .mustPrint("connection (refused|not opened): .*another");
        assertNotEquals(0, result.status());
    }

    @Test
    void a_file_that_cannot_be_read_is_said_in_a_sentence() {
        Mroce.pair(List.of(), TIMEOUT_S, "true", "METAROCE_PSK_FILE=/nonexistent " + PING_PONG)
                .mustPrint("the device cannot be used: METAROCE_PSK_FILE=/nonexistent: cannot be read");
    }
}
