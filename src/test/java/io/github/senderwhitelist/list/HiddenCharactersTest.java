package io.github.senderwhitelist.list;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.list.ListLine.Bad;
import io.github.senderwhitelist.list.ListLine.Good;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The characters that do not show, as the table of the manual has them. */
class HiddenCharactersTest {
    private static final Pattern CHARACTERS =
            Pattern.compile("U\\+([0-9A-F]+)(?: to U\\+([0-9A-F]+))?");

    /** The rows of the table: characters, what they do around an entry, and within an address. */
    static List<Arguments> rows() throws IOException {
        List<Arguments> rows =
                Files.readString(Path.of("src/docs/list-format.md"))
                        .lines()
                        .filter(line -> line.startsWith("|") && line.contains("U+"))
                        .map(line -> line.split("\\|", -1))
                        .map(cells -> Arguments.of(characters(cells[1]), cells[2].strip()))
                        .toList();
        assertThat(rows).hasSize(9);
        return rows;
    }

    private static List<Integer> characters(String cell) {
        List<Integer> characters = new ArrayList<>();
        for (MatchResult range : CHARACTERS.matcher(cell).results().toList()) {
            int from = Integer.parseInt(range.group(1), 16);
            int to = range.group(2) == null ? from : Integer.parseInt(range.group(2), 16);
            IntStream.rangeClosed(from, to).forEach(characters::add);
        }
        return characters;
    }

    @ParameterizedTest
    @MethodSource("rows")
    void hiddenCharactersShouldDoAsTheTableSays(List<Integer> characters, String around) {
        for (int c : characters) {
            String name = String.format(Locale.ROOT, "U+%04X", c);
            String expected = around.equals("error") ? "bad" : "!mallory@example.com";
            for (String line :
                    List.of(
                            "~!mallory@example.com",
                            "!~mallory@example.com",
                            "!mallory@example.com~",
                            " ~~ !mallory@example.com ")) {
                assertThat(read(line.replace("~", Character.toString(c))))
                        .as(name)
                        .isEqualTo(expected);
            }
            for (String line :
                    List.of(
                            "mal~lory@example.com",
                            "mallory~@example.com",
                            "mallory@exam~ple.com",
                            "mallory@~example.com",
                            "@exam~ple.com",
                            "a@b.example to=bo~b@example.com",
                            "a@b.example to=bob@exam~ple.com")) {
                String reason = reason(line.replace("~", Character.toString(c)));
                assertThat(reason).as(name).isNotEmpty();
                assertThat(reason.codePoints()).as(name).noneMatch(each -> each == c && c != ' ');
                boolean isSpace = Character.isSpaceChar(c) || c < 0x80 || c == 0x85;
                if (around.equals("taken off") && !isSpace) {
                    assertThat(reason).contains("has " + name + ", a character");
                }
            }
        }
    }

    /** Even in words of Persian and Indic scripts, which are written with them. */
    @Test
    void joinersShouldBeErrors() {
        String persian = "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc";
        for (String word : List.of(persian, "\u0d9a\u0dca\u200d\u0dbb", "a\u200cb", "a\u200db")) {
            for (String line :
                    List.of(word + "@example.com", "a@" + word + ".example", "@" + word)) {
                assertThat(reason(line)).as(line).contains("U+200").contains("does not show");
            }
        }
    }

    /** What is copied from a web page has such spaces between the words, too. */
    @Test
    void noBreakSpacesBetweenConditionsShouldBeSpaces() {
        assertThat(read("bob@example.org\u00a0until=2027-01-31\u202fauth=dkim\u200b # x"))
                .isEqualTo("bob@example.org until=2027-01-31 auth=dkim");
        assertThat(read("bob@example.org\u200b to=\u200b@here.example\ufeff note=a\u00a0b"))
                .isEqualTo("bob@example.org to=@here.example note=a\u00a0b");
    }

    private static String read(String line) {
        return ListLine.parse(line) instanceof Good(var entry) ? entry.toString() : "bad";
    }

    private static String reason(String line) {
        return ListLine.parse(line) instanceof Bad(String reason) ? reason : "";
    }
}
