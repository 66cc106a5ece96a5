package io.metaroce.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** verbs_data: every byte and every completion of random messages between two processes. A failure prints the seed. */
final class DataTest {
    private static final int TIMEOUT_S = 240;

    @TempDir
    private Path dir;

    @ParameterizedTest(name = "MTU {0}, {1} planes, loss {2} %, {3}")
    @CsvSource({
        "1500, 1, 0, --messages 150",
        "9000, 1, 0, --messages 150 --threads 1 --qps 1",
        "9000, 1, 0, --messages 400 --threads 4 --qps 8 --max-size 64k",
        "1500, 1, 1, --messages 100",
        "9000, 1, 1, --messages 100",
        "1500, 2, 1, --messages 100",
        "9000, 2, 1, --messages 100",
        "1500, 2, 1, --messages 800 --threads 4 --qps 4 --max-size 8k",
        "1500, 1, 0, --messages 400 --max-size 256k --wr-api 100",
    })
    void every_byte_and_completion_is_right(String mtu, String planes, String loss, String size) throws IOException {
        Path stats = dir.resolve("stats");
        long seed = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
        List<String> options = new ArrayList<>(List.of("--mtu", mtu, "--planes", planes));
        if (!loss.equals("0")) {
            options.addAll(List.of("--loss", loss));
        }
        String command = Mroce.judge("verbs_data") + " -d mroce0 -g 0 --seed " + seed + " " + size;
        Mroce.Result result = Mroce.pair(
                        options, TIMEOUT_S, command, "METAROCE_STATS=" + stats + " " + command + " 10.78.0.1")
                .mustSucceed()
                .mustPrint("^ok messages ");
        if (planes.equals("2")) {
            assertTrue(counter(stats, "rx_out_of_order") > 0, () -> "nothing came out of order: " + result);
        }
    }

    /** The client tells one lie that a broken device could have told. */
    @ParameterizedTest
    @ValueSource(strings = {"byte", "immediate", "order", "length"})
    void the_judge_finds(String lie) {
        String command = Mroce.judge("verbs_data") + " -d mroce0 -g 0 --seed 7 --messages 60 --max-size 10k";
        Mroce.pair(List.of(), TIMEOUT_S, command, command + " --spoil " + lie + " 10.78.0.1")
                .mustFail()
                .mustPrint("FAIL: seed 7 thread 0 QP 0 .* message ");
    }

    @Test
    void a_process_that_talks_to_itself_needs_no_network() {
        Mroce.pair(List.of(), TIMEOUT_S, "true", Mroce.judge("verbs_errno") + " -d mroce0 -g 0 --only wc.good")
                .mustSucceed()
                .mustPrint("^wc.good.read.requester SUCCESS");
    }

    static long counter(Path stats, String name) throws IOException {
        Matcher line =
                Pattern.compile("^" + name + " (\\d+)$", Pattern.MULTILINE).matcher(Files.readString(stats));
        assertTrue(line.find(), () -> "no counter " + name + " in " + stats);
        return Long.parseLong(line.group(1));
    }
}
