package io.metaroce.provider.engine.conn;

import io.metaroce.wire.InitAckBody;
import io.metaroce.wire.Mem;
import io.metaroce.wire.SipHash;

/**
 * The proof that an initiator receives at the address it claims, given without keeping anything: the time of issue and 128 bits of SipHash-2-4 over it, the address,
 * the port, the boot nonce and the connection id of the INIT, under keys that never leave the process.
 */
final class Cookie {
    /** A cookie is good for this long. */
    static final long LIFE_NS = 4_000_000_000L;

    private static final int INPUT_BYTES = 48;

    private final long[] keys;
    private final long input;

    /** @param scratch {@value #INPUT_BYTES} bytes of native memory */
    Cookie(long[] fourKeys, long scratch) {
        keys = fourKeys;
        input = scratch;
    }

    static int scratchBytes() {
        return INPUT_BYTES;
    }

    /** Writes a cookie of {@link InitAckBody#COOKIE_LENGTH} bytes. */
    void write(long cookie, long hi, long lo, int port, long nonce, int connectionId, long nowNs) {
        prepare(hi, lo, port, nonce, connectionId, nowNs);
        Mem.putLongBe(cookie, nowNs);
        Mem.putLongBe(cookie + 8, SipHash.hash(keys[0], keys[1], input, INPUT_BYTES));
        Mem.putLongBe(cookie + 16, SipHash.hash(keys[2], keys[3], input, INPUT_BYTES));
        Mem.putLongBe(cookie + 24, 0);
    }

    /** Nanoseconds since the cookie was issued; -1 when it is not ours, is for somebody else or is too old. */
    long ageNs(long cookie, long hi, long lo, int port, long nonce, int connectionId, long nowNs) {
        long issuedNs = Mem.getLongBe(cookie);
        long ageNs = nowNs - issuedNs;
        if (ageNs < 0 || ageNs > LIFE_NS) {
            return -1;
        }
        prepare(hi, lo, port, nonce, connectionId, issuedNs);
        long wrong = Mem.getLongBe(cookie + 8) ^ SipHash.hash(keys[0], keys[1], input, INPUT_BYTES);
        wrong |= Mem.getLongBe(cookie + 16) ^ SipHash.hash(keys[2], keys[3], input, INPUT_BYTES);
        return wrong == 0 ? ageNs : -1;
    }

    private void prepare(long hi, long lo, int port, long nonce, int connectionId, long issuedNs) {
        Mem.putLongBe(input, hi);
        Mem.putLongBe(input + 8, lo);
        Mem.putLongBe(input + 16, port);
        Mem.putLongBe(input + 24, nonce);
        Mem.putLongBe(input + 32, connectionId);
        Mem.putLongBe(input + 40, issuedNs);
    }
}
