package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class InternetChecksumTest {
    private static int sum(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        long addr = Mem.alloc(Math.max(1, bytes.length));
        try {
            Mem.copy(bytes, 0, addr, bytes.length);
            return InternetChecksum.fold(InternetChecksum.add(0, addr, bytes.length));
        } finally {
            Mem.free(addr);
        }
    }

    @Test
    void addsTheExampleOfRfc1071Section3() {
        // "0001 f203 f4f5 f6f7": the sum is 2ddf0, folded ddf2.
        assertEquals(0xddf2, sum("0001f203f4f5f6f7"));
    }

    @Test
    void padsAnOddLastByte() {
        assertEquals(0x0203, sum("000102" + "02"));
        assertEquals(0x0201, sum("000102"));
        assertEquals(0xff00, sum("ff"));
        assertEquals(0, sum(""));
    }

    @Test
    void carriesWrapAround() {
        assertEquals(0x0001, sum("ffff0001"));
        assertEquals(0xffff, sum("ffff".repeat(4000)));
    }

    @Test
    void checksTheIpv4HeaderThatIsOftenPrinted() {
        // 192.168.0.1 to 192.168.0.199, UDP, 115 bytes, checksum b861.
        byte[] bytes = HexFormat.of().parseHex("4500007300004000" + "4011b861c0a80001c0a800c7");
        long addr = Mem.alloc(20);
        try {
            Mem.copy(bytes, 0, addr, 20);
            assertTrue(Ipv4Header.checksumFits(addr, 20));
            Ipv4Header.checksum(addr, 0xb862);
            assertFalse(Ipv4Header.checksumFits(addr, 20));
            Ipv4Header.put(addr, 0xc0a80001, 0xc0a800c7, 0, 0, 64, 95);
            assertEquals(0xb861, Ipv4Header.checksum(addr));
        } finally {
            Mem.free(addr);
        }
    }

    @Test
    void agreesWithAddingTwoBytesAtATime() {
        long seed = 0x5eed_0003L;
        Random random = new Random(seed);
        long addr = Mem.alloc(2048);
        try {
            byte[] bytes = new byte[2000];
            for (int round = 0; round < 500; round++) {
                random.nextBytes(bytes);
                int length = random.nextInt(bytes.length);
                int shift = random.nextInt(8);
                Mem.copy(bytes, 0, addr + shift, length);
                int expected = 0;
                for (int i = 0; i < length; i++) {
                    expected += (bytes[i] & 0xff) << (i % 2 == 0 ? 8 : 0);
                    expected = (expected & 0xffff) + (expected >>> 16);
                }
                int cut = random.nextInt(length / 2 + 1) * 2;
                long sum = InternetChecksum.add(0, addr + shift, cut);
                sum = InternetChecksum.add(sum, addr + shift + cut, length - cut);
                assertEquals(expected, InternetChecksum.fold(sum), "seed " + seed + " round " + round);
            }
        } finally {
            Mem.free(addr);
        }
    }
}
