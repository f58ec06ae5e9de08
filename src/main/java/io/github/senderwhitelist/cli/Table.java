package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Answers in columns: on a terminal of fixed widths, below headings; otherwise a program reads
 * them, and they have tabs between them and no headings. What is too long moves the rest of its
 * row.
 */
final class Table {
    private final PrintWriter out;
    private final boolean isTerminal;
    private final String format;

    /** Begins a table, whose rows have a format such as {@code %-40s %s} on a terminal. */
    Table(PrintWriter out, boolean isTerminal, String widths, String... headings) {
        this.out = out;
        this.isTerminal = isTerminal;
        this.format = isTerminal ? widths : "\t%s".repeat(headings.length).substring(1);
        if (isTerminal) {
            row(Stream.of(headings).map(it -> it.toUpperCase(Locale.ROOT)).toArray(String[]::new));
        }
    }

    /** Begins a table on standard output. */
    Table(PrintWriter out, String widths, String... headings) {
        this(out, Output.isTerminal(1), widths, headings);
    }

    void row(String... values) {
        Object[] shown = Stream.of(values).map(Text::escaped).toArray();
        String line = String.format(Locale.ROOT, format, shown);
        out.println(isTerminal ? line.stripTrailing() : line);
    }

    /** Prints lines that belong to the last row. */
    void below(List<String> lines) {
        lines.forEach(line -> out.println("    " + Text.escaped(line)));
    }
}
