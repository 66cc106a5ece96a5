package io.metaroce.conformance;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** verbs_errno: the answers pinned in {@code rxe-answers.txt}, one test for each group of cases. */
final class VerbRulesTest {
    private static final int TIMEOUT_S = 240;

    @ParameterizedTest
    @ValueSource(strings = {"modify", "query", "post", "mr", "object", "wc", "flush", "event"})
    void answers_as_pinned(String group) {
        String command = Mroce.judge("verbs_errno") + " -d mroce0 -g 0 --quiet --only " + group + " --expect "
                + Mroce.resource("rxe-answers.txt");
        Mroce.pair(List.of(), TIMEOUT_S, "true", command).mustSucceed().mustPrint("cases as expected, 0 different");
    }
}
