package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;

import java.io.Closeable;
import java.io.Flushable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Answers in columns. On a terminal they are aligned below headings; otherwise they have tabs
 * between them and no headings, or are an array of JSON.
 */
final class Table implements Flushable, Closeable {
    /** The forms of a table. */
    enum Form {
        ALIGNED,
        TABS,
        JSON;

        /** Returns the form for standard output. */
        static Form of(boolean json) {
            return json ? JSON : Output.isTerminal() ? ALIGNED : TABS;
        }
    }

    /** How many rows are kept until their columns are aligned, if nobody waits for them. */
    private static final int ROWS = 100;

    /** What is longer moves the columns of its own row. */
    private static final int WIDEST = 60;

    private final PrintWriter out;
    private final Form form;
    private final List<String> headings;
    private final List<Row> waiting = new ArrayList<>();
    private boolean hasRows;

    /** Values, and lines below them. */
    private record Row(List<String> values, List<String> below) {}

    /** Begins a table whose columns have these headings, which are also the names in JSON. */
    Table(PrintWriter out, Form form, String... headings) {
        this.out = out;
        this.form = form;
        this.headings = List.of(headings);
        if (form == Form.ALIGNED) {
            row(List.of(), this.headings.stream().map(it -> it.toUpperCase(Locale.ROOT)).toList());
        }
    }

    /** Adds a row. */
    void row(String... values) {
        row(List.of(), List.of(values));
    }

    /** Adds a row, with lines that are printed below it. */
    void row(List<String> below, List<String> values) {
        if (form == Form.JSON) {
            Map<String, Object> members = new LinkedHashMap<>();
            for (int i = 0; i < headings.size(); i++) {
                members.put(headings.get(i), values.get(i));
            }
            if (!below.isEmpty()) {
                members.put("steps", below);
            }
            out.print((hasRows ? ",\n" : "[\n") + Json.indented(members));
            hasRows = true;
            return;
        }
        waiting.add(new Row(values.stream().map(Text::escaped).toList(), below));
        if (form == Form.TABS || waiting.size() == ROWS) {
            printRows();
        }
    }

    private void printRows() {
        for (Row row : waiting) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.values.size() - 1; i++) {
                String value = row.values.get(i);
                line.append(value);
                line.append(form == Form.TABS ? "\t" : " ".repeat(space(i, value.length())));
            }
            line.append(row.values.getLast());
            out.println(form == Form.TABS ? line : line.toString().stripTrailing());
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
        if (form == Form.JSON) {
            out.println(hasRows ? "\n]" : "[]");
        }
        flush();
    }

    /** Prints values below each other, each after its name, or as JSON. */
    static void print(PrintWriter out, boolean json, Map<String, Object> values) {
        if (json) {
            out.println(Json.indented(values));
            return;
        }
        int longest = values.keySet().stream().mapToInt(String::length).max().orElse(0);
        values.forEach(
                (name, value) ->
                        out.println(name + " ".repeat(longest - name.length() + 2) + value));
    }
}
