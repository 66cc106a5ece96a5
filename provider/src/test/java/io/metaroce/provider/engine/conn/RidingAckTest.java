package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.conn.TestNet.Flight;
import io.metaroce.provider.engine.conn.TestNet.Node;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.FrameFlag;
import io.metaroce.wire.FrameType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** ACK_FOLLOWS: an answer takes the ACK of its request along (protocol section 3). */
final class RidingAckTest {
    private static final int S = FakeStreams.STREAM;

    private final TestNet net = new TestNet();
    private final FakeStreams aStreams = new FakeStreams();
    private final FakeStreams bStreams = new FakeStreams();
    private final Node a = net.node(1, 0x11, 1, aStreams);
    private final Node b = net.node(2, 0x22, 1, bStreams);

    /** b finds a's packet and an answer to send at the same time; returns what b sends then. */
    private List<Flight> answer(int payloadBytes) {
        int conn = a.attach(b);
        net.run(5 * TestNet.MS);
        aStreams.payloadBytes = 100;
        bStreams.payloadBytes = payloadBytes;
        b.asleep = true;
        aStreams.send(conn, S, 1);
        net.runUntil(() -> !b.inbox.isEmpty(), TestNet.MS);
        net.sent.clear();
        bStreams.send(0, S, 1);
        b.asleep = false;
        net.runUntil(() -> !aStreams.delivered.isEmpty(), TestNet.MS / 10);
        return net.sent.stream().filter(f -> f.from == b).toList();
    }

    @Test
    void an_answer_takes_the_acknowledgement_of_its_request_along() {
        List<Flight> sent = answer(100);
        assertEquals(1, sent.size());
        Flight only = sent.get(0);
        assertEquals(FrameType.DATA, only.type());
        assertEquals(FrameFlag.ACK_FOLLOWS, only.flags() & FrameFlag.ACK_FOLLOWS);
        // Common 20, stream 16, Write 16, payload, tag 4; common 20, ACK 24, tag 4
        assertEquals(56 + 100 + 48, only.bytes.length);
        assertEquals(1, aStreams.cleared.size());
        assertEquals(1, aStreams.delivered.size());
        assertEquals(1, b.count(Counter.TX_ACKS));
        assertEquals(1, a.count(Counter.RX_ACKS));
    }

    @Test
    void data_that_leaves_no_room_leaves_the_acknowledgement_to_a_packet_of_its_own() {
        // The payload of a datagram is 1472 at most, so 1472 - 56 - 48 bytes and room for no stream block.
        List<Flight> sent = answer(1472 - 56 - 48);
        assertEquals(
                List.of(FrameType.DATA, FrameType.ACK),
                sent.stream().map(Flight::type).toList());
        assertEquals(0, sent.get(0).flags() & FrameFlag.ACK_FOLLOWS);
        assertEquals(1, aStreams.cleared.size());
    }

    @Test
    void a_bad_acknowledgement_takes_nothing_from_the_data_before_it() {
        net.drop = f -> {
            if ((f.flags() & FrameFlag.ACK_FOLLOWS) != 0) {
                f.bytes[f.bytes.length - 1] ^= 1;
            }
            return false;
        };
        answer(100);
        assertEquals(1, aStreams.delivered.size());
        assertEquals(0, aStreams.cleared.size());
        assertEquals(1, a.count(Counter.RX_BAD_TAG));
        net.drop = f -> false;
        assertTrue(
                net.runUntil(() -> !aStreams.cleared.isEmpty(), 100 * TestNet.MS),
                "the request was never acknowledged");
    }
}
