package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;

/**
 * Builds a list and checks senders. Meanwhile Java notes what it loads, for the archive that makes
 * the starts of {@code target/whitelist} short.
 */
final class Rehearsal {
    /** All forms of entries, so that what reads them is loaded. */
    private static final String ENTRIES =
            """
            # A comment.
            alice@example.com
            @example.org
            !mallory@example.org
            bob@example.net until=2030-12-31 auth=dkim to=@example.edu note=why
            """;

    private static final String QUESTIONS =
            "alice@example.com\nalice+tag@example.com\nmallory@example.org\nx@y.edu\n";

    private Rehearsal() {}

    /**
     * Runs the commands.
     *
     * @param arguments the name of a file to write a snapshot to
     */
    public static void main(String... arguments) {
        String snapshot = arguments[0];
        run(ENTRIES + QUESTIONS.repeat(200), "build", "-", "-o", snapshot);
        for (String question : QUESTIONS.lines().toList()) {
            run(ENTRIES, "check", "-", question);
            run("", "check", "--explain", snapshot, question);
        }
        run(QUESTIONS, "check", snapshot, "-");
        // As a process does it, which then ends.
        Main.main("check", snapshot, "alice@example.com");
    }

    private static void run(String input, String... arguments) {
        System.setIn(new ByteArrayInputStream(input.getBytes(UTF_8)));
        Main.run(OutputStream.nullOutputStream(), arguments);
    }
}
