package io.metaroce.bench;

import io.metaroce.wire.AckHeader;
import io.metaroce.wire.FrameTag;
import io.metaroce.wire.Mem;
import java.util.Arrays;
import java.util.Locale;

/** What the SipHash tag of a packet costs: nanoseconds to compute it over the headers of the common kinds, the median of many rounds, as {@code key value} lines. */
public final class TagCost {
    private static final int ROUNDS = 41;
    private static final int TAGS = 200_000;
    private static final int COMMON_BYTES = 20;

    private TagCost() {}

    public static void main(String[] args) {
        long frame = Mem.alloc(256);
        for (int i = 0; i < 256; i++) {
            Mem.putByte(frame + i, (byte) (i * 37));
        }
        int[] bytes = {COMMON_BYTES, 44, 52, COMMON_BYTES + AckHeader.LENGTH + 16};
        String[] names = {"probe", "send", "write", "ack_with_a_block"};
        for (int k = 0; k < bytes.length; k++) {
            long[] ns = new long[ROUNDS];
            int sink = 0;
            for (int round = 0; round < ROUNDS; round++) {
                long startNs = System.nanoTime();
                for (int i = 0; i < TAGS; i++) {
                    Mem.putIntBe(frame + 8, i + sink); // the PSN: no two are alike, and each needs the one before
                    sink = FrameTag.compute(frame, bytes[k], 0x0123456789abcdefL, 0xfedcba9876543210L);
                }
                ns[round] = System.nanoTime() - startNs;
            }
            Arrays.sort(ns);
            System.out.printf(
                    Locale.ROOT,
                    "tag_%s_header_bytes %d%ntag_%s_ns %.1f%n",
                    names[k],
                    bytes[k],
                    names[k],
                    ns[ROUNDS / 2] / (double) TAGS);
        }
        Mem.free(frame);
    }
}
