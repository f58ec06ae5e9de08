package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * Standard error of a command, in UTF-8. A message is one line and changes nothing else on a
 * terminal, whatever names of files or other text from outside are in it.
 */
final class Complaints extends PrintWriter {
    Complaints(OutputStream target) {
        super(target, true, StandardCharsets.UTF_8);
    }

    @Override
    public void println(@Nullable String message) {
        super.println(Text.escaped(String.valueOf(message)));
    }

    /** Prints where a failure happened. */
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
