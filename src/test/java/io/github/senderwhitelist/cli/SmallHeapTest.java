package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Commands with usual options in a Java whose heap is small. */
class SmallHeapTest {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({"24, 2, blocked", "64, 100000, blocked"})
    void shouldBuildAndCheckLists(int megabytes, int entries, String filter) throws Exception {
        requireBuiltAndChecked(megabytes, entries, 0, filter);
    }

    /** The blocks of long entries take more memory than there is. */
    @Tag("large")
    @ParameterizedTest
    @CsvSource({"64, 100000, 0, ribbon", "64, 400000, 0, blocked", "48, 200000, 34, blocked"})
    void shouldBuildAndCheckMore(int megabytes, int entries, int words, String filter)
            throws Exception {
        requireBuiltAndChecked(megabytes, entries, words, filter);
    }

    private void requireBuiltAndChecked(int megabytes, int entries, int words, String filter)
            throws Exception {
        // Each has a note of its own, since what many have in common takes little.
        String note = words == 0 ? "" : " note=" + "remark ".repeat(words);
        Files.write(
                folder.resolve("list"),
                IntStream.range(0, entries)
                        .mapToObj(i -> address(i) + (words == 0 ? "" : note + i))
                        .toList());
        Program program = new Program(folder, "", "C.UTF-8", "-Xmx" + megabytes + "m");
        String last = address(entries - 1);
        for (String command :
                List.of(
                        "build F/list -o F/list.swl --filter " + filter,
                        "check F/list.swl " + last,
                        "check F/list " + last)) {
            Program.Result result = program.run("whitelist " + command);
            assertThat(result.exit()).as(result.err()).isZero();
        }
    }

    private static String address(int i) {
        return "user" + i + "@d" + i % 1000 + ".example";
    }
}
