package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.util.List;

/** What a terminal shows: answers with headings, which other programs get without, and progress. */
class TerminalTest {
    @ParameterizedTest
    @CsvSource({
        "true, 'ADDRESS    VERDICT|a@x.org    listed|b\\u202e@x.org|    why|'",
        "false, 'a@x.org\tlisted|b\\u202e@x.org\t|    why|'",
    })
    void tableShouldPrint(boolean isTerminal, String expected) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        Output out = new Output(text, isTerminal);
        out.table("%-10s %s", "address", "verdict");
        out.row("a@x.org", "listed");
        out.row("b\u202e@x.org", "");
        out.below(List.of("why"));
        out.flush();
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
        assertThat(Messages.progress("step", done, total, seconds)).isEqualTo("step: " + expected);
    }
}
