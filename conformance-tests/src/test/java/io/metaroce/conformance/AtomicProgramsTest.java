package io.metaroce.conformance;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The atomic programs of perftest. */
final class AtomicProgramsTest {
    @TestFactory
    Stream<DynamicTest> end_with_0() {
        return ProgramMatrix.tests("atomic");
    }
}
