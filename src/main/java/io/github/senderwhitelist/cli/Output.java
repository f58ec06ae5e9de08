package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The standard output of a command. It is written in large pieces, and a write that fails ends the
 * command: a script must not take half of the answers for all. Java's own writers ignore failures.
 *
 * <p>Answers in columns are of fixed widths on a terminal, below headings; otherwise a program
 * reads them, and they have tabs between them and no headings.
 */
final class Output extends PrintWriter {
    private static final int PIECE = 1 << 16;

    /** The devices of Linux that are terminals. */
    private static final String TERMINAL = "/dev/(?:pts/[0-9]+|tty.*|console|hvc[0-9]+)";

    private final boolean isTerminal;
    private String rowFormat = "%s";

    Output(OutputStream target, boolean isTerminal) {
        super(new OutputStreamWriter(new BufferedOutputStream(failing(target), PIECE), UTF_8));
        this.isTerminal = isTerminal;
    }

    static Output standard() {
        return new Output(new FileOutputStream(FileDescriptor.out), isTerminal(1));
    }

    private static OutputStream failing(OutputStream target) {
        return new FilterOutputStream(target) {
            @Override
            public void write(byte[] bytes, int from, int length) {
                try {
                    out.write(bytes, from, length);
                } catch (IOException e) {
                    throw new FailedException(e);
                }
            }
        };
    }

    /** Returns whether standard output (1) or standard error (2) is a terminal. */
    static boolean isTerminal(int descriptor) {
        return leadsTo(descriptor).matches(TERMINAL);
    }

    /** Returns what a descriptor leads to, such as {@code pipe:[1234]}, or an empty string. */
    private static String leadsTo(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }

    /** Signals that standard output could not be written. */
    static final class FailedException extends UncheckedIOException {
        private static final long serialVersionUID = 1L;

        FailedException(IOException cause) {
            super("standard output: " + cause.getMessage(), cause);
        }

        /** Returns whether the reader of standard output has gone: only then a pipe fails. */
        boolean readerHasGone() {
            return leadsTo(1).startsWith("pipe:");
        }
    }

    /** Begins a table, whose rows have a format such as {@code %-40s %s} on a terminal. */
    void table(String widths, String... headings) {
        rowFormat = isTerminal ? widths : "\t%s".repeat(headings.length).substring(1);
        if (isTerminal) {
            row(Stream.of(headings).map(it -> it.toUpperCase(Locale.ROOT)).toArray());
        }
    }

    /** Prints a row of the table. A value that is too long moves the rest of its row. */
    void row(@Nullable Object... values) {
        Object[] shown =
                Stream.of(values).map(it -> Text.escaped(Objects.toString(it, "-"))).toArray();
        String line = String.format(Locale.ROOT, rowFormat, shown);
        println(isTerminal ? line.stripTrailing() : line);
    }

    /** Prints lines that belong to the last row. */
    void below(List<String> lines) {
        lines.forEach(line -> println("    " + Text.escaped(line)));
    }

    /** Returns texts and numbers as the fields of an object of JSON. */
    static String json(Map<String, ? extends @Nullable Object> fields, String between) {
        return fields.entrySet().stream()
                .map(it -> quoted(it.getKey()) + ": " + quoted(it.getValue()))
                .collect(Collectors.joining(between));
    }

    private static String quoted(@Nullable Object value) {
        return value instanceof String text
                ? '"' + Text.escaped(text.replaceAll("[\"\\\\]", "\\\\$0")) + '"'
                : String.valueOf(value);
    }
}
