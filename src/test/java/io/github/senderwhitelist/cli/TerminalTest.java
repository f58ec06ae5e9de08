package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** What a terminal shows: answers with headings, which other programs get without, and progress. */
class TerminalTest {
    @ParameterizedTest
    @CsvSource({
        "true, 'ADDRESS    VERDICT|a@x.org    listed|b\\u202e@x.org|    why|'",
        "false, 'a@x.org\tlisted|b\\u202e@x.org\t|    why|'",
    })
    void tableShouldPrint(boolean isTerminal, String expected) {
        StringWriter text = new StringWriter();
        Table table =
                new Table(new PrintWriter(text), isTerminal, "%-10s %s", "address", "verdict");
        table.row("a@x.org", "listed");
        table.row("b\u202e@x.org", "");
        table.below(List.of("why"));
        assertThat(text).hasToString(expected.replace("|", "\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "12400 | 310000 | 0.4 | 4 %, 12,400 of 310,000, 10 s left",
                "10000000 | 1000000000 | 5 | 1 %, 10,000,000 of 1,000,000,000, 8 min left",
                "0 | 300000 | 9 | 0 %, 0 of 300,000, 0 s left",
                "12 | 9 | 1 | 100 %, 12 of 9, 0 s left",
                "12345 | -1 | 1 | 12,345",
            })
    void lineShouldSayHowFarAStepIs(long done, long total, double seconds, String expected) {
        assertThat(Progress.line("step", done, total, seconds)).isEqualTo("step: " + expected);
    }
}
