package io.metaroce.conformance;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An interface that goes down and comes up while a program sends: no error, and its traffic comes back. Needs root and iproute2. */
@Tag("root")
final class PlaneFlapTest {
    private static final int TIMEOUT_S = 90;
    private static final String FLAP = Mroce.resource("plane_flap.sh") + " veth0 veth1 ";
    private static final String PROGRAM = "ib_write_bw -d mroce0 -x 0 -F -s 65536 -D 10";

    @ParameterizedTest
    @ValueSource(strings = {"sender", "receiver"})
    void one_of_four_planes_goes_down_and_comes_back(String where) {
        boolean atSender = where.equals("sender");
        String server = (atSender ? "" : FLAP) + PROGRAM;
        String client = (atSender ? FLAP : "") + PROGRAM + " 10.78.0.1";
        Mroce.pair(List.of("--planes", "4"), TIMEOUT_S, server, client)
                .mustSucceed()
                .mustPrint("^traffic is back on veth1 after \\d+ ms")
                .mustPrint("^ 65536 ");
    }
}
