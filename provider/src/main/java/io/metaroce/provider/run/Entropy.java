package io.metaroce.provider.run;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Secret numbers of a process, from the kernel's generator (random(4)); java.security would cost a good part of the start-up. */
final class Entropy {
    private Entropy() {}

    /** Some random numbers, none of them 0. */
    static long[] longs(int count) {
        long[] numbers = new long[count];
        try (DataInputStream in = new DataInputStream(Files.newInputStream(Path.of("/dev/urandom")))) {
            for (int i = 0; i < count; i++) {
                while (numbers[i] == 0) {
                    numbers[i] = in.readLong();
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot read /dev/urandom", e);
        }
        return numbers;
    }
}
