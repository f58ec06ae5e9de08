package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.snapshot.BuildReport;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.util.Objects;

/**
 * The standard error of a command, in UTF-8. Every message is one line, with control characters
 * escaped, so that no text from outside can change what a terminal shows. Of complaints about
 * single lines, ten are printed and the others counted, unless all are wanted.
 */
final class Complaints extends PrintWriter {
    private static final int MAX = 10;

    /** Whether every complaint is printed, and where failures happened. */
    boolean verbose;

    private long reported;

    Complaints(OutputStream target) {
        super(target, true, UTF_8);
    }

    @Override
    public void println(@Nullable String message) {
        super.println(Text.escaped(String.valueOf(message)));
    }

    void skipped(BuildReport report) {
        report.complaints().forEach(this::report);
        if (report.badLines() > 0) {
            String lines = Subcommand.count(report.badLines(), "bad line was", "bad lines were");
            println(lines + " skipped");
        }
    }

    /** Takes a complaint about one of many lines or entries. */
    void report(String complaint) {
        reported++;
        if (verbose || reported <= MAX) {
            println(complaint);
        }
    }

    /** Prints how many complaints were not printed. */
    void end() {
        if (!verbose && reported > MAX) {
            println("and " + (reported - MAX) + " more like these; --verbose prints all");
        }
        flush();
    }

    void fail(String message, Throwable failure) {
        println(message);
        if (verbose) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            trace.toString().lines().forEach(line -> println(line.replaceFirst("^\t", "    ")));
        }
    }

    /** Returns one line that says what happened, to which file, and what can be done about it. */
    static String message(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError) {
                String heap = Subcommand.bytes(Runtime.getRuntime().maxMemory());
                return "out of memory (%s) with a heap of %s; use java -Xmx…, or build --memory 128m"
                        .formatted(cause.getMessage(), heap);
            }
        }
        return switch (failure) {
            case LinkageError e ->
                    "a part of the program, or of Java, is missing or does not fit (%s)"
                            .formatted(e.getCause() == null ? e : e.getCause());
            case AccessDeniedException e ->
                    "%s (this program runs as user %s)"
                            .formatted(e.getMessage(), System.getProperty("user.name"));
            case Output.FailedException e -> String.valueOf(e.getMessage());
            case UncheckedIOException e -> message(Objects.requireNonNull(e.getCause()));
            case ListRefusedException e -> e.reason();
            case IOException e when e.getMessage() != null -> e.getMessage();
            case IllegalArgumentException e when e.getMessage() != null -> e.getMessage();
            default -> "unexpected: " + failure + " (--verbose prints where)";
        };
    }
}
