package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.ChildJava;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
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
        requireBuiltAndChecked(megabytes, entries, "", filter);
    }

    @Tag("large")
    @ParameterizedTest
    @CsvSource({"64, 100000, ribbon", "64, 400000, blocked"})
    void shouldBuildAndCheckMore(int megabytes, int entries, String filter) throws Exception {
        requireBuiltAndChecked(megabytes, entries, "", filter);
    }

    /** Their blocks take more memory than there is. */
    @Tag("large")
    @Test
    void shouldBuildAndCheckLargeEntries() throws Exception {
        requireBuiltAndChecked(48, 200_000, " note=" + "remark ".repeat(34), "blocked");
    }

    /** Returns a note of its own for an entry, since what many have in common takes little. */
    private static String note(String note, int entry) {
        return note.isEmpty() ? "" : note + entry;
    }

    private void requireBuiltAndChecked(int megabytes, int entries, String note, String filter)
            throws Exception {
        Path list = folder.resolve("list.txt");
        Files.write(
                list,
                IntStream.range(0, entries)
                        .mapToObj(i -> "user" + i + "@d" + i % 1000 + ".example" + note(note, i))
                        .toList());
        String snapshot = folder.resolve("list.swl").toString();

        run(megabytes, "build", list.toString(), "-o", snapshot, "--filter", filter);

        String last = "user" + (entries - 1) + "@d" + (entries - 1) % 1000 + ".example";
        run(megabytes, "check", snapshot, last);
        run(megabytes, "check", list.toString(), last);
    }

    private void run(int megabytes, String command, String... arguments)
            throws IOException, InterruptedException {
        List<String> line = ChildJava.running(Main.class, "-Xmx" + megabytes + "m");
        line.add(command);
        line.addAll(List.of(arguments));
        Path said = folder.resolve("said");
        Process process =
                new ProcessBuilder(line)
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        assertThat(process.waitFor()).as(Files.readString(said)).isZero();
    }
}
