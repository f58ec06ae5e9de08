package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.list.ListLine;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

class MainTest extends CommandTest {
    private String list = "";

    @BeforeEach
    void begin() throws IOException {
        list = folder.resolve("list.txt").toString();
        Files.writeString(
                Path.of(list), "alice@example.com\n!bob@example.org\n@example.org\n@münchen.de\n");
    }

    /** One more line says how many there are; --verbose prints them all. */
    @Test
    void shouldComplainOfTenSendersAtMost() {
        System.setIn(new ByteArrayInputStream("none\n".repeat(25).getBytes(UTF_8)));
        assertThat(run("check", list, "-")).isEqualTo(1);
        assertThat(err().lines())
                .hasSize(11)
                .last()
                .isEqualTo("and 15 more like these; --verbose prints all");
        err.reset();
        System.setIn(new ByteArrayInputStream("none\n".repeat(25).getBytes(UTF_8)));
        run("check", "--verbose", list, "-");
        assertThat(err().lines()).hasSize(25);
    }

    private void shouldAnswer(String input, String... lines) {
        System.setIn(new ByteArrayInputStream(input.getBytes(UTF_8)));
        assertThat(run("check", list, "-")).isEqualTo(1);
        assertThat(out()).isEqualTo(String.join("\n", lines) + "\n");
    }

    /** Only the beginning is kept, and is not taken for the line, even if it is an address. */
    @Test
    void shouldNotListTheBeginningOfALongLine() {
        String beginning = "alice@example.com" + " ".repeat(ListLine.MAX_BYTES - 17);
        shouldAnswer(
                beginning + "x".repeat(1 << 20) + "\nalice@example.com\n" + beginning + "x",
                beginning + "\\u0000\tnot-listed\tmalformed\t",
                "alice@example.com\tlisted\tlisted\talice@example.com",
                beginning + "\\u0000\tnot-listed\tmalformed\t");
    }

    /** A program that asks line by line waits for each answer before its next question. */
    @Test
    @Timeout(600)
    void shouldAnswerBeforeItWaitsForMore() throws Exception {
        PipedInputStream in = new PipedInputStream();
        PipedInputStream answers = new PipedInputStream();
        OutputStream questions = new PipedOutputStream(in);
        try (OutputStream output = new PipedOutputStream(answers);
                BufferedReader reader = new BufferedReader(new InputStreamReader(answers, UTF_8))) {
            System.setIn(in);
            Thread program = new Thread(() -> Main.run(output, "check", list, "-"));
            program.start();
            questions.write("ali".getBytes(UTF_8));
            for (int i = 0; i < 3; i++) {
                // The beginning of the next question must not hold back this answer.
                questions.write("ce@example.com\nali".getBytes(UTF_8));
                questions.flush();
                assertThat(reader.readLine())
                        .isEqualTo("alice@example.com\tlisted\tlisted\talice@example.com");
            }
            questions.close();
            assertThat(reader.readLine()).isEqualTo("ali\tnot-listed\tmalformed\t");
            program.join();
        }
    }

    @Test
    void shouldPrintAStackTraceOnlyWhenAskedTo() {
        assertThat(run()).isEqualTo(2);
        assertThat(err()).endsWith("see 'whitelist --help'\n").hasLineCount(1);
        assertThat(run("--verbose", "check", "/nowhere/\u001b[2J", "a@b.example")).isEqualTo(2);
        assertThat(err()).contains("    at ", "/nowhere/\\u001b[2J").doesNotContain("\u001b");
    }

    @Test
    void shouldLeaveNothingBehind() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        run("check", list, "alice@example.com");

        try (var files = Files.list(temporary)) {
            assertThat(files.map(Path::getFileName).map(Path::toString))
                    .noneMatch(name -> name.startsWith(Disk.TEMPORARY_PREFIX));
        }
    }
}
