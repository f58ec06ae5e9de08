package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Answers as a terminal and another program get them. */
class TableTest {
    private final StringWriter text = new StringWriter();
    private final PrintWriter out = new PrintWriter(text);

    private String printed(boolean aligned) {
        try (Table table = new Table(out, aligned, "address", "verdict")) {
            table.row("alice@example.com", "listed");
            table.row(List.of("why"), "b\u202e@x.org", "");
        }
        return text.toString();
    }

    @Test
    void terminalShouldGetHeadingsAboveAlignedColumns() {
        assertThat(printed(true))
                .isEqualTo(
                        """
                        ADDRESS            VERDICT
                        alice@example.com  listed
                        b\\u202e@x.org
                            why
                        """);
    }

    @Test
    void othersShouldGetTabsWithoutHeadings() {
        assertThat(printed(false))
                .isEqualTo("alice@example.com\tlisted\nb\\u202e@x.org\t\n    why\n");
    }

    /** A person who asks line by line gets each answer at once. */
    @Test
    void flushShouldPrintWhatWaits() {
        Table table = new Table(out, true, "address", "verdict");
        table.row("a@x.org", "listed");
        assertThat(text.toString()).isEmpty();
        table.flush();
        assertThat(text.toString()).hasLineCount(2);
    }
}
