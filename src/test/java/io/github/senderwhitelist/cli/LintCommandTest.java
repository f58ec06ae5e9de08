package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;

/** What {@code lint} says of text lists. */
class LintCommandTest extends CommandTest {
    private int lint(String text) throws IOException {
        out.reset();
        Files.write(folder.resolve("l.txt"), text.getBytes(ISO_8859_1));
        return Main.run(out, "lint", path("l.txt"));
    }

    @Test
    void lintShouldBeSilentOfAGoodList() throws IOException {
        assertThat(lint("# people\n\nalice@example.com\n!bob@example.com note=x\n")).isZero();
        assertThat(out()).isEqualTo("2 entries, 0 bad lines, 0 doubtful lines\n");
    }

    /** More than ten, which is where other commands stop. */
    @Test
    void lintShouldNameEveryBadLine() throws IOException {
        assertThat(lint("alice@example.com\n".repeat(2000) + "example.com\n".repeat(19)))
                .isEqualTo(1);
        assertThat(out().lines())
                .hasSize(21)
                .contains("1,999 lines add nothing to others")
                .contains(
                        path("l.txt")
                                + ":2019: no '@' in 'example.com'; allowed: local@domain; did you"
                                + " mean '@example.com'?");
        assertThat(out()).endsWith("2,000 entries, 19 bad lines, 0 doubtful lines\n");
    }

    @Test
    void lintShouldNameWhatIsProbablyNotMeant() throws IOException {
        assertThat(
                        lint(
                                """
                                a@x.org until=2020-01-01
                                b@x.org
                                @gmail.com
                                !@gmail.com
                                c@x.org
                                !c@x.org
                                """))
                .isEqualTo(1);
        assertThat(out().replace(path("l.txt"), "l").lines())
                .containsExactly(
                        "l:1: 'a@x.org until=2020-01-01': until= has passed, so it has no effect",
                        "l:3: '@gmail.com': anybody can get an address there, so it lists"
                                + " everybody",
                        "2 senders are both listed and denied; the denial counts",
                        "6 entries, 0 bad lines, 4 doubtful lines");
    }

    @Test
    void lintShouldSayThatAServerRefusesTheList() throws IOException {
        assertThat(lint("a@x.org\nno\nno\nno\n\u00e9@x.org\n")).isEqualTo(1);
        assertThat(out()).contains("l.txt:5: not UTF-8", "4 bad lines").contains("refuses this");
        assertThat(lint("# nothing\n")).isEqualTo(1);
        assertThat(out()).endsWith("0 doubtful lines; a server refuses this list\n");
    }

    @Test
    void lintShouldReadStandardInput() {
        System.setIn(new ByteArrayInputStream("no\n".getBytes(ISO_8859_1)));
        assertThat(Main.run("lint", "-")).isEqualTo(1);
        assertThat(out()).startsWith("standard input:1: no '@' in 'no'");
    }
}
