package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Help.Ansi.Style;

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

    /** Prints why a command failed. On a terminal, what is wrong stands out: a file, an option. */
    void fail(String message) {
        String text = Text.escaped(message);
        int end = Math.max(0, text.indexOf(": ") + 1);
        super.println(
                (end == 0
                                ? ""
                                : Terminal.styled(
                                        Terminal.ERROR, Style.fg_red, text.substring(0, end)))
                        + text.substring(end));
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
