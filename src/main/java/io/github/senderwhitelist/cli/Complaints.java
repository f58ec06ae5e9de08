package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * The standard error of a command, in UTF-8. Every message is one line, and control characters in
 * it are escaped. So text from outside, such as the name of a file, cannot change what a terminal
 * shows. Of complaints about single lines, ten are printed and the others counted, unless all are
 * wanted.
 */
final class Complaints extends PrintWriter {
    private static final int MAX = 10;

    private boolean verbose;
    private long reported;

    Complaints(OutputStream target) {
        super(target, true, UTF_8);
    }

    /** Sets whether every complaint is printed, and where failures happened. */
    void setVerbose(boolean verbose) {
        this.verbose = verbose;
    }

    @Override
    public void println(@Nullable String message) {
        super.println(Text.escaped(String.valueOf(message)));
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

    /** Prints why a command failed, and where if everything is wanted. */
    void fail(String message, Throwable failure) {
        println(message);
        if (verbose) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            trace.toString().lines().forEach(line -> println(line.replaceFirst("^\t", "    ")));
        }
    }
}
