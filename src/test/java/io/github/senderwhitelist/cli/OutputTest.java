package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Standard output: full, closed, in large pieces, and in UTF-8. */
class OutputTest {
    private static final int ENTRIES = 20_000;

    @TempDir Path folder;
    private String list = "";
    private String snapshot = "";

    @BeforeEach
    void makeLists() throws IOException {
        list = folder.resolve("list.txt").toString();
        snapshot = folder.resolve("list.swl").toString();
        Files.write(
                Path.of(list),
                IntStream.range(0, ENTRIES).mapToObj(i -> "user" + i + "@example.com").toList());
        assertThat(Main.run(OutputStream.nullOutputStream(), "build", list, "-o", snapshot))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "export SNAPSHOT",
                "check LIST user1@example.com",
                "info SNAPSHOT",
                "diff SNAPSHOT SNAPSHOT2",
                "verify SNAPSHOT",
                "plan --addresses 9",
                "--help"
            })
    void shouldFailWhenItsOutputIsNotTaken(String line) throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/dev/full")));
        Path other = Files.writeString(folder.resolve("other.txt"), "bob@example.com\n");
        String second = folder.resolve("other.swl").toString();
        Main.run(OutputStream.nullOutputStream(), "build", other.toString(), "-o", second);
        Program.Result result =
                new Program(folder)
                        .run(
                                "\"$@\" > /dev/full",
                                line.replace("SNAPSHOT2", second)
                                        .replace("SNAPSHOT", snapshot)
                                        .replace("LIST", list)
                                        .split(" "));

        assertThat(result.err()).isEqualTo("standard output: No space left on device\n");
        assertThat(result.exit()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"export SNAPSHOT", "check SNAPSHOT -"})
    void shouldEndQuietlyWhenItsReaderHasGone(String line) throws Exception {
        Program.Result result =
                new Program(folder)
                        .run(
                                "{ \"$@\" < " + list + "; echo $? >&2; } | head -1",
                                line.replace("SNAPSHOT", snapshot).split(" "));

        assertThat(result.out().lines()).singleElement().asString().startsWith("user0@example.com");
        assertThat(result.err()).isEqualTo(Main.READER_GONE + "\n");
    }

    /** Counts how often it is written to. */
    private static final class Counting extends ByteArrayOutputStream {
        int writes;

        @Override
        public synchronized void write(int b) {
            writes++;
            super.write(b);
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            writes++;
            super.write(bytes, from, length);
        }
    }

    @Test
    void shouldWriteInLargePieces() {
        Counting out = new Counting();

        assertThat(Main.run(out, "export", snapshot)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(ENTRIES);
        assertThat(out.writes).isLessThanOrEqualTo(1 + out.size() / 60_000);
    }

    /** Arguments are in the locale's encoding. Everything else is UTF-8. */
    @Test
    void shouldReadAndWriteUtf8WhateverTheLocale() throws Exception {
        Path umlauts = Files.writeString(folder.resolve("umlauts.txt"), "jürgen@bücher.example\n");
        Files.writeString(folder.resolve("input"), "jürgen@bücher.example\n");
        Program.Result result =
                new Program(folder)
                        .environment(Map.of("LC_ALL", "C"))
                        .run(
                                "\"$@\" < " + folder.resolve("input"),
                                "check",
                                umlauts.toString(),
                                "-");

        assertThat(result.out())
                .isEqualTo("jürgen@bücher.example\tlisted\tlisted\tjürgen@xn--bcher-kva.example\n");
        assertThat(result.exit()).isZero();
    }

    /** With characters lost, the address would be another one, and the answer wrong. */
    @Test
    void shouldRefuseArgumentsThatDoNotFitTheLocale() throws Exception {
        Program.Result result =
                new Program(folder)
                        .environment(Map.of("LC_ALL", "C"))
                        .run("\"$@\" $(printf 'orders@b\\303\\274cher.example')", "check", list);

        assertThat(result.err().lines())
                .singleElement()
                .asString()
                .contains("'orders@b")
                .contains("LC_ALL=C.UTF-8", "standard input ('-')");
        assertThat(result.out()).isEmpty();
        assertThat(result.exit()).isEqualTo(2);
    }

    /** Some locales have digits of their own, and Turkish has letters of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"ar-EG", "fa-IR", "tr-TR"})
    void shouldDoTheSameWhateverTheLanguage(String language) throws Exception {
        String[] parts = language.split("-", -1);
        Program program =
                new Program(folder)
                        .java("-Duser.language=" + parts[0], "-Duser.country=" + parts[1]);
        String database = "jdbc:sqlite:" + folder.resolve(language);
        String[] place = {"--database", database};
        String entry = "ISTANBUL@x.example until=2040-01-31 to=me@y.example origin=user";

        assertThat(
                        program.run(
                                        "\"$@\"",
                                        of("add", place, "own", "--create", entry, "b@x.example"))
                                .out())
                .isEqualTo("own: 2 added, 0 unchanged\n");
        assertThat(program.run("\"$@\"", of("rename", place, "me@y.example", "you@y.example")))
                .isEqualTo(
                        new Program.Result(
                                0, "own: 1 entry of me@y.example is now of you@y.example\n", ""));
        assertThat(program.run("\"$@\"", of("export", place, "own")).out().lines())
                .containsExactlyInAnyOrder(
                        "b@x.example",
                        "istanbul@x.example until=2040-01-31 to=you@y.example origin=user");
        assertThat(program.run("\"$@\"", "info", snapshot).out())
                .isEqualTo(new Program(folder).run("\"$@\"", "info", snapshot).out())
                .containsPattern("addresses +" + ENTRIES + "\n");
    }

    private static String[] of(String command, String[] place, String... arguments) {
        return Stream.of(new String[] {command}, place, arguments)
                .flatMap(Stream::of)
                .toArray(String[]::new);
    }
}
