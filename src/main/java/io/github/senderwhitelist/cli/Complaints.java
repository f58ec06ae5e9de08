package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * The standard error of a command, in UTF-8. Every message is one line, and control characters in
 * it are escaped. So text from outside, such as the name of a file, cannot change what a terminal
 * shows.
 */
final class Complaints extends PrintWriter {
    Complaints(OutputStream target) {
        super(target, true, StandardCharsets.UTF_8);
    }

    @Override
    public void println(@Nullable String message) {
        super.println(Text.escaped(String.valueOf(message)));
    }

    /** Prints the stack trace of a failure. */
    void trace(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        trace.toString().lines().forEach(this::printTraceLine);
    }

    private void printTraceLine(String line) {
        boolean indented = line.startsWith("\t");
        super.println((indented ? "\t" : "") + Text.escaped(line.substring(indented ? 1 : 0)));
    }
}
