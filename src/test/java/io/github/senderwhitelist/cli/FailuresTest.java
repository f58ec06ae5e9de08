package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** How commands fail: in one line, with exit code 2; and in how little memory they do not. */
class FailuresTest {
    @TempDir private Path folder;

    @BeforeEach
    void makeList() throws IOException {
        Files.writeString(folder.resolve("list.txt"), "a@b.example\n");
        Files.writeString(folder.resolve("list.csv"), "Value,Action\na@b.example,Allow\n");
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(
                        new AccessDeniedException("/x/y", null, "no permission"),
                        "/x/y: no permission (this"),
                Arguments.of(
                        new FileSystemException("/x/y", null, "File name too long"),
                        "/x/y: File name too long"),
                Arguments.of(new IOException("list: bad"), "list: bad"),
                Arguments.of(new UncheckedIOException(new IOException("list: bad")), "list: bad"),
                Arguments.of(
                        new IOException("merging failed", new OutOfMemoryError("Java heap space")),
                        "out of memory (Java heap space) with a heap of "),
                Arguments.of(new OutOfMemoryError("threads"), "out of memory (threads)"),
                Arguments.of(new NoClassDefFoundError("x/Y"), "a part of the program, or of Java"),
                Arguments.of(new AssertionError("x"), "unexpected: java.lang.AssertionError: x ("),
                Arguments.of(
                        new IllegalStateException("x"),
                        "unexpected: java.lang.IllegalStateException: x ("));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void shouldSayWhatHappenedAndToWhat(Throwable failure, String message) {
        assertThat(Messages.of(failure)).startsWith(message);
    }

    private void shouldFail(Program program, String line, String... parts) throws Exception {
        Program.Result result = program.run(line);
        assertThat(result.err()).hasLineCount(1).contains(parts);
        assertThat(result.exit()).isEqualTo(2);
    }

    /** Filter and sorting memory together exceed the heap. */
    @Test
    void shouldSayWhatToSetWhenMemoryIsShort() throws Exception {
        Files.write(
                folder.resolve("large.txt"),
                IntStream.range(0, 300_000).mapToObj(i -> "user" + i + "@a.example").toList());
        shouldFail(
                new Program(folder, "", "C.UTF-8", "-Xmx12m"),
                "whitelist build F/large.txt -o F/x.swl --bits-per-address=64",
                "out of memory",
                "-Xmx",
                "--memory");
    }

    @Test
    void shouldSayThatAPartOfTheProgramIsMissing() throws Exception {
        shouldFail(
                new Program(folder, "fastcsv", "C.UTF-8"),
                "whitelist build --from m365 F/list.csv -o F/x.swl",
                "a part of the program",
                "siegmar");
    }

    @ParameterizedTest
    @CsvSource({
        "whitelist check F/list.txt - < F/, standard input: Is a directory",
        "whitelist build - -o F/x.swl < F/, standard input: Is a directory",
        "whitelist build - -o F/list.txt < F/list.txt, /list.txt: the list itself",
    })
    void shouldNameStandardInput(String line, String message) throws Exception {
        shouldFail(new Program(folder), line, message);
        assertThat(folder.resolve("list.txt")).hasContent("a@b.example\n");
    }

    /** What is not loaded makes the start short. */
    @ParameterizedTest
    @ValueSource(strings = {"icu4j", "caffeine"})
    void shouldCheckPlainAddressesWithoutTheLargeParts(String part) throws Exception {
        assertThat(
                        new Program(folder, part, "C.UTF-8")
                                .run("whitelist check F/list.txt A@b.example"))
                .isEqualTo(new Program.Result(0, "A@b.example\tlisted\tlisted\ta@b.example\n", ""));
    }

    @ParameterizedTest
    @CsvSource({"24, 2", "64, 100000"})
    void shouldBuildAndCheckListsInASmallHeap(int megabytes, int entries) throws Exception {
        requireBuiltAndChecked(megabytes, entries, 0, "blocked");
    }

    /** The blocks of long entries take more memory than there is. */
    @Tag("large")
    @ParameterizedTest
    @CsvSource({"64, 100000, 0, ribbon", "64, 400000, 0, blocked", "48, 200000, 34, blocked"})
    void shouldBuildAndCheckMoreInASmallHeap(int megabytes, int entries, int words, String filter)
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
