package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.ListFiles.isListed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.ForwardingDisk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** What is read and activated, what is held back, and when the last good snapshot is used. */
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

    /** The file changes when the build has begun, so a mixture may have been read. */
    @Test
    void shouldNotTakeAListThatChangedWhileItWasRead() throws IOException {
        write("alice@example.com");
        AtomicBoolean armed = new AtomicBoolean();
        Disk disk =
                new ForwardingDisk(Disk.LOCAL) {
                    @Override
                    public DiskFile create(Path path, @Nullable Path like) throws IOException {
                        if (armed.getAndSet(false)) {
                            Files.writeString(
                                    file, "late@example.com\n", StandardOpenOption.APPEND);
                        }
                        return super.create(path, like);
                    }
                };
        FileList refresher =
                new FileList(
                        ListFiles.settings(file, work),
                        disk,
                        ListFiles.IMPATIENT,
                        listener,
                        new ListCounters());
        write("alice@example.com", "bob@example.com");
        refresher.look();
        armed.set(true);
        assertThat(refresher.look()).isEqualTo(Standstill.FINE);
        assertThat(armed).isFalse();
        assertThat(isListed(refresher, "bob@example.com")).isFalse();
        assertThat(ListFiles.loader(ListFiles.settings(file, work)).lastEntries())
                .as("the last good snapshot")
                .isOne();

        lookTwice(refresher);
        assertThat(isListed(refresher, "late@example.com")).isTrue();
        assertThat(events.getLast()).startsWith("warned was taken").contains("seen to grow");
    }

    @Test
    void shouldNotBuildAgainWhatItBuiltBefore() throws IOException {
        write("alice@example.com");
        open();
        open();

        assertThat(events).containsExactly("loaded 1 built", "loaded 1");
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
    void shouldNotStartWithNothing() {
        assertThatThrownBy(this::open)
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": no such file");
    }

    @Test
    void shouldRefuseDenialsWhenTheFilterAloneDecides() throws IOException {
        write("alice@example.com", "!bob@example.com");
        ListSettings filterOnly = new ListSettingsBuilder(file, work).filtersAlone().settings();

        assertThatThrownBy(() -> ListFiles.refresher(filterOnly, listener))
                .hasMessageContaining("has 1 '!' entries");
    }

    /** Puts a finished snapshot into place by a rename. */
    private void put(String... lines) throws IOException {
        Path made = make(lines);
        Files.move(made, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path make(String... lines) throws IOException {
        SmallLists.snapshot(folder, SmallLists.TIGHT, lines).close();
        return folder.resolve("list-" + String.join("", lines).hashCode() + ".swl");
    }

    private List<Path> inWork() throws IOException {
        try (Stream<Path> files = Files.list(work)) {
            return files.toList();
        }
    }

    private Path lastGood() throws IOException {
        assertThat(inWork()).hasSize(1);
        return inWork().getFirst();
    }

    private static void flip(Path file, long at) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 1)).flip();
            channel.write(one, at);
        }
    }

    // Finished snapshots

    @Test
    void shouldStartWithTheLastGoodOneWhenTheSnapshotIsDamaged() throws IOException {
        put("alice@example.com");
        open().close();
        put("alice@example.com", "bob@example.com");
        flip(file, 4096 + 10);

        FileList refresher = open();

        assertThat(isListed(refresher, "alice@example.com")).isTrue();
        assertThat(isListed(refresher, "bob@example.com")).isFalse();
        assertThat(events.getLast())
                .startsWith("refused " + file + ": damaged: block 0 of its exact store")
                .doesNotContain(".tmp");
        assertThat(refresher.status().heldBack()).isOne();
        assertThat(lastGood()).satisfies(left -> Snapshot.open(Disk.LOCAL, left).close());
    }

    @Test
    void shouldCopyASnapshotOnce() throws IOException {
        put("alice@example.com");
        open().close();
        Object copied = Files.readAttributes(lastGood(), "unix:ino");

        FileList refresher = open();
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
        lookTwice(refresher);

        assertThat(Files.readAttributes(lastGood(), "unix:ino")).isEqualTo(copied);
        assertThat(events).containsExactly("loaded 1", "loaded 1");
    }

    // Text lists

    @Test
    void shouldBuildAgainWhenTheSnapshotOfAnUnchangedListIsDamaged() throws IOException {
        write("alice@example.com");
        open().close();
        flip(lastGood(), Files.size(lastGood()) - 1);

        assertThat(isListed(open(), "alice@example.com")).isTrue();
        assertThat(events).containsExactly("loaded 1 built", "loaded 1 built");
    }

    @Test
    void shouldKeepWhatItRemembersWhenTheListWasOnlyTouched() throws IOException {
        write("alice@example.com");
        FileList refresher = open();
        Generation before = refresher.current();

        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
        lookTwice(refresher);

        assertThat(refresher.current()).isSameAs(before);
        assertThat(events).containsExactly("loaded 1 built");
    }

    @Test
    void shouldForgetTheProblemWhenTheListIsAsItWas() throws IOException {
        write("alice@example.com");
        FileList refresher = open();
        write("");
        lookTwice(refresher);
        assertThat(refresher.status().problem()).contains("holds no entries");

        write("alice@example.com");
        lookTwice(refresher);

        ListStatus status = refresher.status();
        assertThat(status.problem()).isNull();
        assertThat(List.of(status.done(), status.heldBack(), status.failed()))
                .containsExactly(2L, 1L, 0L);
    }

    @Test
    void shouldNotTakeTheNameOfAFolderForTheReason() throws IOException {
        work = Files.writeString(folder.resolve("no space"), "a file");
        write("alice@example.com");
        assertThatThrownBy(this::open).hasMessage(file + ": " + work + ": not a folder");
    }

    @Test
    void shouldReloadWhenAsked() throws IOException {
        write("alice@example.com");
        FileList refresher = open();
        write("alice@example.com", "bob@example.com");

        assertThat(refresher.reload().header().entries()).isEqualTo(2);
        assertThat(refresher.reload().done()).isEqualTo(3);

        assertThat(events).containsExactly("loaded 1 built", "loaded 2 built");
        refresher.close();
        assertThatThrownBy(refresher::reload).hasMessage(file + ": the list is closed");
    }

    @Test
    void shouldEndABuildWhenTheListIsClosed() throws IOException {
        write("alice@example.com");
        ListLoader loader = ListFiles.loader(ListFiles.settings(file, work));
        loader.stop();

        assertThatThrownBy(() -> loader.load(null, true, header -> {}))
                .isInstanceOf(CancellationException.class);
    }

    @Test
    void shouldWaitLongerWhereTheClockOfTheFilesIsCoarse() {
        Instant now = Instant.parse("2026-11-21T12:00:00.5Z");
        FileState fine = changed(now.minusMillis(300));
        FileState coarse = changed(Instant.parse("2026-11-21T11:59:59Z"));
        assertThat(Standstill.settleTime(fine)).isLessThan(Duration.ofSeconds(1));
        assertThat(Standstill.settleTime(coarse)).isGreaterThan(Duration.ofSeconds(2));
    }

    private static FileState changed(Instant time) {
        return new FileState(FileState.Type.REGULAR, 1, time, "1", "1", "");
    }
}
