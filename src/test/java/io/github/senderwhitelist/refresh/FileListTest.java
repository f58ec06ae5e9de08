package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.ListFiles.check;
import static io.github.senderwhitelist.refresh.ListFiles.isListed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class FileListTest {
    @TempDir Path folder;
    private Path file;
    private Path work;
    private final List<String> events = new ArrayList<>();
    private final RefreshListener listener = ListFiles.eventsTo(events);

    @BeforeEach
    void folders() {
        file = folder.resolve("whitelist.txt");
        work = folder.resolve("work");
    }

    private void write(String... lines) throws IOException {
        Files.writeString(file, String.join("\n", lines) + "\n");
    }

    private FileList open() throws IOException {
        return ListFiles.refresher(ListFiles.settings(file, work), listener);
    }

    /** Looks twice: the first look sees a change, the second finds that the file stands still. */
    private static void lookTwice(FileList refresher) {
        refresher.look();
        refresher.look();
    }

    @Test
    void shouldTakeAChangedListWithAllItsRemovals() throws IOException {
        write("alice@example.com", "bob@example.com");
        FileList refresher = open();
        assertThat(isListed(refresher, "alice@example.com")).isTrue();

        write("bob@example.com", "carol@example.com");
        lookTwice(refresher);

        assertThat(isListed(refresher, "alice@example.com")).isFalse();
        assertThat(isListed(refresher, "bob@example.com")).isTrue();
        assertThat(isListed(refresher, "carol@example.com")).isTrue();
        assertThat(events).containsExactly("loaded 2 built", "loaded 2 built");
    }

    /** The filters say "maybe" before and after, so only a cached answer could be wrong. */
    @Test
    void shouldForgetWhatItRememberedOfTheOldList() throws IOException {
        write("alice@example.com", "!bob@example.com");
        FileList refresher = open();
        assertThat(isListed(refresher, "alice@example.com")).isTrue();
        assertThat(isListed(refresher, "bob@example.com")).isFalse();

        write("!alice@example.com", "bob@example.com");
        lookTwice(refresher);

        assertThat(isListed(refresher, "alice@example.com")).isFalse();
        assertThat(isListed(refresher, "bob@example.com")).isTrue();
    }

    @Test
    void shouldLetGoOfTheOldGeneration() throws IOException {
        write("alice@example.com");
        FileList refresher = open();
        Generation old = refresher.current();

        write("alice@example.com", "bob@example.com");
        lookTwice(refresher);

        assertThat(check(() -> old, "alice@example.com")).isInstanceOf(Unavailable.class);
    }

    @Test
    void shouldNotTakeAListThatChangedWhileItWasRead() throws Exception {
        write("alice@example.com");
        FileList refresher = open();
        // The change mostly comes while the file is read. If it did not, try again.
        String many =
                IntStream.range(0, 50_000)
                        .mapToObj(i -> "a" + i + "@example.com\n")
                        .collect(Collectors.joining());
        boolean met = false;
        for (int attempt = 0; attempt < 20 && !met; attempt++) {
            Files.writeString(file, "new" + attempt + "@example.com\n" + many);
            refresher.look();
            Generation before = refresher.current();
            Thread writer = new Thread(this::appendWhenItIsRead);
            writer.start();
            met = refresher.look().equals(Standstill.FINE);
            writer.join();
            assertThat(refresher.current() == before).isEqualTo(met);
            assertThat(ListFiles.loader(ListFiles.settings(file, work)).lastEntries())
                    .as("the last good snapshot")
                    .isEqualTo(refresher.current().header().entries());
        }
        assertThat(met).isTrue();

        lookTwice(refresher);
        assertThat(isListed(refresher, "late@example.com")).isTrue();
        assertThat(events.getLast()).startsWith("warned was taken").contains("seen to grow");
    }

    /** A build begins with an unfinished file in the work directory. */
    private void appendWhenItIsRead() {
        try {
            for (int i = 0; i < 10_000; i++) {
                try (Stream<Path> files = Files.list(work)) {
                    if (files.anyMatch(path -> path.toString().endsWith(".tmp"))) {
                        break;
                    }
                }
                Thread.sleep(1);
            }
            Files.writeString(file, "late@example.com\n", StandardOpenOption.APPEND);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldNotReadAListThatDoesNotStandStill() throws IOException {
        write("alice@example.com");
        FileList refresher = open();
        for (int i = 0; i < 5; i++) {
            write("alice@example.com", "bob" + "b".repeat(i) + "@example.com");
            assertThat(refresher.look()).isEqualTo(Standstill.FINE);
        }
        assertThat(events).hasSize(1);

        refresher.look();
        assertThat(events).hasSize(3).last().asString().contains("seen to grow");
    }

    @Test
    void shouldNotBuildAgainWhatItBuiltBefore() throws IOException {
        write("alice@example.com");
        open();
        open();

        assertThat(events).containsExactly("loaded 1 built", "loaded 1");
    }

    @Test
    void shouldNoticeAChangeThatKeepsSizeAndTime() throws IOException {
        write("alice@example.com", "bobby@example.com");
        var time = Files.getLastModifiedTime(file);
        FileList refresher = open();

        write("alice@example.com", "carol@example.com");
        Files.setLastModifiedTime(file, time);
        lookTwice(refresher);

        assertThat(isListed(refresher, "carol@example.com")).isTrue();
        assertThat(isListed(refresher, "bobby@example.com")).isFalse();
    }

    static List<byte[]> useless() {
        return List.of(
                new byte[0],
                "# only a comment\n".getBytes(StandardCharsets.UTF_8),
                new byte[] {1, 2, 0, 4},
                "not an address\nneither this\n".getBytes(StandardCharsets.UTF_8),
                new byte[] {(byte) 0x89, 'S', 'W', 'L', '\r', '\n', 0x1a, '\n', 1},
                "a@example.com\n".getBytes(StandardCharsets.UTF_16));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void shouldKeepTheGenerationActiveWhenTheListIsUseless(int which) throws IOException {
        write("alice@example.com", "bob@example.com");
        FileList refresher = open();

        Files.write(file, useless().get(which));
        lookTwice(refresher);

        assertThat(isListed(refresher, "alice@example.com")).isTrue();
        assertThat(events).hasSize(2);
        assertThat(events.getLast()).startsWith("refused " + file);
        refresher.look();
        assertThat(events).as("one line per problem, not per look").hasSize(2);
    }

    @Test
    void shouldKeepTheGenerationActiveWhenTheListIsGoneAndTakeItWhenItIsBack() throws IOException {
        write("alice@example.com");
        FileList refresher = open();

        Files.delete(file);
        lookTwice(refresher);
        assertThat(isListed(refresher, "alice@example.com")).isTrue();
        assertThat(events.getLast()).isEqualTo("refused " + file + ": no such file");

        write("alice@example.com", "bob@example.com");
        lookTwice(refresher);
        assertThat(isListed(refresher, "bob@example.com")).isTrue();
    }

    @Test
    void shouldHoldBackAListThatLostTooMuchAlsoAtTheNextStart() throws IOException {
        write("a@example.com", "b@example.com", "c@example.com", "d@example.com");
        FileList refresher = open();

        write("a@example.com");
        lookTwice(refresher);
        assertThat(isListed(refresher, "d@example.com")).isTrue();
        assertThat(events.getLast()).contains("only 1 entries after 4").contains("maxShrink");

        assertThat(isListed(open(), "d@example.com")).isTrue();
        assertThat(events.getLast()).startsWith("refused");

        write("a@example.com", "b@example.com");
        lookTwice(refresher);
        assertThat(isListed(refresher, "d@example.com")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 4, true",
        "0, 3, false",
        "0.25, 3, true",
        "0.25, 2, false",
        "0.75, 1, true",
        "0.74, 1, false",
        "1, 1, true"
    })
    void shouldHoldBackAListThatLostMoreThanItsShare(double maxShrink, int left, boolean taken)
            throws IOException {
        String[] lines = {"a@example.com", "b@example.com", "c@example.com", "d@example.com"};
        write(lines);
        ListSettings settings = new ListSettingsBuilder(file, work).maxShrink(maxShrink).settings();
        FileList refresher = ListFiles.refresher(settings, listener);

        write(Arrays.copyOf(lines, left));
        Files.writeString(file, "# changed\n", StandardOpenOption.APPEND);
        lookTwice(refresher);

        assertThat(refresher.current().header().entries()).isEqualTo(taken ? left : 4);
        assertThat(events)
                .filteredOn(event -> !event.startsWith("warned"))
                .satisfiesExactly(
                        first -> assertThat(first).isEqualTo("loaded 4 built"),
                        next -> assertThat(next).startsWith(taken ? "loaded" : "refused"));
    }

    @Test
    void shouldStartFromTheLastGoodSnapshotWhenTheListIsUnusable() throws IOException {
        write("alice@example.com");
        open();
        Files.writeString(file, "");

        assertThat(isListed(open(), "alice@example.com")).isTrue();
        assertThat(events.getLast()).contains("holds no entries");
    }

    @Test
    void shouldNotStartWithNothing() {
        assertThatThrownBy(this::open)
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": no such file");
    }

    @Test
    void shouldTakeASnapshotAsItIs() throws IOException {
        write("alice@example.com");
        open();
        Path built;
        try (var files = Files.list(work)) {
            built = files.findFirst().orElseThrow();
        }
        file = folder.resolve("whitelist.swl");
        Files.copy(built, file);

        assertThat(isListed(open(), "alice@example.com")).isTrue();
        assertThat(events.getLast()).isEqualTo("loaded 1");
    }

    @Test
    void shouldRefuseDenialsWhenTheFilterAloneDecides() throws IOException {
        write("alice@example.com", "!bob@example.com");
        ListSettings filterOnly = new ListSettingsBuilder(file, work).filtersAlone().settings();

        assertThatThrownBy(() -> ListFiles.refresher(filterOnly, listener))
                .hasMessageContaining("has 1 '!' entries");
    }
}
