package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.disk.Disk;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class MainTest extends CommandTest {
    private String list = "";

    @BeforeEach
    void begin() throws IOException {
        list = folder.resolve("list.txt").toString();
        Files.writeString(
                Path.of(list), "alice@example.com\n!bob@example.org\n@example.org\n@münchen.de\n");
    }

    @Test
    void shouldExitWithZeroWhenAllAreListed() {
        int exit =
                Main.run("check", list, "Alice+x@example.com", "carol@example.org", "x@MÜNCHEN.de");

        assertThat(out())
                .isEqualTo(
                        """
                        Alice+x@example.com\tlisted\tlisted\talice@example.com
                        carol@example.org\tlisted\tlisted\t@example.org
                        x@MÜNCHEN.de\tlisted\tlisted\t@xn--mnchen-3ya.de
                        """);
        assertThat(exit).isZero();
    }

    @Test
    void shouldTakeNoOptionForAnAddress() {
        assertThat(Main.run("check", list, "alice@example.com", "-x")).isEqualTo(2);
        assertThat(Main.run("check", "-", "-")).isEqualTo(2);
        assertThat(out()).isEmpty();
        assertThat(err()).contains("-x", "both LISTS and ADDRESS are '-'").hasLineCount(2);
    }

    @Test
    void shouldTakeAnAddressThatBeginsAsAnOption() {
        assertThat(Main.run("check", list, "--", "-V@example.com")).isEqualTo(1);
        assertThat(out()).startsWith("-V@example.com\tnot-listed\t");
    }

    @Test
    void shouldEscapeExplanations() {
        Main.run("check", list, "--explain", "a\u202eb@example.com");
        assertThat(out()).contains("\\u202e").doesNotContain("\u202e");
    }

    @Test
    void shouldExitWithOneWhenSomeAreNotListed() {
        int exit =
                Main.run(
                        "check", list, "alice@example.com", "bob@example.org", "x@y.example", "<>");

        assertThat(out())
                .isEqualTo(
                        """
                        alice@example.com\tlisted\tlisted\talice@example.com
                        bob@example.org\tnot-listed\tdenied\t!bob@example.org
                        x@y.example\tnot-listed\tstranger\t
                        <>\tnot-listed\tnull-sender\t
                        """);
        assertThat(exit).isEqualTo(1);
    }

    @Test
    void shouldJudgeConditionsAsToldTo() throws IOException {
        Files.writeString(
                Path.of(list),
                """
                alice@example.com until=2027-01-31 auth=dkim to=@here.example note=ticket
                !bob@example.com from=2027-01-01
                @example.com auth=none
                """);
        String alice = "alice@example.com until=2027-01-31 auth=dkim to=@here.example note=ticket";
        String[][] cases = {
            {"alice@example.com", "--to sam@here.example --auth dkim --at 2027-01-31", alice},
            {"alice@example.com", "--to sam@here.example --auth spf,dkim --at 2027-01-31", alice},
            {"alice@example.com", "--to sam@here.example --auth spf", "@example.com auth=none"},
            {"bob@example.com", "--at 2026-12-31", "@example.com auth=none"},
            {"bob@example.com", "--at 2027-01-01T00:00:00Z", "!bob@example.com from=2027-01-01"},
            {"alice@example.com", "--auth dkim:example.com", "@example.com auth=none"},
        };
        for (String[] example : cases) {
            out.reset();
            List<String> line = new ArrayList<>(List.of("check", list, example[0]));
            line.addAll(List.of(example[1].split(" ")));
            int exit = Main.run(line.toArray(new String[0]));
            assertThat(out().strip()).as(example[1]).endsWith("\t" + example[2]);
            assertThat(exit).isEqualTo(example[2].startsWith("!") ? 1 : 0);
        }
    }

    @Test
    void shouldExplain() throws IOException {
        Files.writeString(
                Path.of(list), "bob@partner.example auth=dkim to=@here.example\nx@y.example\n");
        int exit =
                Main.run(
                        "check",
                        list,
                        "--explain",
                        "--to",
                        "sam@here.example",
                        "bob+news@partner.example");

        assertThat(exit).isEqualTo(1);
        assertThat(out().lines().filter(line -> !line.contains("asked: ")))
                .containsExactly(
                        "policy: that of a mailet without parameters; --as NAME takes that of"
                                + " yours",
                        "bob+news@partner.example\tnot-listed\tunauthenticated\tbob@partner.example"
                                + " auth=dkim to=@here.example",
                        "    bob+news@partner.example: no entry",
                        "    bob@partner.example: entries for some recipients",
                        "    bob@partner.example to=@here.example: entry bob@partner.example"
                                + " auth=dkim to=@here.example",
                        "    bob@partner.example auth=dkim to=@here.example, for sam@here.example:"
                                + " unauthenticated",
                        "    @partner.example: no entry",
                        "    @.example: no entry",
                        "    verdict for sam@here.example: not listed, unauthenticated");
        assertThat(out())
                .containsPattern(
                        "    asked: 2 addresses, 0 domains, 1 for some recipients,"
                                + " built 2\\S+ from");
        out.reset();
        assertThat(Main.run("check", "--explain", list, "x@stranger.example")).isEqualTo(1);
        assertThat(out())
                .endsWith(
                        "verdict: not listed, stranger (no entry for this address, its domain or a"
                                + " parent domain)\n");
    }

    /** One more line says how many there are; --verbose prints them all. */
    @Test
    void shouldComplainOfTenSendersAtMost() {
        System.setIn(
                new ByteArrayInputStream("none\n".repeat(25).getBytes(StandardCharsets.UTF_8)));
        assertThat(Main.run("check", list, "-")).isEqualTo(1);
        assertThat(err().lines())
                .hasSize(11)
                .last()
                .isEqualTo("and 15 more like these; --verbose prints all");
        err.reset();
        System.setIn(
                new ByteArrayInputStream("none\n".repeat(25).getBytes(StandardCharsets.UTF_8)));
        Main.run("check", "--verbose", list, "-");
        assertThat(err().lines()).hasSize(25);
    }

    /** Line i of the output answers line i of the input, also for lines that are no addresses. */
    @Test
    void shouldAnswerEachLineOfStandardInput() {
        String longest = "bounce+" + "x".repeat(200) + "-1@example.com";
        shouldAnswer(
                "\ufeffalice@example.com\r\n"
                        + "\n"
                        + "  x@y.example \n"
                        + "<>\n"
                        + "a\tb\rc\u001b@example.com\n"
                        + longest
                        + "\nx@münchen.de",
                "alice@example.com\tlisted\tlisted\talice@example.com",
                "\tnot-listed\tnull-sender\t",
                "x@y.example\tnot-listed\tstranger\t",
                "<>\tnot-listed\tnull-sender\t",
                "a\\u0009b\\u000dc\\u001b@example.com\tnot-listed\tmalformed\t",
                longest + "\tnot-listed\tstranger\t",
                "x@münchen.de\tlisted\tlisted\t@xn--mnchen-3ya.de");
    }

    private void shouldAnswer(String input, String... lines) {
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        assertThat(Main.run("check", list, "-")).isEqualTo(1);
        assertThat(out()).isEqualTo(String.join("\n", lines) + "\n");
    }

    /** Only the beginning is kept, and is not taken for the line, even if it is an address. */
    @Test
    void shouldNotListTheBeginningOfALongLine() {
        String beginning = "alice@example.com" + " ".repeat((1 << 20) - 17);
        shouldAnswer(
                beginning + "x".repeat(1 << 20) + "\nalice@example.com\n" + beginning + "x",
                beginning + "\\u0000\tnot-listed\tmalformed\t",
                "alice@example.com\tlisted\tlisted\talice@example.com",
                beginning + "\\u0000\tnot-listed\tmalformed\t");
    }

    @Test
    void shouldReportNothingOfALineThatIsNotUtf8() {
        System.setIn(
                new ByteArrayInputStream(
                        "x@münchen.de\nalice@example.com\n".getBytes(StandardCharsets.ISO_8859_1)));
        assertThat(Main.run("check", list, "-")).isEqualTo(2);
        assertThat(out().lines())
                .containsExactly(
                        "x@m\ufffdnchen.de\tunavailable\tunavailable\t",
                        "alice@example.com\tlisted\tlisted\talice@example.com");
        assertThat(err().lines()).singleElement().asString().contains("not UTF-8");
    }

    /** A program that asks line by line waits for each answer before its next question. */
    @Test
    @Timeout(600)
    void shouldAnswerBeforeItWaitsForMore() throws Exception {
        PipedInputStream in = new PipedInputStream();
        PipedInputStream answers = new PipedInputStream();
        OutputStream questions = new PipedOutputStream(in);
        try (OutputStream output = new PipedOutputStream(answers);
                BufferedReader reader =
                        new BufferedReader(
                                new InputStreamReader(answers, StandardCharsets.UTF_8))) {
            System.setIn(in);
            Thread program = new Thread(() -> Main.run(output, "check", list, "-"));
            program.start();
            questions.write("ali".getBytes(StandardCharsets.UTF_8));
            for (int i = 0; i < 3; i++) {
                // The beginning of the next question must not hold back this answer.
                questions.write("ce@example.com\nali".getBytes(StandardCharsets.UTF_8));
                questions.flush();
                assertThat(reader.readLine())
                        .isEqualTo("alice@example.com\tlisted\tlisted\talice@example.com");
            }
            questions.close();
            assertThat(reader.readLine()).isEqualTo("ali\tnot-listed\tmalformed\t");
            program.join();
        }
    }

    /** Notes come from the list, and are printed to the terminal of whoever asks. */
    @Test
    void shouldEscapeEntriesToo() throws IOException {
        Files.writeString(Path.of(list), "a@b.example note=one\u2028two \u202ethree\n");
        assertThat(Main.run("check", list, "a@b.example")).isZero();
        assertThat(out())
                .isEqualTo(
                        "a@b.example\tlisted\tlisted\ta@b.example note=one\\u2028two"
                                + " \\u202ethree\n");
    }

    @Test
    void shouldSayWhyAnAddressIsNone() {
        int exit = Main.run("check", list, "no domain\u0007");

        assertThat(out()).isEqualTo("no domain\\u0007\tnot-listed\tmalformed\t\n");
        assertThat(err()).isEqualTo("no '@' in 'no domain\\u0007'; allowed: local@domain\n");
        assertThat(exit).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing.txt", "."})
    void shouldSayInOneLineWhyAListCannotBeUsed(String name) {
        int exit = Main.run("check", folder.resolve(name).toString(), "a@b.example");

        assertThat(err().lines()).hasSize(1);
        assertThat(err()).startsWith(folder.toString());
        assertThat(out()).isEmpty();
        assertThat(exit).isEqualTo(2);
    }

    @Test
    void shouldPrintAStackTraceOnlyWhenAskedTo() {
        assertThat(Main.run("--verbose", "check", "/nowhere/list", "a@b.example")).isEqualTo(2);
        assertThat(err()).contains("    at ");
    }

    @Test
    void shouldSayWhichLinesWereSkipped() throws IOException {
        Files.writeString(
                Path.of(list), "a@example.com\n".repeat(99) + "nonsense\nalice@example.com\n");
        int exit = Main.run("check", list, "alice@example.com");

        assertThat(err())
                .isEqualTo(
                        """
                        %s:100: no '@' in 'nonsense'; allowed: local@domain
                        1 bad line was skipped
                        """
                                .formatted(list));
        assertThat(exit).isZero();
    }

    @Test
    void shouldComplainOfEachBadLineOnALineOfItsOwn() throws IOException {
        Files.writeString(Path.of(list), "example.com\na@x.org auth=spf,dkim\n@*.example.com\n");
        int exit = Main.run("check", list, "alice@example.com");

        assertThat(err().lines())
                .hasSize(4)
                .satisfiesExactly(
                        line -> assertThat(line).startsWith(list + ": 3 of 3 entries are bad"),
                        line ->
                                assertThat(line)
                                        .startsWith(list + ":1: no '@' in 'example.com'")
                                        .endsWith("did you mean '@example.com'?"),
                        line -> assertThat(line).startsWith(list + ":2: ").contains("any is SPF"),
                        line ->
                                assertThat(line)
                                        .startsWith(list + ":3: ")
                                        .endsWith("did you mean '@.example.com'?"));
        assertThat(exit).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "check", "check LIST"})
    void shouldExitWithTwoOnWrongUsage(String line) {
        int exit = Main.run(line.isEmpty() ? new String[0] : line.split(" "));

        assertThat(err().lines()).singleElement().asString().endsWith("--help'");
        assertThat(exit).isEqualTo(2);
    }

    @Test
    void shouldLeaveNothingBehind() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Main.run("check", list, "alice@example.com");

        try (var files = Files.list(temporary)) {
            assertThat(files.map(Path::getFileName).map(Path::toString))
                    .noneMatch(name -> name.startsWith(Disk.TEMPORARY_PREFIX));
        }
    }
}
