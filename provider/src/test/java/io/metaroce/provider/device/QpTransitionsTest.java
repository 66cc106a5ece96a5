package io.metaroce.provider.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.slots.QpAttr;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The whole state table of ibv_modify_qp for RC: IBTA volume 1 table 96 and man ibv_modify_qp, with Linux (rxe, kernel 6.1) deciding what they leave open. The table is
 * written here once more, in words.
 */
final class QpTransitionsTest {
    private static final String[] STATES = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};

    /** Mask bits by the names of verbs.h (without IBV_QP_) and their numbers there. */
    private static final Map<String, Integer> BITS = new LinkedHashMap<>();

    static {
        String[] names = {
            "STATE",
            "CUR_STATE",
            "EN_SQD_ASYNC_NOTIFY",
            "ACCESS_FLAGS",
            "PKEY_INDEX",
            "PORT",
            "QKEY",
            "AV",
            "PATH_MTU",
            "TIMEOUT",
            "RETRY_CNT",
            "RNR_RETRY",
            "RQ_PSN",
            "MAX_QP_RD_ATOMIC",
            "ALT_PATH",
            "MIN_RNR_TIMER",
            "SQ_PSN",
            "MAX_DEST_RD_ATOMIC",
            "PATH_MIG_STATE",
            "CAP",
            "DEST_QPN"
        };
        for (int i = 0; i < names.length; i++) {
            BITS.put(names[i], 1 << i);
        }
    }

    /** {@code from to : required : optional}; what is not here is EINVAL. */
    private static final String[] TABLE = {
        "RESET RESET : :",
        "RESET INIT : PKEY_INDEX PORT ACCESS_FLAGS :",
        "INIT RESET : :",
        "INIT ERR : :",
        "INIT INIT : : PKEY_INDEX PORT ACCESS_FLAGS",
        "INIT RTR : AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER : ACCESS_FLAGS PKEY_INDEX",
        "RTR RESET : :",
        "RTR ERR : :",
        "RTR RTS : TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC : CUR_STATE ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE",
        "RTS RESET : :",
        "RTS ERR : :",
        "RTS RTS : : CUR_STATE ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE",
        "RTS SQD : : EN_SQD_ASYNC_NOTIFY",
        "SQD RESET : :",
        "SQD ERR : :",
        "SQD RTS : : CUR_STATE ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE",
        "SQD SQD : : PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC MAX_DEST_RD_ATOMIC ACCESS_FLAGS PKEY_INDEX"
                + " MIN_RNR_TIMER PATH_MIG_STATE",
        "SQE RESET : :",
        "SQE ERR : :",
        "ERR RESET : :",
        "ERR ERR : :",
    };

    private record Rule(Set<String> required, Set<String> optional) {}

    private static Map<String, Rule> rules() {
        Map<String, Rule> rules = new LinkedHashMap<>();
        for (String line : TABLE) {
            String[] parts = line.split(":", -1);
            rules.put(parts[0].strip(), new Rule(words(parts[1]), words(parts[2])));
        }
        return rules;
    }

    private static Set<String> words(String text) {
        Set<String> words = new TreeSet<>(List.of(text.strip().split(" +")));
        words.remove("");
        return words;
    }

    private static int bit(String name) {
        return Objects.requireNonNull(BITS.get(name), name);
    }

    private static int mask(Set<String> names) {
        int mask = 0;
        for (String name : names) {
            mask |= bit(name);
        }
        return mask;
    }

    @Test
    void each_transition_takes_its_required_attributes_and_none_but_its_optional_ones() {
        List<String> wrong = new ArrayList<>();
        int judged = 0;
        try (DeviceBench bench = new DeviceBench()) {
            int cq = bench.cq(16);
            int qp = bench.qp(bench.pd(), cq, cq);
            Map<String, Rule> rules = rules();
            for (int from = 0; from < STATES.length; from++) {
                for (int to = 0; to < STATES.length; to++) {
                    Rule rule = rules.get(STATES[from] + " " + STATES[to]);
                    int base = 1 | (rule == null ? 0 : mask(rule.required));
                    judged += judge(bench, qp, from, to, base, rule == null ? 22 : 0, "required only", wrong);
                    for (Map.Entry<String, Integer> bit : BITS.entrySet()) {
                        String name = bit.getKey();
                        if (name.equals("STATE")) {
                            continue;
                        }
                        if (rule != null && rule.required.contains(name)) {
                            judged += judge(bench, qp, from, to, base & ~bit.getValue(), 22, "without " + name, wrong);
                        } else {
                            int expected = rule != null && rule.optional.contains(name) ? 0 : 22;
                            judged +=
                                    judge(bench, qp, from, to, base | bit.getValue(), expected, "with " + name, wrong);
                        }
                    }
                    judged += judge(bench, qp, from, to, base | 1 << 25, 95, "with RATE_LIMIT", wrong);
                    judged += judge(bench, qp, from, to, base | 1 << 26, 22, "with an unknown bit", wrong);
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertEquals(49 * 23, judged);
    }

    @Test
    void without_a_state_the_call_is_judged_as_state_to_the_same_state() {
        List<String> wrong = new ArrayList<>();
        try (DeviceBench bench = new DeviceBench()) {
            int cq = bench.cq(16);
            int qp = bench.qp(bench.pd(), cq, cq);
            Map<String, Rule> rules = rules();
            for (int state = 0; state < STATES.length; state++) {
                Rule rule = rules.get(STATES[state] + " " + STATES[state]);
                judge(bench, qp, state, state, 0, rule == null ? 22 : 0, "empty mask", wrong);
                int flags = rule != null && rule.optional.contains("ACCESS_FLAGS") ? 0 : 22;
                judge(bench, qp, state, state, bit("ACCESS_FLAGS"), flags, "access flags alone", wrong);
            }
        }
        assertEquals(List.of(), wrong);
    }

    private static int judge(
            DeviceBench bench, int qp, int from, int to, int mask, int expected, String what, List<String> wrong) {
        bench.engine.states.put(qp, from);
        int error = bench.modify(qp, mask, to);
        int state = bench.engine.state(qp);
        if (error != expected || state != (error == 0 ? to : from)) {
            wrong.add(STATES[from] + " to " + STATES[to] + " " + what + ": errno " + error + " instead of " + expected
                    + ", state " + STATES[state]);
        }
        return 1;
    }

    @Test
    void a_refused_change_changes_no_attribute() {
        try (DeviceBench bench = new DeviceBench()) {
            int cq = bench.cq(16);
            int qp = bench.qp(bench.pd(), cq, cq);
            assertEquals(0, bench.modify(qp, 1 | 1 << 3 | 1 << 4 | 1 << 5, 1));
            long attr = bench.legal(qp, 1 << 3 | 1 << 5, 1);
            QpAttr.qpAccessFlags(attr, 1);
            QpAttr.portNum(attr, 2);
            assertEquals(22, bench.modify());
            assertEquals(0xe, QpAttr.qpAccessFlags(bench.query(qp)));
        }
    }

    @Test
    void states_and_the_current_state_must_be_real() {
        try (DeviceBench bench = new DeviceBench()) {
            int cq = bench.cq(16);
            int qp = bench.qp(bench.pd(), cq, cq);
            for (int state : new int[] {7, 255, -1, Integer.MIN_VALUE}) {
                assertEquals(22, bench.modify(qp, 1, state));
            }
            bench.engine.states.put(qp, 3);
            for (int claimed = -1; claimed <= 8; claimed++) {
                long attr = bench.legal(qp, 1 | 2, 3);
                QpAttr.curQpState(attr, claimed);
                assertEquals(claimed == 3 ? 0 : 22, bench.modify(), "cur_qp_state " + claimed);
            }
            assertTrue(bench.engine.calls.contains("modify " + qp + " to 3"));
        }
    }
}
