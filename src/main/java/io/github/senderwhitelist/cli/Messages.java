package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.BuildReport;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.util.Locale;
import java.util.Objects;

/**
 * The standard error of a command, in UTF-8. Every message is one line, with control characters
 * escaped, so that no text from outside can change what a terminal shows. Of complaints about
 * single lines, ten are printed and the others counted, unless all are wanted. On a terminal, the
 * progress of a step is one line, which goes when the next message comes.
 */
final class Messages extends PrintWriter implements BuildProgress {
    private static final int MAX = 10;
    private static final double SECONDS_BETWEEN = 0.5;
    private static final int WIDTH = 79;
    private static final int MINUTE = 60;

    private final boolean isTerminal = Output.isTerminal(2);

    /** Whether every complaint is printed, and where failures happened. */
    boolean verbose;

    private long complaints;

    private String step = "";
    private long start;
    private double lastDrawn;

    Messages(OutputStream target) {
        super(target, true, UTF_8);
    }

    @Override
    public void println(@Nullable String message) {
        clear();
        super.println(Text.escaped(String.valueOf(message)));
    }

    /** Takes how far a step is. Called often, by one thread. */
    @Override
    public void report(String name, long done, long total) {
        if (!name.equals(step)) {
            clear();
            step = name;
            start = System.nanoTime();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        if (isTerminal && seconds - lastDrawn >= SECONDS_BETWEEN) {
            lastDrawn = seconds;
            draw(progress(step, done, total, seconds));
        }
    }

    /** Fills the line of the cursor, which stays there. */
    private void draw(String text) {
        String line = text.substring(0, Math.min(text.length(), WIDTH));
        print('\r' + line + " ".repeat(WIDTH - line.length()) + '\r');
        flush();
    }

    /** Takes the line of progress away, before others print where it is. */
    void clear() {
        if (lastDrawn > 0) {
            draw("");
            lastDrawn = 0;
        }
    }

    /** Returns a line of progress, where the total is negative if it is not known. */
    static String progress(String step, long done, long total, double seconds) {
        if (total <= 0) {
            return String.format(Locale.ROOT, "%s: %,d", step, done);
        }
        double share = Math.clamp((double) done / (double) total, 0, 1);
        long left = done == 0 ? 0 : Math.round(seconds / share - seconds);
        String rest = left < 2 * MINUTE ? left + " s left" : left / MINUTE + " min left";
        return String.format(
                Locale.ROOT, "%s: %.0f %%, %,d of %,d, %s", step, 100 * share, done, total, rest);
    }

    void skipped(BuildReport report) {
        report.complaints().forEach(this::complain);
        if (report.badLines() > 0) {
            String lines = Subcommand.count(report.badLines(), "bad line was", "bad lines were");
            println(lines + " skipped");
        }
    }

    /** Takes a complaint about one of many lines or entries. */
    void complain(String complaint) {
        complaints++;
        if (verbose || complaints <= MAX) {
            println(complaint);
        }
    }

    /** Prints how many complaints were not printed. */
    void end() {
        if (!verbose && complaints > MAX) {
            println("and " + (complaints - MAX) + " more like these; --verbose prints all");
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
    static String of(Throwable failure) {
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
            case UncheckedIOException e -> of(Objects.requireNonNull(e.getCause()));
            case ListRefusedException e -> e.reason();
            case IOException e when e.getMessage() != null -> e.getMessage();
            case IllegalArgumentException e when e.getMessage() != null -> e.getMessage();
            default -> "unexpected: " + failure + " (--verbose prints where)";
        };
    }
}
