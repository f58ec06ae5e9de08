package io.github.senderwhitelist.list;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.list.ListLine.Bad;
import io.github.senderwhitelist.list.ListLine.Good;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** Whole lists against the plainest reading of them: split into lines, each line by itself. */
class TextListModelTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "!*@example.com",
                "*@example.com",
                "Al ice@Example.com",
                "ALICE",
                "alice@example.com",
                "Alice@EXAMPLE.com",
                "alice@example.com.",
                "alice@123",
                "alice@1.2.3.4",
                "alice@example.com\t",
                "alice@example.com\u000b",
                "alice@example.com#",
                "al#ice@example.com",
                "al!ice@example.com",
                "alice@xn--mnchen-3ya.de",
                "alice@xn--.de",
                "alice",
                "@"
            })
    void shouldSayOfALineInAListWhatItSaysOfTheLine(String line) throws IOException {
        assertThat(read(line + "\n", 1)).isEqualTo(model(line + "\n"));
    }

    @Test
    void shouldSayOfRandomLinesInAListWhatItSaysOfEach() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        String letters = "aabbxn019..--@@@@!#\"\\+ \t\r_[]:\u00e9";
        for (int i = 0; i < 400; i++) {
            StringBuilder list = new StringBuilder();
            for (int left = 6000; left > 0; left--) {
                int letter = random.nextInt(letters.length() + 3);
                list.append(letter < letters.length() ? letters.charAt(letter) : '\n');
            }
            assertThat(read(list.toString(), 1)).isEqualTo(model(list.toString()));
        }
    }

    /** Lines of all lengths at all places of the chunks, some longer than several chunks. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void shouldFindTheSameLinesWhereverChunksEnd(int sinks) throws IOException {
        for (int seed = 0; seed < 10; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            StringBuilder list = new StringBuilder(seed % 5 == 0 ? "\ufeff" : "");
            while (list.length() < 3 * ListChunk.SIZE) {
                String end = random.nextInt(3) == 0 ? "\r\n" : "\n";
                switch (random.nextInt(200)) {
                    case 0 -> list.append("#".repeat(random.nextInt(20_000))).append(end);
                    case 1 -> list.append("x".repeat(random.nextInt(600_000))).append(end);
                    case 2 -> list.append("nonsense").append(end);
                    case 3 -> list.append(end);
                    case 4 -> {
                        // A line that ends just where a chunk does, or one byte beside.
                        int left = ListChunk.SIZE - list.length() % ListChunk.SIZE;
                        list.append("y".repeat(Math.max(1, left - 2 + random.nextInt(4))));
                        list.append('\n');
                    }
                    default ->
                            list.append("user")
                                    .append(random.nextInt(1_000_000))
                                    .append("@example.com")
                                    .append(end);
                }
            }
            if (random.nextBoolean()) {
                list.append("last@example.com");
            }
            assertThat(read(list.toString(), sinks)).isEqualTo(model(list.toString()));
        }
    }

    /** What a list held; entries sorted, since several threads find them in any order. */
    private record Reading(long lines, long bad, List<String> entries, List<String> complaints) {}

    private static Reading read(String list, int sinkCount) throws IOException {
        List<List<String>> found = new ArrayList<>();
        List<TextList.Sink> sinks = new ArrayList<>();
        for (int i = 0; i < sinkCount; i++) {
            List<String> entries = new ArrayList<>();
            found.add(entries);
            sinks.add(
                    (bytes, from, length, rules) ->
                            entries.add(
                                    (rules.length > 0)
                                            + " "
                                            + new String(bytes, from, length, ISO_8859_1)));
        }
        try {
            TextList.Summary summary =
                    TextList.read(new ByteArrayInputStream(list.getBytes(UTF_8)), "list", sinks);
            List<String> entries = found.stream().flatMap(List::stream).sorted().toList();
            assertThat(summary.entries()).isEqualTo(entries.size());
            return new Reading(summary.lines(), summary.badLines(), entries, summary.complaints());
        } catch (ListRefusedException e) {
            // What was found before the end of the list is told to the sinks all the same.
            String told = Objects.requireNonNull(e.getMessage());
            List<String> entries = found.stream().flatMap(List::stream).sorted().toList();
            long bad = Long.parseLong(told.replaceAll("^list: (\\d+) of .*", "$1"));
            String complaints = told.substring(told.indexOf("refused. ") + "refused. ".length());
            return new Reading(-1, bad, entries, List.of(complaints));
        }
    }

    private static Reading model(String list) {
        String text = list.startsWith("\ufeff") ? list.substring(1) : list;
        List<String> entries = new ArrayList<>();
        List<String> complaints = new ArrayList<>();
        long lines = 0;
        long bad = 0;
        for (String line : text.split("\n", -1)) {
            lines++;
            ListLine said =
                    line.stripTrailing().getBytes(UTF_8).length > ChunkParser.MAX_LINE
                            ? new Bad("a line of more than 8192 bytes")
                            : ListLine.parse(line);
            switch (said) {
                case Good(Entry entry) ->
                        entries.add(
                                entry.denied()
                                        + " "
                                        + new String(SortKey.of(entry.key()), ISO_8859_1));
                case Bad(String reason) -> {
                    bad++;
                    if (complaints.size() < 10) {
                        complaints.add("line " + lines + ": " + reason);
                    }
                }
                case ListLine.Blank() -> {}
            }
        }
        lines -= text.isEmpty() || text.endsWith("\n") ? 1 : 0;
        entries.sort(null);
        return bad * 100 > entries.size() + bad
                ? new Reading(-1, bad, entries, List.of(String.join("; ", complaints)))
                : new Reading(lines, bad, entries, complaints);
    }
}
