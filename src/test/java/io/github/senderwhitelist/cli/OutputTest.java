package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.IntStream;

/** Standard output: full, closed, in large pieces, and in UTF-8. */
class OutputTest extends CommandTest {
    private static final int ENTRIES = 20_000;

    @BeforeEach
    void makeLists() throws IOException {
        Files.write(
                folder.resolve("list.txt"),
                IntStream.range(0, ENTRIES).mapToObj(i -> "user" + i + "@example.com").toList());
        Files.writeString(folder.resolve("other.txt"), "jürgen@bücher.example\n");
        String list = folder.resolve("list.txt").toString();
        String snapshot = folder.resolve("list.swl").toString();
        Main.run(OutputStream.nullOutputStream(), "build", list, "-o", snapshot);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "export F/list.swl",
                "check F/list.txt user1@example.com",
                "info F/list.swl",
                "diff F/list.swl F/other.txt",
                "verify F/list.swl",
                "plan --addresses 9",
                "--help"
            })
    void shouldFailWhenItsOutputIsNotTaken(String line) throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/dev/full")));
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            assertThat(Main.run(full, line.replace("F/", folder + "/").split(" ", -1)))
                    .isEqualTo(Main.FAILURE);
        }
    }

    @Test
    void shouldSayWhyItsOutputIsNotTaken() throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/dev/full")));
        assertThat(
                        new Program(folder)
                                .run("whitelist check F/list.txt user1@x.example > /dev/full"))
                .isEqualTo(new Program.Result(2, "", "standard output: No space left on device\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"export F/list.swl", "check F/list.swl -"})
    void shouldEndQuietlyWhenItsReaderHasGone(String line) throws Exception {
        Program.Result result =
                new Program(folder)
                        .run("{ whitelist " + line + " < F/list.txt; echo $? >&2; } | head -1");

        assertThat(result.out().lines()).singleElement().asString().startsWith("user0@example.com");
        assertThat(result.err()).isEqualTo(Main.FAILURE + "\n");
    }

    /** Arguments are in the locale's encoding. Everything else is UTF-8. */
    @Test
    void shouldReadAndWriteUtf8WhateverTheLocale() throws Exception {
        String line = "whitelist check F/other.txt - < F/other.txt";
        assertThat(new Program(folder, "", "C").run(line).out())
                .isEqualTo("jürgen@bücher.example\tlisted\tlisted\tjürgen@xn--bcher-kva.example\n");
    }

    /** With characters lost, the address would be another one, and the answer wrong. */
    @Test
    void shouldRefuseArgumentsThatDoNotFitTheLocale() throws Exception {
        String line = "whitelist check F/list.txt $(printf 'orders@b\\303\\274cher.example')";
        Program.Result result = new Program(folder, "", "C").run(line);

        assertThat(result.err())
                .hasLineCount(1)
                .contains("'orders@b", "LC_ALL=C.UTF-8", "standard input ('-')");
        assertThat(result.out()).isEmpty();
        assertThat(result.exit()).isEqualTo(2);
    }

    /** Some locales have digits of their own, and Turkish has letters of its own. */
    @ParameterizedTest
    @CsvSource({"ar, EG", "fa, IR", "tr, TR"})
    void shouldDoTheSameWhateverTheLanguage(String language, String country) {
        String place = "--database=jdbc:sqlite:file://" + path("db");
        String entry = "ISTANBUL@x.example until=2040-01-31 to=me@y.example origin=user";
        String info = printed("info", path("list.swl"));
        Locale usual = Locale.getDefault();
        Locale.setDefault(Locale.of(language, country));
        try {
            assertThat(printed("add", "own", "--create", "b@x.example", entry, place))
                    .isEqualTo("own: 2 added, 0 unchanged\n");
            assertThat(printed("rename", "me@y.example", "you@y.example", place))
                    .isEqualTo("own: 1 entry of me@y.example is now of you@y.example\n");
            assertThat(printed("export", "own", place))
                    .isEqualTo(
                            """
                            b@x.example
                            istanbul@x.example until=2040-01-31 to=you@y.example origin=user
                            """);
            assertThat(printed("info", path("list.swl")))
                    .isEqualTo(info)
                    .containsPattern("addresses +" + ENTRIES + "\n");
        } finally {
            Locale.setDefault(usual);
        }
    }

    private String printed(String... line) {
        out.reset();
        run(line);
        return out();
    }
}
