package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.cli.Table.Form;

import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Answers as a terminal, another program and a reader of JSON get them. */
class TableTest {
    private final StringWriter text = new StringWriter();
    private final PrintWriter out = new PrintWriter(text);

    private String printed(Form form) {
        try (Table table = new Table(out, form, "address", "verdict")) {
            table.row("alice@example.com", "listed");
            table.row(List.of("why"), List.of("b\u202e@x.org", ""));
        }
        return text.toString();
    }

    @Test
    void terminalShouldGetHeadingsAboveAlignedColumns() {
        assertThat(printed(Form.ALIGNED))
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
        assertThat(printed(Form.TABS))
                .isEqualTo("alice@example.com\tlisted\nb\\u202e@x.org\t\n    why\n");
    }

    @Test
    void jsonShouldBeAnArrayOfObjects() {
        assertThat(printed(Form.JSON))
                .isEqualTo(
                        """
                        [
                        {
                          "address": "alice@example.com",
                          "verdict": "listed"
                        },
                        {
                          "address": "b\u202e@x.org",
                          "verdict": "",
                          "steps": [
                            "why"
                          ]
                        }
                        ]
                        """);
    }

    /** A person who asks line by line gets each answer at once. */
    @Test
    void flushShouldPrintWhatWaits() {
        Table table = new Table(out, Form.ALIGNED, "address", "verdict");
        table.row("a@x.org", "listed");
        assertThat(text.toString()).isEmpty();
        table.flush();
        assertThat(text.toString()).hasLineCount(2);
    }

    @Test
    void tableWithoutRowsShouldBeAnEmptyArray() {
        new Table(out, Form.JSON, "address").close();
        assertThat(text.toString()).isEqualTo("[]\n");
    }
}
