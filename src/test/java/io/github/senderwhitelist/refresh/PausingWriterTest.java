package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.SteppedList.isListed;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.refresh.SteppedList.TestClock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.zip.GZIPOutputStream;

/** Tests writers that pause in the middle of a list, for longer than a file must stand still. */
class PausingWriterTest extends ListTest {
    private void append(String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }

    @Test
    void shouldNotTakeALineThatIsCutWithinADomain() throws IOException {
        write("alice@example.com", "@partner.example");
        SteppedList list = open();
        Files.writeString(file, "alice@example.com\nbob@example.com\n@partner.co");
        list.pass(Duration.ofSeconds(5));
        assertThat(isListed(list, "eve@partner.co")).isFalse();
        append("m\n");
        list.pass(PATIENCE.minusSeconds(1));
        assertThat(isListed(list, "eve@partner.co")).isFalse();
        assertThat(isListed(list, "carol@partner.com")).isFalse();
        list.pass(PATIENCE);
        assertThat(isListed(list, "carol@partner.com")).isTrue();
        assertThat(list.events())
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

    /** As nano and others save a file from which somebody took lines out. */
    @Test
    void shouldTakeAListAtOnceThatLostAFewLinesInPlace() throws IOException {
        write(lines(30));
        SteppedList list = open();
        list.pass(Duration.ofSeconds(20));
        write(lines(28));
        list.pass(SOON);
        assertThat(isListed(list, "user29@example.com")).isFalse();
        write(lines(26));
        list.pass(SOON);
        assertThat(isListed(list, "user27@example.com")).isFalse();
        assertThat(list.events())
                .containsExactly("loaded 30 built", "loaded 28 built", "loaded 26 built");
    }

    /** The last lines are the longest, so a tenth of them is more than a tenth of the file. */
    @ParameterizedTest
    @ValueSource(strings = {"a tenth", "twice", "grown", "cut", "packed"})
    void shouldNotTakeAListAtOnceThatLostMoreOrInAnotherWay(String way) throws IOException {
        write(way, 40, "");
        SteppedList list = open();
        write(way, way.equals("a tenth") ? 36 : 38, way.equals("cut") ? "@partner.co" : "");
        if (way.equals("twice") || way.equals("grown")) {
            list.look();
            write(way, way.equals("twice") ? 37 : 39, "");
        }
        list.pass(PATIENCE.minusSeconds(1));
        assertThat(isListed(list, "user39@example.com")).isTrue();
        list.pass(Duration.ofSeconds(2));
        assertThat(isListed(list, "user39@example.com")).isFalse();
        assertThat(list.events())
                .satisfiesExactly(
                        event -> assertThat(event).isEqualTo("loaded 40 built"),
                        event -> assertThat(event).startsWith("warned looks unfinished"),
                        event -> assertThat(event).startsWith("loaded"),
                        event -> assertThat(event).startsWith("warned was taken though"));
    }

    private void write(String way, int lines, String end) throws IOException {
        OutputStream plain = Files.newOutputStream(file);
        try (OutputStream out = way.equals("packed") ? new GZIPOutputStream(plain) : plain) {
            out.write((String.join("\n", lines(lines)) + "\n" + end).getBytes(UTF_8));
        }
    }

    @Test
    void shouldWaitForAFreshFileAtTheStartAndNotForAnOldOne() throws IOException {
        Files.writeString(file, "alice@example.com\n@partner.co");
        clock = new TestClock(Disk.LOCAL.state(file).changed());
        open();
        long waited = clock.nanos();
        assertThat(Duration.ofNanos(waited)).isGreaterThanOrEqualTo(PATIENCE);
        // The calendar has moved on with the clock, so the file is old now.
        open();
        assertThat(clock.nanos()).isEqualTo(waited);
    }

    @Test
    void shouldReloadAnUnfinishedListOnlyWhenItStoodStillForLong() throws IOException {
        write("alice@example.com");
        SteppedList list = open();
        append("bob@example.com");
        long before = clock.nanos();
        assertThat(list.reload().header().entries()).isEqualTo(2);
        assertThat(clock.nanos() - before).isGreaterThan(PATIENCE.toNanos() / 2);
    }

    /** A change within the same second may not show. */
    @Test
    void shouldWaitLongerWhereTheClockOfTheFilesIsCoarse() throws IOException {
        write("alice@example.com");
        Disk coarse =
                new FaultyDisk(Disk.LOCAL) {
                    @Override
                    public FileState state(Path of) {
                        FileState fine = super.state(of);
                        return new FileState(
                                fine.type(),
                                fine.size(),
                                fine.changed().truncatedTo(ChronoUnit.SECONDS),
                                fine.identity(),
                                fine.details());
                    }
                };
        SteppedList list = open(settings(), coarse);
        put("alice@example.com", "bob@example.com");
        list.pass(Duration.ofSeconds(2));
        assertThat(isListed(list, "bob@example.com")).isFalse();
        list.pass(SOON);
        assertThat(isListed(list, "bob@example.com")).isTrue();
    }

    @Test
    void shouldSayOnceThatAFileNeverStandsStill() throws IOException {
        write("alice@example.com");
        SteppedList list = open();
        for (int i = 0; i < 1_000; i++) {
            append("user" + i + "@example.com\n");
            list.look();
            clock.sleep(Standstill.FINE);
        }
        assertThat(list.refusals())
                .singleElement()
                .asString()
                .startsWith(file + ": has been changing for over 60 s");
        settle(list);
        assertThat(isListed(list, "user999@example.com")).isTrue();
        assertThat(list.status().problem()).isNull();
    }
}
