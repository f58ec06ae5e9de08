package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Answers as a terminal, with headings, and another program get them. */
class TableTest {
    @ParameterizedTest
    @CsvSource({
        "true, 'ADDRESS    VERDICT|a@x.org    listed|b\\u202e@x.org|    why|'",
        "false, 'a@x.org\tlisted|b\\u202e@x.org\t|    why|'",
    })
    void shouldPrint(boolean isTerminal, String expected) {
        StringWriter text = new StringWriter();
        Table table =
                new Table(new PrintWriter(text), isTerminal, "%-10s %s", "address", "verdict");
        table.row("a@x.org", "listed");
        table.row("b\u202e@x.org", "");
        table.below(List.of("why"));
        assertThat(text).hasToString(expected.replace("|", "\n"));
    }
}
