package io.metaroce.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** verbs_qps: 1,000 QPs between two processes are one connection. */
final class ManyQpsTest {
    private static final int TIMEOUT_S = 120;

    @TempDir
    private Path dir;

    @Test
    void a_thousand_qps_share_one_connection() throws IOException {
        Path stats = dir.resolve("stats");
        String command = Mroce.judge("verbs_qps") + " -d mroce0 -g 0 -n 1000";
        Mroce.Result result = Mroce.pair(
                        List.of(), TIMEOUT_S, command, "METAROCE_STATS=" + stats + " " + command + " 10.78.0.1")
                .mustSucceed()
                .mustPrint("^ok memory: ");
        assertEquals(1, DataTest.counter(stats, "connections_opened"), result::toString);
    }
}
