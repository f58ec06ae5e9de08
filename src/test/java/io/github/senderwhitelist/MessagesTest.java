package io.github.senderwhitelist;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Each warning and refusal in the sources must be explained by the page Troubleshooting, which
 * explains no other.
 */
class MessagesTest {
    private static final Path SOURCES = Path.of("src/main/java/io/github/senderwhitelist");

    /** What begins a warning, an error, or a refusal. */
    private static final Pattern BEGIN =
            Pattern.compile(
                    "\\.warning\\(|throw bad\\(|LOGGER\\s*\\.(?:warn|error)\\(|new"
                        + " (?:\\w+Refused|Snapshot|IO|InterruptedIO|Messaging|Setting|BadRule|NoRoom"
                        + "|FileSystem|Web|Configuration|Retired|Replaced|IllegalArgument|SQL"
                        + "|SQLTimeout|Parameter)Exception\\(");

    /** A string, a character, or a bracket. */
    private static final Pattern PART =
            Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|'(?:[^'\\\\]|\\\\.)'|[()]");

    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern EXPLAINED = Pattern.compile("\\*\\*`([^`]+)`\\*\\*");
    private static final Pattern GAP = Pattern.compile("…|\\bFILE\\b|\\bN\\b");
    private static final Pattern NO_WORDS = Pattern.compile("[\\W…{}]");
    private static final int SHORTEST = 8;

    /** What begins like this, room/Class or text, needs no row of its own. */
    private static final List<String> NOT_EXPLAINED =
            List.of(
                    // Said of damaged data, after what reports the damage.
                    "address/",
                    "store/BlockIndex",
                    "store/Ranks",
                    // A mistake of the calling code, which tests would show.
                    "a filter of …",
                    // Adds to a message that is explained by itself.
                    "Whitelist {}: {}",
                    "Whitelist {}: not taken, {} stay active. {}",
                    "standard input:",
                    // Says itself what was meant.
                    "'%s': patterns are not known; ",
                    "'%s': an address literal has no subdomains",
                    // The server or the command stops.
                    "interrupted",
                    ": interrupted");

    /** A message in the sources, with … in place of what is computed. */
    private record Message(String place, String text) {
        boolean isIn(List<List<String>> rows) {
            return rows.stream().anyMatch(row -> row.stream().allMatch(text::contains));
        }

        boolean is(String exception) {
            return exception.contains("/")
                    ? place.startsWith(exception)
                    : text.startsWith(exception);
        }
    }

    /** An exception that excepts nothing would hide the next message that begins like it. */
    @Test
    void shouldExplainEveryWarningAndRefusal() throws IOException {
        List<List<String>> rows = rows();
        List<Message> messages = messages();
        List<Message> others = messages.stream().filter(message -> !message.isIn(rows)).toList();

        assertThat(messages).hasSizeGreaterThan(120);
        assertThat(others).allMatch(message -> NOT_EXPLAINED.stream().anyMatch(message::is));
        assertThat(NOT_EXPLAINED)
                .allMatch(exception -> others.stream().anyMatch(message -> message.is(exception)));
    }

    @Test
    void shouldExplainMessagesThatTheCodeHas() throws IOException {
        StringBuilder code = new StringBuilder();
        for (Path folder : List.of(SOURCES, Path.of("integration-tests/java"))) {
            for (Path file : sources(folder)) {
                code.append(joined(file));
            }
        }

        assertThat(rows()).hasSizeGreaterThan(40).noneMatch(List::isEmpty);
        assertThat(rows().stream().flatMap(List::stream))
                .allMatch(piece -> code.indexOf(piece) >= 0);
    }

    /** What the code itself says in each message, without names and numbers. */
    private static List<List<String>> rows() throws IOException {
        return EXPLAINED
                .matcher(Docs.page("troubleshooting.md"))
                .results()
                .map(
                        message ->
                                GAP.splitAsStream(message.group(1))
                                        .map(String::strip)
                                        .filter(piece -> piece.length() >= SHORTEST)
                                        .toList())
                .toList();
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
        }
    }

    /** Returns a source with strings that go over several lines put together. */
    private static String joined(Path file) {
        return JOINED.matcher(Docs.read(file)).replaceAll("");
    }

    private static List<Message> messages() throws IOException {
        List<Message> messages = new ArrayList<>();
        for (Path file : sources(SOURCES)) {
            String place = SOURCES.relativize(file).toString().replace(".java", "");
            String code = joined(file);
            Matcher begin = BEGIN.matcher(code);
            while (begin.find()) {
                String text = literals(code, begin.end());
                if (NO_WORDS.matcher(text).replaceAll("").length() >= SHORTEST) {
                    messages.add(new Message(place, text));
                }
            }
        }
        return messages;
    }

    /** Returns the strings up to the bracket that closes the call. */
    private static String literals(String code, int from) {
        List<String> literals = new ArrayList<>();
        Matcher part = PART.matcher(code);
        int open = 1;
        for (int at = from; open > 0 && part.find(at); at = part.end()) {
            switch (part.group()) {
                case "(" -> open++;
                case ")" -> open--;
                default -> {
                    if (part.group(1) != null) {
                        literals.add(part.group(1).strip());
                    }
                }
            }
        }
        return String.join(" … ", literals).replace(" … :", " …:").strip();
    }
}
