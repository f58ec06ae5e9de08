package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.ListFiles.isListed;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;

/** Tests writers that pause in the middle of a list, for longer than a file must stand still. */
class PausingWriterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir Path folder;
    private Path file;
    private final TestClock clock = new TestClock();
    private final List<String> events = new ArrayList<>();
    private final RefreshListener listener = ListFiles.eventsTo(events);

    @BeforeEach
    void file() {
        file = folder.resolve("whitelist.txt");
    }

    private FileList open() throws IOException {
        RefreshTiming timing = new RefreshTiming(PATIENCE, Duration.ofMinutes(1), clock);
        return ListFiles.refresher(
                ListFiles.settings(file, folder.resolve("work")), timing, listener);
    }

    /** Looks as the thread of a list does, until that time has passed. */
    private void pass(FileList refresher, Duration time) {
        long end = clock.nanos() + time.toNanos();
        while (clock.nanos() < end) {
            Duration wait = refresher.look();
            Duration left = Duration.ofNanos(end - clock.nanos());
            clock.pass(wait.compareTo(left) < 0 ? wait : left);
        }
        refresher.look();
    }

    private void append(String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }

    @Test
    void shouldNotTakeALineThatIsCutWithinADomain() throws IOException {
        Files.writeString(file, "alice@example.com\n@partner.example\n");
        FileList refresher = open();
        Files.writeString(file, "alice@example.com\nbob@example.com\n@partner.co");
        pass(refresher, Duration.ofSeconds(5));
        assertThat(isListed(refresher, "eve@partner.co")).isFalse();
        append("m\n");
        pass(refresher, PATIENCE.minusSeconds(1));
        assertThat(isListed(refresher, "eve@partner.co")).isFalse();
        assertThat(isListed(refresher, "carol@partner.com")).isFalse();
        pass(refresher, Duration.ofSeconds(2));
        assertThat(isListed(refresher, "carol@partner.com")).isTrue();
        assertThat(events)
                .satisfiesExactly(
                        event -> assertThat(event).isEqualTo("loaded 2 built"),
                        event ->
                                assertThat(event)
                                        .startsWith("warned looks unfinished")
                                        .contains("no line end")
                                        .contains("10 s")
                                        .contains("renamed"),
                        event -> assertThat(event).contains("seen to grow"),
                        event -> assertThat(event).isEqualTo("loaded 3 built"),
                        event -> assertThat(event).contains("may be unfinished"));
    }

    /**
     * The list is cut at the end of a line, so only the loss of length shows that it is unfinished.
     */
    @Test
    void shouldNotTakeAListThatIsWrittenAnewInPlaceWithPauses() throws IOException {
        List<String> lines = lines(37);
        Files.write(file, lines);
        FileList refresher = open();
        Files.write(file, lines.subList(0, 21));
        pass(refresher, Duration.ofSeconds(8));
        for (int i = 21; i < 37; i++) {
            append(lines.get(i) + "\n");
            pass(refresher, Duration.ofSeconds(2));
            assertThat(isListed(refresher, "user36@example.com")).isTrue();
        }
        pass(refresher, PATIENCE);
        assertThat(events).noneMatch(event -> event.startsWith("loaded 2"));
        assertThat(refresher.status().header().entries()).isEqualTo(37);
    }

    private static List<String> lines(int count) {
        return IntStream.range(0, count).mapToObj(i -> "user" + i + "@example.com").toList();
    }

    /** As nano and others save a file from which somebody took lines out. */
    @Test
    void shouldTakeAListAtOnceThatLostAFewLinesInPlace() throws IOException {
        Files.write(file, lines(30));
        FileList refresher = open();
        pass(refresher, Duration.ofSeconds(20));
        Files.write(file, lines(28));
        pass(refresher, Duration.ofSeconds(1));
        assertThat(isListed(refresher, "user29@example.com")).isFalse();
        Files.write(file, lines(26));
        pass(refresher, Duration.ofSeconds(1));
        assertThat(isListed(refresher, "user27@example.com")).isFalse();
        assertThat(events).containsExactly("loaded 30 built", "loaded 28 built", "loaded 26 built");
    }

    /** The last lines are the longest, so a tenth of them is more than a tenth of the file. */
    @ParameterizedTest
    @ValueSource(strings = {"a tenth", "twice", "grown", "cut", "packed"})
    void shouldNotTakeAListAtOnceThatLostMoreOrInAnotherWay(String way) throws IOException {
        write(way, lines(40), "");
        FileList refresher = open();
        write(way, lines(way.equals("a tenth") ? 36 : 38), way.equals("cut") ? "@partner.co" : "");
        if (way.equals("twice") || way.equals("grown")) {
            refresher.look();
            write(way, lines(way.equals("twice") ? 37 : 39), "");
        }
        pass(refresher, PATIENCE.minusSeconds(1));
        assertThat(isListed(refresher, "user39@example.com")).isTrue();
        pass(refresher, Duration.ofSeconds(2));
        assertThat(isListed(refresher, "user39@example.com")).isFalse();
        assertThat(events)
                .satisfiesExactly(
                        event -> assertThat(event).isEqualTo("loaded 40 built"),
                        event -> assertThat(event).startsWith("warned looks unfinished"),
                        event -> assertThat(event).startsWith("loaded"),
                        event -> assertThat(event).startsWith("warned was taken though"));
    }

    private void write(String way, List<String> lines, String end) throws IOException {
        OutputStream plain = Files.newOutputStream(file);
        try (OutputStream out = way.equals("packed") ? new GZIPOutputStream(plain) : plain) {
            out.write((String.join("\n", lines) + "\n" + end).getBytes(UTF_8));
        }
    }

    @Test
    void shouldTakeAFileThatIsRenamedIntoPlaceAtOnceThoughItIsShorter() throws IOException {
        Files.writeString(file, "alice@example.com\nbob@example.com\n");
        FileList refresher = open();
        Path other = Files.writeString(folder.resolve("other"), "alice@example.com\n");
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
        pass(refresher, Duration.ofSeconds(1));
        assertThat(isListed(refresher, "bob@example.com")).isFalse();
        assertThat(events).containsExactly("loaded 2 built", "loaded 1 built");
    }

    @Test
    void shouldWaitForAFreshFileAtTheStartAndNotForAnOldOne() throws IOException {
        Files.writeString(file, "alice@example.com\n@partner.co");
        open().close();
        assertThat(Duration.ofNanos(clock.nanos())).isGreaterThanOrEqualTo(PATIENCE.minusMillis(1));
        long waited = clock.nanos();
        // The calendar has moved on with the clock, so the file is old now.
        open().close();
        assertThat(clock.nanos()).isEqualTo(waited);
    }

    @Test
    void shouldReloadAnUnfinishedListOnlyWhenItStoodStillForLong() throws IOException {
        Files.writeString(file, "alice@example.com\n");
        FileList refresher = open();
        append("bob@example.com");
        long before = clock.nanos();
        assertThat(refresher.reload().header().entries()).isEqualTo(2);
        assertThat(clock.nanos() - before).isGreaterThanOrEqualTo(PATIENCE.toNanos() / 2);
    }
}
