package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Tests that every failure is one line and gives exit code 2. */
class FailuresTest {
    @TempDir Path folder;
    private String list = "";

    @BeforeEach
    void makeList() throws IOException {
        list = Files.writeString(folder.resolve("list.txt"), "a@b.example\n").toString();
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new NoSuchFileException("/x/y"), "/x/y: no such file"),
                Arguments.of(new AccessDeniedException("/x/y"), "/x/y: no permission (this"),
                Arguments.of(
                        new FileSystemException("/x/y", null, "File name too long"),
                        "/x/y: File name too long"),
                Arguments.of(
                        new NoSuchFileException("/tmp/.swl-temporary-b4bba43afa9faef8"),
                        "/tmp: no such file"),
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
        assertThat(Complaints.message(failure)).startsWith(message);
    }

    @Test
    void shouldSayWhatToSetWhenMemoryIsShort() throws Exception {
        Program.Result result = buildInTooSmallAHeap("--seed=1");

        shouldBeOneLine(result, "out of memory", "-Xmx", "--memory");
    }

    /** Runs a build whose filter and sorting memory together exceed the heap. */
    private Program.Result buildInTooSmallAHeap(String option) throws Exception {
        Path large = folder.resolve("large.txt");
        Files.write(
                large,
                IntStream.range(0, 300_000).mapToObj(i -> "user" + i + "@a.example").toList());
        return new Program(folder)
                .java("-Xmx12m")
                .run(
                        "\"$@\"",
                        "build",
                        large.toString(),
                        "-o",
                        folder.resolve("x.swl").toString(),
                        "--bits-per-address=64",
                        option);
    }

    @Test
    void shouldSayThatAPartOfTheProgramIsMissing() throws Exception {
        Files.writeString(folder.resolve("list.csv"), "Value,Action\na@b.example,Allow\n");
        Program.Result result =
                new Program(folder)
                        .withoutJar("fastcsv")
                        .run(
                                "\"$@\"",
                                "build",
                                "--from",
                                "m365",
                                folder.resolve("list.csv").toString(),
                                "-o",
                                folder.resolve("x.swl").toString());

        shouldBeOneLine(result, "a part of the program", "siegmar");
    }

    @Test
    void shouldNameStandardInput() throws Exception {
        Program.Result result = new Program(folder).run("\"$@\" < " + folder, "check", list, "-");

        shouldBeOneLine(result, "standard input: Is a directory");

        String target = folder.resolve("x.swl").toString();
        result = new Program(folder).run("\"$@\" < " + folder, "build", "-", "-o", target);

        shouldBeOneLine(result, "standard input: Is a directory");
    }

    @Test
    void shouldNotReplaceAListThatIsStandardInput() throws Exception {
        Path text = Files.writeString(folder.resolve("in.txt"), "alice@example.com\n");
        Program.Result result =
                new Program(folder).run("\"$@\" < " + text, "build", "-", "-o", text.toString());

        shouldBeOneLine(result, "in.txt: the list on standard input itself; nothing was written");
        assertThat(text).hasContent("alice@example.com\n");
    }

    /** Converters of options run before any command does, so their failures take another way. */
    @Test
    void shouldSayThatAPartIsMissingForAnOption() throws Exception {
        Program.Result result =
                new Program(folder)
                        .withoutJar("icu4j")
                        .run("\"$@\"", "check", list, "--to", "b@xn--c-cfa.example", "a@b.example");

        shouldBeOneLine(result, "a part of the program", "icu");
    }

    /** What is not loaded makes the start short. */
    @ParameterizedTest
    @ValueSource(strings = {"icu4j", "caffeine"})
    void shouldCheckPlainAddressesWithoutTheLargeParts(String part) throws Exception {
        Program.Result result =
                new Program(folder).withoutJar(part).run("\"$@\"", "check", list, "A@b.example");

        assertThat(result)
                .isEqualTo(new Program.Result(0, "A@b.example\tlisted\tlisted\ta@b.example\n", ""));
    }

    private static void shouldBeOneLine(Program.Result result, String... parts) {
        assertThat(result.err().lines()).as(result.err()).hasSize(1);
        assertThat(result.err()).contains(parts);
        assertThat(result.exit()).isEqualTo(2);
    }

    @Test
    void shouldPrintWhereAnErrorHappenedWhenAskedTo() throws Exception {
        Program.Result result = buildInTooSmallAHeap("--verbose");

        assertThat(result.err()).startsWith("out of memory").contains("\n    at ");
        assertThat(result.exit()).isEqualTo(2);
    }

    /** Names of files are escaped before they reach the terminal. */
    @ParameterizedTest
    @ValueSource(strings = {"info", "export", "verify", "check", "build", "diff"})
    void shouldEscapeNamesOfFiles(String command) throws Exception {
        String name = folder.resolve("no\u001b[31mne\n\u202e").toString();
        Program.Result result = new Program(folder).run("\"$@\"", arguments(command, name));

        shouldBeOneLine(result, "no\\u001b[31mne\\u000a\\u202e");
    }

    private String[] arguments(String command, String name) {
        return switch (command) {
            case "check" -> new String[] {command, name, "a@b.example"};
            case "build" -> new String[] {command, name, "-o", folder.resolve("x").toString()};
            case "diff" -> new String[] {command, name, name};
            default -> new String[] {command, name};
        };
    }

    @Test
    void shouldEscapeNamesOfFilesInAnswers() throws Exception {
        Path odd = Files.copy(Path.of(list), folder.resolve("o\u001bd.txt"));
        Path snapshot = folder.resolve("o\u001bd.swl");
        Program.Result built =
                new Program(folder).run("\"$@\"", "build", odd.toString(), "-o", "" + snapshot);
        assertThat(built.out()).contains("o\\u001bd.swl").doesNotContain("\u001b");
        Program.Result verified =
                new Program(folder)
                        .run("\"$@\"", "verify", "" + snapshot, "--against", odd.toString());
        assertThat(verified.out()).contains("o\\u001bd.txt").doesNotContain("\u001b");
    }
}
