package io.metaroce.conformance;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The bandwidth programs of perftest. */
final class BandwidthProgramsTest {
    @TestFactory
    Stream<DynamicTest> end_with_0() {
        return ProgramMatrix.tests("bandwidth");
    }
}
