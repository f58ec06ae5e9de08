package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * Builds a list and checks senders. Meanwhile Java notes what it loads, for the archive that makes
 * the starts of {@code target/whitelist} short.
 */
final class Rehearsal {
    private static final String ENTRIES =
            """
            # All forms of entries, so that what reads them is loaded.
            alice@example.com
            @example.org
            !mallory@example.org
            bob@example.net until=2030-12-31 auth=dkim to=@example.edu note=why
            """;

    private static final int ENTRIES_IN_ALL = 1000;

    private static final String[] QUESTIONS = {
        "alice@example.com", "alice+tag@example.com", "mallory@example.org", "nobody@example.edu"
    };

    private Rehearsal() {}

    /**
     * Runs the commands.
     *
     * @param arguments the name of a file to write a snapshot to
     */
    public static void main(String... arguments) throws IOException {
        Path snapshot = Path.of(arguments[0]);
        System.setIn(input(manyEntries()));
        Main.run(OutputStream.nullOutputStream(), "build", "-", "-o", snapshot.toString());
        for (String list : List.of(snapshot.toString(), "-")) {
            for (String question : QUESTIONS) {
                check(ENTRIES, list, question);
            }
        }
        check(String.join("\n", QUESTIONS), snapshot.toString(), "-");
        Main.run(
                OutputStream.nullOutputStream(),
                "check",
                "--explain",
                snapshot.toString(),
                QUESTIONS[0]);
        // As a process does it, which then ends.
        Main.main("check", snapshot.toString(), QUESTIONS[0]);
    }

    /** Returns so many entries that all stages of a build have something to do. */
    private static String manyEntries() {
        StringBuilder entries = new StringBuilder(ENTRIES);
        for (int i = 0; i < ENTRIES_IN_ALL; i++) {
            entries.append("user").append(i).append("@example.com\n");
        }
        return entries.toString();
    }

    private static void check(String input, String list, String question) {
        System.setIn(input(input));
        Main.run(OutputStream.nullOutputStream(), "check", list, question);
    }

    private static InputStream input(String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
    }
}
