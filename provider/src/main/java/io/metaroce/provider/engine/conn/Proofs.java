package io.metaroce.provider.engine.conn;

import io.metaroce.provider.port.KeyedHash;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.Feature;
import io.metaroce.wire.HandshakeBody;
import io.metaroce.wire.Mem;
import io.metaroce.wire.OpenAckTail;
import io.metaroce.wire.OpenTail;
import org.jspecify.annotations.Nullable;

/**
 * What two processes with the same pre-shared key prove to each other in OPEN and OPEN_ACK, and the key of the packet tags, which then goes over no wire. Each
 * proof is the first 16 bytes of the keyed hash of a label and of everything that the frame says; the cookie and both boot nonces make it good for one handshake.
 */
final class Proofs {
    private static final String OPEN = "mroce open 1";
    private static final String OPEN_ACK = "mroce open_ack 1";
    private static final String TAG_KEY = "mroce tag key 1";
    private static final int ID_BYTES = 4;
    private static final int NONCE_BYTES = 8;
    private static final int SEED_BYTES = 16;

    private @Nullable KeyedHash key;

    /** From now on both ends must prove that they have this key. */
    void require(KeyedHash presharedKey) {
        key = presharedKey;
    }

    /** {@link Feature#PSK} when a key is required here, else 0. */
    int feature() {
        return key == null ? 0 : Feature.PSK;
    }

    // ---- OPEN ----

    /** Writes the proof into a complete OPEN. */
    void signOpen(long frame) {
        if (key != null) {
            Mem.copy(openProof(key, frame), 0, frame + OpenTail.OFFSET + OpenTail.PROOF_OFFSET, OpenTail.PROOF_LENGTH);
        }
    }

    /** Why an OPEN is not for us; null when it is. */
    @Nullable
    String refusesOpen(long frame) {
        boolean offered = (HandshakeBody.features(frame + HandshakeBody.OFFSET) & Feature.PSK) != 0;
        if (key == null) {
            return offered ? "it requires a pre-shared key, and METAROCE_PSK_FILE is not set here" : null;
        }
        if (!offered) {
            return "it has no pre-shared key, and one is required here (METAROCE_PSK_FILE)";
        }
        long proof = frame + OpenTail.OFFSET + OpenTail.PROOF_OFFSET;
        return same(openProof(key, frame), proof) ? null : "it has another pre-shared key";
    }

    private static byte[] openProof(KeyedHash with, long frame) {
        byte[] message = labelled(OPEN, HandshakeBody.LENGTH + OpenTail.COOKIE_LENGTH);
        int at = OPEN.length() + 1;
        Mem.copy(frame + HandshakeBody.OFFSET, message, at, HandshakeBody.LENGTH);
        long cookie = frame + OpenTail.OFFSET + OpenTail.COOKIE_OFFSET;
        Mem.copy(cookie, message, at + HandshakeBody.LENGTH, OpenTail.COOKIE_LENGTH);
        return with.hash(message);
    }

    // ---- OPEN_ACK ----

    /** Writes the proof into a complete OPEN_ACK. */
    void signOpenAck(long frame) {
        if (key != null) {
            long proof = frame + OpenAckTail.OFFSET + OpenAckTail.PROOF_OFFSET;
            Mem.copy(openAckProof(key, frame), 0, proof, OpenAckTail.PROOF_LENGTH);
        }
    }

    /** Why an OPEN_ACK is not to be believed; null when it is. */
    @Nullable
    String refusesOpenAck(long frame) {
        boolean offered = (HandshakeBody.features(frame + HandshakeBody.OFFSET) & Feature.PSK) != 0;
        if (key == null) {
            return offered ? "it requires a pre-shared key, and METAROCE_PSK_FILE is not set here" : null;
        }
        if (!offered) {
            return "it has no pre-shared key, and one is required here (METAROCE_PSK_FILE)";
        }
        long proof = frame + OpenAckTail.OFFSET + OpenAckTail.PROOF_OFFSET;
        return same(openAckProof(key, frame), proof) ? null : "it has another pre-shared key";
    }

    private static byte[] openAckProof(KeyedHash with, long frame) {
        byte[] message = labelled(OPEN_ACK, ID_BYTES + HandshakeBody.LENGTH + OpenAckTail.PROOF_OFFSET);
        int at = OPEN_ACK.length() + 1;
        putInt(message, at, CommonHeader.connectionId(frame));
        at += ID_BYTES;
        Mem.copy(frame + HandshakeBody.OFFSET, message, at, HandshakeBody.LENGTH);
        at += HandshakeBody.LENGTH;
        Mem.copy(frame + OpenAckTail.OFFSET, message, at, OpenAckTail.PROOF_OFFSET);
        return with.hash(message);
    }

    // ---- the key of the tags ----

    /** Sets the key of a connection's tags from what the OPEN_ACK carries as such: that itself, or with a pre-shared key a hash of it and of who the two are. */
    void deriveKey(Connection c, int initiatorId, long initiatorNonce, int responderId, long responderNonce) {
        if (key == null) {
            c.keyHigh = c.openHigh;
            c.keyLow = c.openLow;
            return;
        }
        byte[] derived = tagKey(key, initiatorId, initiatorNonce, responderId, responderNonce, c.openHigh, c.openLow);
        c.keyHigh = getLong(derived, 0);
        c.keyLow = getLong(derived, NONCE_BYTES);
    }

    /** The key of the tags as the OPEN_ACK at {@code frame} makes it: the first eight bytes of it, or the others. */
    long keyOf(long frame, boolean high) {
        long body = frame + HandshakeBody.OFFSET;
        long tail = frame + OpenAckTail.OFFSET;
        long seedHigh = OpenAckTail.keyHigh(tail);
        long seedLow = OpenAckTail.keyLow(tail);
        if (key == null) {
            return high ? seedHigh : seedLow;
        }
        byte[] derived = tagKey(
                key,
                CommonHeader.connectionId(frame),
                OpenAckTail.echoNonce(tail),
                HandshakeBody.connectionId(body),
                HandshakeBody.bootNonce(body),
                seedHigh,
                seedLow);
        return getLong(derived, high ? 0 : NONCE_BYTES);
    }

    private static byte[] tagKey(
            KeyedHash with,
            int initiatorId,
            long initiatorNonce,
            int responderId,
            long responderNonce,
            long seedHigh,
            long seedLow) {
        byte[] message = labelled(TAG_KEY, 2 * (ID_BYTES + NONCE_BYTES) + SEED_BYTES);
        int at = TAG_KEY.length() + 1;
        putInt(message, at, initiatorId);
        putLong(message, at + 4, initiatorNonce);
        putInt(message, at + 12, responderId);
        putLong(message, at + 16, responderNonce);
        putLong(message, at + 24, seedHigh);
        putLong(message, at + 32, seedLow);
        return with.hash(message);
    }

    // ---- bytes ----

    /** The label, a zero, and room for what it labels. */
    private static byte[] labelled(String label, int bytes) {
        byte[] message = new byte[label.length() + 1 + bytes];
        for (int i = 0; i < label.length(); i++) {
            message[i] = (byte) label.charAt(i);
        }
        return message;
    }

    private static void putInt(byte[] to, int at, int value) {
        for (int i = 0; i < ID_BYTES; i++) {
            to[at + i] = (byte) (value >>> (24 - 8 * i));
        }
    }

    private static void putLong(byte[] to, int at, long value) {
        putInt(to, at, (int) (value >>> 32));
        putInt(to, at + ID_BYTES, (int) value);
    }

    private static long getLong(byte[] from, int at) {
        long value = 0;
        for (int i = 0; i < NONCE_BYTES; i++) {
            value = value << 8 | (from[at + i] & 0xff);
        }
        return value;
    }

    /** Compares in a time that does not depend on where they differ. */
    private static boolean same(byte[] expected, long proof) {
        int wrong = 0;
        for (int i = 0; i < OpenTail.PROOF_LENGTH; i++) {
            wrong |= expected[i] ^ Mem.getByte(proof + i);
        }
        return wrong == 0;
    }
}
