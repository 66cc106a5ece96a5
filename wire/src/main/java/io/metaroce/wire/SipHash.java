package io.metaroce.wire;

/** SipHash-2-4 (Aumasson and Bernstein, 2012) over native memory; allocates nothing. */
public final class SipHash {
    private SipHash() {}

    /**
     * The 64-bit hash of {@code length} bytes.
     *
     * @param k0 the key's first eight bytes, as a little-endian number
     * @param k1 the key's last eight bytes, as a little-endian number
     */
    public static long hash(long k0, long k1, long addr, int length) {
        long v0 = k0 ^ 0x736f6d6570736575L;
        long v1 = k1 ^ 0x646f72616e646f6dL;
        long v2 = k0 ^ 0x6c7967656e657261L;
        long v3 = k1 ^ 0x7465646279746573L;
        int whole = length & ~7;
        long last = lastWord(addr + whole, length);
        // One pass per word, one for the padded last word, two for finalisation (four rounds).
        for (int i = 0; i <= whole + 16; i += 8) {
            long word = i < whole ? Mem.getLongLe(addr + i) : i == whole ? last : 0;
            if (i == whole + 8) {
                v2 ^= 0xff;
            }
            v3 ^= word;
            for (int round = 0; round < 2; round++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= word;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static long lastWord(long addr, int length) {
        long word = (long) length << 56;
        for (int i = 0; i < (length & 7); i++) {
            word |= (long) Mem.getUnsignedByte(addr + i) << (8 * i);
        }
        return word;
    }
}
