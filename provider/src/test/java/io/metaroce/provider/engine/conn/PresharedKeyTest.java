package io.metaroce.provider.engine.conn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.config.PresharedKey;
import io.metaroce.provider.engine.conn.TestNet.Flight;
import io.metaroce.provider.engine.conn.TestNet.Node;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.FrameType;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** The optional pre-shared key: both ends prove it, or there is no connection and no state. The expected hashes are made here, from the text of the protocol. */
final class PresharedKeyTest {
    private static final byte[] SECRET = "correct horse battery staple".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OTHER = "correct horse battery stapler".getBytes(StandardCharsets.US_ASCII);
    private static final long MS = TestNet.MS;
    private static final int COMMON = 20;
    private static final int BODY = 224;
    private static final int TAIL = COMMON + BODY;

    private final TestNet net = new TestNet();
    private final FakeStreams aStreams = new FakeStreams();
    private final FakeStreams bStreams = new FakeStreams();
    private final Node a = net.node(1, 0x11, 1, aStreams);
    private final Node b = net.node(2, 0x22, 1, bStreams);

    private static byte[] hmac(byte[] key, byte[] message) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(message);
        } catch (java.security.GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] expected(String label, byte[]... parts) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        message.write(0);
        for (byte[] part : parts) {
            message.writeBytes(part);
        }
        byte[] prk = hmac("MetaRoCE pre-shared key 1".getBytes(StandardCharsets.US_ASCII), SECRET);
        return Arrays.copyOf(hmac(prk, message.toByteArray()), 16);
    }

    private static byte[] part(Flight f, int at, int bytes) {
        return Arrays.copyOfRange(f.bytes, at, at + bytes);
    }

    @Test
    void both_ends_prove_it_and_the_key_of_the_tags_goes_over_no_wire() {
        a.engine.require(PresharedKey.of(SECRET));
        b.engine.require(PresharedKey.of(SECRET));
        int conn = a.attach(b);
        aStreams.send(conn, FakeStreams.STREAM, 100);
        net.run(10 * MS);
        assertEquals(100, bStreams.delivered.size());
        Flight open = net.sent(a, FrameType.OPEN).get(0);
        assertArrayEquals(
                expected("mroce open 1", part(open, COMMON, BODY), part(open, TAIL, 32)), part(open, TAIL + 32, 16));
        Flight ack = net.sent(b, FrameType.OPEN_ACK).get(0);
        assertArrayEquals(
                expected("mroce open_ack 1", part(ack, 4, 4), part(ack, COMMON, BODY), part(ack, TAIL, 24)),
                part(ack, TAIL + 24, 16));
        byte[] key = expected(
                "mroce tag key 1",
                part(ack, 4, 4), // connection id of the initiator
                part(ack, TAIL, 8), // its nonce
                part(ack, COMMON + 16, 4), // connection id of the responder
                part(ack, COMMON + 8, 8), // its nonce
                part(ack, TAIL + 8, 16));
        assertEquals(ByteBuffer.wrap(key).getLong(), a.open().keyHigh);
        assertEquals(ByteBuffer.wrap(key).getLong(8), a.open().keyLow);
        assertEquals(a.open().keyHigh, b.open().keyHigh);
        assertEquals(a.open().keyLow, b.open().keyLow);
        assertNotEquals(ByteBuffer.wrap(ack.bytes).getLong(TAIL + 8), a.open().keyHigh);
    }

    private void refused(String atA, String atB) {
        int conn = a.attach(b);
        aStreams.send(conn, FakeStreams.STREAM, 1);
        net.run(3000 * MS);
        assertFalse(a.engine.isOpen(conn));
        assertEquals(0, b.engine.end(), "state for a process that proved nothing");
        assertTrue(b.count(Counter.RX_REFUSED) > 3, () -> "tried " + b.count(Counter.RX_REFUSED) + " times");
        assertTrue(bStreams.delivered.isEmpty());
        assertEquals(1, a.log.size(), a.log::toString);
        assertTrue(
                a.log.get(0).startsWith("connection not opened: 10.0.0.2 slot 2: ")
                        && a.log.get(0).contains(atA),
                a.log::toString);
        assertTrue(b.log.size() <= 4, b.log::toString);
        assertTrue(
                b.log.get(0).startsWith("connection refused: 10.0.0.1 slot 1: ")
                        && b.log.get(0).contains(atB),
                b.log::toString);
    }

    @Test
    void another_key_is_refused() {
        a.engine.require(PresharedKey.of(OTHER));
        b.engine.require(PresharedKey.of(SECRET));
        refused("its pre-shared key is another one", "it has another pre-shared key");
    }

    @Test
    void no_key_where_one_is_required_is_refused() {
        b.engine.require(PresharedKey.of(SECRET));
        refused("METAROCE_PSK_FILE", "it has no pre-shared key, and one is required here");
    }

    @Test
    void a_key_where_there_is_none_is_refused() {
        a.engine.require(PresharedKey.of(SECRET));
        refused("METAROCE_PSK_FILE", "it requires a pre-shared key");
    }

    @Test
    void what_somebody_on_the_way_changes_is_refused_and_the_next_try_succeeds() {
        a.engine.require(PresharedKey.of(SECRET));
        b.engine.require(PresharedKey.of(SECRET));
        int[] left = {1, 1};
        net.drop = f -> {
            if (f.type() == FrameType.OPEN && left[0]-- > 0) {
                f.bytes[COMMON + 21] ^= 1; // its largest payload, which no cookie covers
            } else if (f.type() == FrameType.OPEN_ACK && left[1]-- > 0) {
                f.bytes[TAIL + 9] ^= 1; // the seed of the key
            }
            return false;
        };
        int conn = a.attach(b);
        assertTrue(net.runUntil(() -> a.engine.isOpen(conn), 200 * MS));
        assertEquals(1, b.count(Counter.RX_REFUSED));
        assertEquals(1, a.count(Counter.RX_REFUSED));
        assertEquals(a.open().keyHigh, b.open().keyHigh);
    }

    @Test
    void a_restarted_peer_is_found_and_its_stray_connection_closed_under_the_right_key() {
        a.engine.require(PresharedKey.of(SECRET));
        b.engine.require(PresharedKey.of(SECRET));
        int conn = a.attach(b);
        net.run(5 * MS);
        net.nodes.remove(b);
        Node again = net.node(2, 0x77, 1, new FakeStreams());
        again.engine.require(PresharedKey.of(SECRET));
        aStreams.send(conn, FakeStreams.STREAM, 1);
        assertTrue(net.runUntil(() -> !aStreams.gone.isEmpty(), 50 * MS));
        assertEquals("12 the peer process has restarted", aStreams.gone.get(0));
        net.run(50 * MS);
        assertEquals(1, again.count(Counter.CONNECTIONS_OPENED));
        assertEquals(0, again.count(Counter.CONNECTIONS_OPEN));
    }
}
