package io.metaroce.conformance;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The RC ping-pong of libibverbs, which checks what it receives (-c). */
final class PingpongProgramsTest {
    @TestFactory
    Stream<DynamicTest> end_with_0() {
        return ProgramMatrix.tests("pingpong");
    }
}
