package io.metaroce.conformance;

import java.util.List;
import org.junit.jupiter.api.Test;

/** verbs_exit and verbs_peerdeath: what the peer of a process sees when the process ends. */
final class EndOfProcessTest {
    private static final int TIMEOUT_S = 400;

    /** The client leaves right after its last completion: 100 times under loss, and the server never sees an error. */
    @Test
    void a_client_that_exits_after_its_last_completion_fails_nobody() {
        String loop = "for i in $(seq 100); do " + Mroce.judge("verbs_exit") + " -d mroce0 -g 0 -p $((18600 + i))%s"
                + " || { echo run $i; exit 1; }; done";
        Mroce.pair(List.of("--loss", "1"), TIMEOUT_S, String.format(loop, ""), String.format(loop, " 10.78.0.1"))
                .mustSucceed()
                .mustPrint("messages of 3000 bytes, then the client was gone");
    }

    @Test
    void the_death_of_the_peer_fails_the_outstanding_send_and_the_log_names_the_peer() {
        String program = Mroce.judge("verbs_peerdeath") + " -d mroce0 -g 0";
        Mroce.pair(List.of(), TIMEOUT_S, program + "; [ $? = 137 ]", program + " 10.78.0.1")
                .mustSucceed()
                .mustPrint("^ok: the peer's death failed the outstanding send")
                .mustPrint("10\\.78\\.0\\.1");
    }
}
