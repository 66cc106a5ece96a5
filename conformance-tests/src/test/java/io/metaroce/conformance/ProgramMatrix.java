package io.metaroce.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** The rows of {@code programs.txt}, each with every MTU and loss it asks for. */
final class ProgramMatrix {
    private static final String SERVER = "10.78.0.1";

    private static final int TIMEOUT_S = 120;

    private ProgramMatrix() {}

    record Row(String group, String name, List<String> mtus, List<String> losses, String command, String prints) {}

    static List<Row> rows() {
        try (Stream<String> lines = Files.lines(Mroce.resource("programs.txt"))) {
            return lines.filter(l -> !l.isBlank() && !l.startsWith("#"))
                    .map(ProgramMatrix::row)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One test for each combination of the group's rows with their MTUs and losses. */
    static Stream<DynamicTest> tests(String group) {
        List<DynamicTest> tests = new ArrayList<>();
        for (Row row : rows()) {
            if (row.group().equals(group)) {
                for (String mtu : row.mtus()) {
                    for (String loss : row.losses()) {
                        String name = row.name() + ", MTU " + mtu + ", loss " + loss + " %";
                        tests.add(DynamicTest.dynamicTest(name, () -> run(row, mtu, loss)));
                    }
                }
            }
        }
        if (tests.isEmpty()) {
            throw new AssertionError("programs.txt has no group " + group);
        }
        return tests.stream();
    }

    private static void run(Row row, String mtu, String loss) {
        List<String> options = new ArrayList<>(List.of("--mtu", mtu));
        if (!loss.equals("0")) {
            options.addAll(List.of("--loss", loss));
        }
        Mroce.pair(options, TIMEOUT_S, row.command(), row.command() + " " + SERVER)
                .mustSucceed()
                .mustPrint(row.prints());
    }

    private static Row row(String line) {
        String[] cells = line.split("\\|", -1);
        if (cells.length != 6) {
            throw new AssertionError("programs.txt: six cells wanted: " + line);
        }
        return new Row(
                cells[0].strip(),
                cells[1].strip(),
                List.of(cells[2].strip().split(" +")),
                List.of(cells[3].strip().split(" +")),
                cells[4].strip(),
                cells[5].strip());
    }
}
