package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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

    private static final List<String> QUESTIONS =
            List.of("alice@example.com", "alice+tag@example.com", "mallory@example.org", "x@y.edu");

    private Rehearsal() {}

    /**
     * Runs the commands.
     *
     * @param arguments the name of a file to write a snapshot to
     */
    public static void main(String... arguments) {
        String snapshot = arguments[0];
        // So many that all stages of a build have something to do.
        String many =
                IntStream.range(0, 1000)
                        .mapToObj(i -> "user" + i + "@example.com\n")
                        .collect(Collectors.joining());
        run(ENTRIES + many, "build", "-", "-o", snapshot);
        for (String question : QUESTIONS) {
            run(ENTRIES, "check", "-", question);
            run("", "check", snapshot, question);
        }
        run(String.join("\n", QUESTIONS), "check", snapshot, "-");
        run("", "check", "--explain", snapshot, QUESTIONS.getFirst());
        // As a process does it, which then ends.
        Main.main("check", snapshot, QUESTIONS.getFirst());
    }

    private static void run(String input, String... arguments) {
        System.setIn(new ByteArrayInputStream(input.getBytes(UTF_8)));
        Main.run(OutputStream.nullOutputStream(), arguments);
    }
}
