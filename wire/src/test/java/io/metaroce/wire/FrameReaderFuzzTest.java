package io.metaroce.wire;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No bytes from outside make a decoder throw, read outside or contradict itself. In an ordinary test run the seeds are
 * replayed: all vectors. With {@code JAZZER_FUZZ=1} they are where the fuzzer starts.
 */
class FrameReaderFuzzTest {
    private static final long SEED = 0x5eed_f022L;
    private static final int MUTANTS = 200_000;

    static Stream<byte[]> seeds() {
        return Stream.of(Vector.packets(), Vector.drops(), Vector.ethernet())
                .flatMap(List::stream)
                .map(Vector::bytes);
    }

    @MethodSource("seeds")
    @FuzzTest
    void readsAnything(byte[] data) {
        Invariants.check(data);
    }

    @Test
    void readsSeededMutantsOfTheVectors() {
        List<byte[]> seeds = new ArrayList<>(seeds().filter(s -> s.length < 400).toList());
        int accepted = 0;
        for (int i = 0; i < MUTANTS; i++) {
            Random random = new Random(SEED + i);
            byte[] mutant = mutate(seeds.get(random.nextInt(seeds.size())), random);
            try {
                Invariants.check(mutant);
            } catch (Throwable t) {
                throw new AssertionError("mutant " + i + " of seed 0x" + Long.toHexString(SEED), t);
            }
            accepted += Invariants.accepted(mutant) ? 1 : 0;
        }
        int mutants = accepted;
        assertTrue(mutants > MUTANTS / 20, () -> "only " + mutants + " were accepted: the mutants are too wild");
        assertTrue(mutants < MUTANTS / 2, () -> mutants + " were accepted: the mutants are too tame");
    }

    private static byte[] mutate(byte[] seed, Random random) {
        byte[] data = seed.clone();
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes && data.length > 0; i++) {
            int at = random.nextInt(data.length);
            switch (random.nextInt(4)) {
                case 0 -> data[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> data[at] = (byte) random.nextInt(256);
                case 2 -> data[at] = (byte) (random.nextBoolean() ? 0 : 0xff);
                default -> data = Arrays.copyOf(data, Math.max(0, data.length + random.nextInt(-20, 21)));
            }
        }
        return data;
    }
}
