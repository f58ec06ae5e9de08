package io.github.senderwhitelist.list;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.list.ListLine.Bad;
import io.github.senderwhitelist.list.ListLine.Good;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The characters that do not show, as the table of the manual has them. */
class HiddenCharactersTest {
    private static final Pattern CHARACTERS =
            Pattern.compile("U\\+([0-9A-F]+)(?: to U\\+([0-9A-F]+))?");

    private final List<String> entries = new ArrayList<>();

    static Stream<Arguments> rows() throws IOException {
        return Files.readString(Path.of("src/docs/list-format.md"))
                .lines()
                .filter(line -> line.startsWith("|") && line.contains("U+"))
                .map(line -> line.split("\\|", -1))
                .map(cells -> Arguments.of(cells[1].strip(), cells[2].strip(), cells[3].strip()));
    }

    private static IntStream characters(String cell) {
        return CHARACTERS
                .matcher(cell)
                .results()
                .flatMapToInt(
                        range -> {
                            int from = Integer.parseInt(range.group(1), 16);
                            String to = range.group(2);
                            return IntStream.rangeClosed(
                                    from, to == null ? from : Integer.parseInt(to, 16));
                        });
    }

    @Test
    void tableShouldBeFound() throws IOException {
        assertThat(rows()).hasSize(9);
        assertThat(rows().flatMapToInt(row -> characters((String) row.get()[0])).count())
                .isGreaterThan(400);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void hiddenCharactersShouldDoAsTheTableSays(String cell, String around, String within) {
        characters(cell)
                .forEach(
                        c -> {
                            String hidden = Character.toString(c);
                            String name = String.format(Locale.ROOT, "U+%04X", c);
                            for (String line :
                                    List.of(
                                            hidden + "!mallory@example.com",
                                            "!" + hidden + "mallory@example.com",
                                            "!mallory@example.com" + hidden,
                                            " " + hidden + hidden + " !mallory@example.com ")) {
                                assertThat(read(line))
                                        .as(name)
                                        .isEqualTo(
                                                around.equals("error")
                                                        ? "bad"
                                                        : "!mallory@example.com");
                            }
                            for (String line :
                                    List.of(
                                            "mal" + hidden + "lory@example.com",
                                            "mallory" + hidden + "@example.com",
                                            "mallory@exam" + hidden + "ple.com",
                                            "mallory@" + hidden + "example.com",
                                            "@exam" + hidden + "ple.com",
                                            "a@b.example to=bo" + hidden + "b@example.com",
                                            "a@b.example to=bob@exam" + hidden + "ple.com")) {
                                assertThat(read(line)).as(name).isEqualTo("bad");
                                if (around.equals("taken off")
                                        && !Character.isSpaceChar(c)
                                        && c >= 0x80
                                        && c != 0x85) {
                                    assertThat(reason(line))
                                            .contains("has " + name + ", a character");
                                }
                                assertThat(reason(line).codePoints())
                                        .as(name)
                                        .noneMatch(shown -> shown == c && c != ' ');
                            }
                        });
    }

    /**
     * Joiners are errors even in words of Persian and Indic scripts, which are written with them.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc",
                "\u0d9a\u0dca\u200d\u0dbb",
                "a\u200cb",
                "a\u200db"
            })
    void joinersShouldBeErrors(String word) {
        for (String line : List.of(word + "@example.com", "a@" + word + ".example", "@" + word)) {
            assertThat(reason(line)).as(line).contains("U+200").contains("does not show");
        }
    }

    @Test
    void filesJoinedWithTheirByteOrderMarksShouldBeRead() throws IOException {
        String one = "\ufeffalice@example.com\n";
        String denials = "\ufeff# ours\n!mallory@example.com\n";
        String another = "\ufeff!eve@example.com\n\ufeff\ufeff@example.com\u00a0\r\n";
        TextList.Summary summary =
                TextLists.read(
                        new ByteArrayInputStream((one + denials + another).getBytes(UTF_8)),
                        "list.txt",
                        entry -> entries.add(entry.toString()));
        assertThat(summary.badLines()).isZero();
        assertThat(entries)
                .containsExactly(
                        "alice@example.com",
                        "!mallory@example.com",
                        "!eve@example.com",
                        "@example.com");
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
