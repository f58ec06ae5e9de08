package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;

import java.io.Closeable;
import java.io.Flushable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Answers in columns. On a terminal they are aligned below headings; otherwise they have tabs
 * between them and no headings.
 */
final class Table implements Flushable, Closeable {
    /** How many rows are kept until their columns are aligned, if nobody waits for them. */
    private static final int ROWS = 100;

    /** What is longer moves the columns of its own row. */
    private static final int WIDEST = 60;

    private final PrintWriter out;
    private final boolean aligned;
    private final List<Row> waiting = new ArrayList<>();

    /** Values, and lines below them. */
    private record Row(List<String> values, List<String> below) {}

    /** Begins a table whose columns have these headings. */
    Table(PrintWriter out, boolean aligned, String... headings) {
        this.out = out;
        this.aligned = aligned;
        if (aligned) {
            row(String.join("\n", headings).toUpperCase(Locale.ROOT).split("\n"));
        }
    }

    /** Begins a table on standard output. */
    Table(PrintWriter out, String... headings) {
        this(out, Output.isTerminal(1), headings);
    }

    /** Adds a row. */
    void row(String... values) {
        row(List.of(), values);
    }

    /** Adds a row, with lines that are printed below it. */
    void row(List<String> below, String... values) {
        waiting.add(new Row(List.of(values).stream().map(Text::escaped).toList(), below));
        if (!aligned || waiting.size() == ROWS) {
            printRows();
        }
    }

    private void printRows() {
        for (Row row : waiting) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.values.size(); i++) {
                String value = row.values.get(i);
                line.append(i == 0 || aligned ? "" : "\t").append(value);
                line.append(aligned ? " ".repeat(space(i, value.length())) : "");
            }
            out.println(aligned ? line.toString().stripTrailing() : line);
            row.below.forEach(below -> out.println("    " + Text.escaped(below)));
        }
        waiting.clear();
    }

    private int space(int column, int length) {
        int widest =
                waiting.stream().mapToInt(row -> row.values.get(column).length()).max().orElse(0);
        return Math.max(0, Math.min(widest, WIDEST) - length) + 2;
    }

    /** Prints the rows that wait. */
    @Override
    public void flush() {
        printRows();
        out.flush();
    }

    @Override
    public void close() {
        flush();
    }
}
