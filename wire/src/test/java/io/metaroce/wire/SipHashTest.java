package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/**
 * The vectors published with SipHash: key 00 01 .. 0f, message of n bytes 00 01 .. n-1 (Aumasson and Bernstein, "SipHash: a
 * fast short-input PRF", appendix A has n = 15; the others are from the reference implementation's vectors.h).
 */
class SipHashTest {
    private static final long K0 = 0x0706050403020100L;
    private static final long K1 = 0x0f0e0d0c0b0a0908L;

    private static long hashOfCountingBytes(int length) {
        long addr = Mem.alloc(64);
        try {
            for (int i = 0; i < 64; i++) {
                Mem.putByte(addr + i, i < length ? i : 0xee);
            }
            return SipHash.hash(K0, K1, addr, length);
        } finally {
            Mem.free(addr);
        }
    }

    @Test
    void agreesWithThePublishedVectors() {
        assertEquals(0xa129ca6149be45e5L, hashOfCountingBytes(15));
        assertEquals(0x726fdb47dd0e0e31L, hashOfCountingBytes(0));
        assertEquals(0x74f839c593dc67fdL, hashOfCountingBytes(1));
        assertEquals(0x93f5f5799a932462L, hashOfCountingBytes(8));
        assertEquals(0x958a324ceb064572L, hashOfCountingBytes(63));
    }

    @Test
    void aTagIsTheFirstFourBytesOfTheHash() {
        long frame = Mem.alloc(64);
        try {
            for (int i = 0; i < 15; i++) {
                Mem.putByte(frame + i, i);
            }
            // The hash e5 45 be 49 61 ca 29 a1 as bytes; the key 00 01 .. 0f as two numbers in network order.
            FrameTag.seal(frame, 15, 9, 0x0001020304050607L, 0x08090a0b0c0d0e0fL);
            assertEquals(0xe545be49, Mem.getIntBe(frame + 24));
            assertEquals(0x49be45e5, FrameTag.get(frame + 24));
        } finally {
            Mem.free(frame);
        }
    }
}
