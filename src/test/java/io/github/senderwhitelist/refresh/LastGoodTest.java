package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.ListFiles.isListed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.snapshot.Admission;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

/** Tests when the last good snapshot in the work directory is used and when it is replaced. */
class LastGoodTest {
    @TempDir Path folder;
    private Path file;
    private Path work;
    private final List<String> events = new ArrayList<>();
    private final RefreshListener listener = ListFiles.eventsTo(events);

    @BeforeEach
    void folders() {
        file = folder.resolve("whitelist.swl");
        work = folder.resolve("work");
    }

    private FileList open() throws IOException {
        return ListFiles.refresher(ListFiles.settings(file, work), listener);
    }

    private void write(String... lines) throws IOException {
        Files.writeString(file, String.join("\n", lines) + "\n");
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

    private static void lookTwice(FileList refresher) {
        refresher.look();
        refresher.look();
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
    void shouldStartWithoutTheSnapshotItServedLast() throws IOException {
        put("alice@example.com");
        open().close();
        Files.delete(file);

        FileList refresher = open();

        assertThat(isListed(refresher, "alice@example.com")).isTrue();
        assertThat(events).containsExactly("loaded 1", "refused " + file + ": no such file");
        assertThat(refresher.status().problem()).isEqualTo(file + ": no such file");
        assertThat(refresher.status().failed()).isOne();
    }

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
    void shouldNotCopyASnapshotWhoseFilterIsDamaged() throws IOException {
        put("alice@example.com");
        FileList refresher = open();
        SnapshotHeader before = Snapshot.readHeader(Disk.LOCAL, lastGood());

        put("alice@example.com", "bob@example.com");
        flip(file, Files.size(file) - 1);
        lookTwice(refresher);

        assertThat(events.getLast())
                .startsWith("refused " + file + ": damaged: a filter has a wrong checksum");
        assertThat(Snapshot.readHeader(Disk.LOCAL, lastGood())).isEqualTo(before);
    }

    @Test
    void shouldAnswerOnWhenTheSnapshotIsOverwrittenInPlace() throws IOException {
        put("alice@example.com", "bob@example.com");
        FileList refresher = open();
        byte[] garbage = new byte[(int) Files.size(file)];

        Files.write(file, garbage, StandardOpenOption.WRITE);
        assertThat(isListed(refresher, "alice@example.com")).isTrue();
        lookTwice(refresher);

        assertThat(isListed(refresher, "bob@example.com")).isTrue();
        assertThat(events.getLast()).startsWith("refused " + file);
    }

    @Test
    void shouldTakeTheSnapshotThatWasWrittenOverTheOldOne() throws IOException {
        put("alice@example.com", "bob@example.com");
        FileList refresher = open();

        Files.write(file, Files.readAllBytes(make("bob@example.com", "carol@example.com")));
        lookTwice(refresher);

        assertThat(isListed(refresher, "alice@example.com")).isFalse();
        assertThat(isListed(refresher, "carol@example.com")).isTrue();
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
        assertThat(events).containsExactly("loaded 1", "loaded 1", "unchanged");
    }

    @Test
    void shouldCopyAgainWhenItsCopyIsDamaged() throws IOException {
        put("alice@example.com");
        open().close();
        flip(lastGood(), Files.size(lastGood()) - 1);

        assertThat(isListed(open(), "alice@example.com")).isTrue();
        assertThat(events).containsExactly("loaded 1", "loaded 1");
    }

    @Test
    void shouldNotPublishASnapshotThatHasLostTooMuch() throws IOException {
        put("a@example.com", "b@example.com", "c@example.com");
        FileList refresher = open();

        put("a@example.com");
        lookTwice(refresher);

        assertThat(events.getLast()).contains("only 1 entries after 3");
        Files.delete(file);
        assertThat(open().current().header().entries()).isEqualTo(3);
    }

    // Text lists

    @Test
    void shouldNotPublishWhatWasNotAdmitted() throws IOException {
        write("alice@example.com");
        FileList refresher = open();
        SnapshotHeader before = Snapshot.readHeader(Disk.LOCAL, lastGood());
        write("alice@example.com", "bob@example.com");
        ListLoader loader = ListFiles.loader(ListFiles.settings(file, work));

        assertThatThrownBy(
                        () ->
                                loader.load(
                                        before,
                                        true,
                                        header -> {
                                            throw new ListRefusedException("no");
                                        }))
                .hasMessage("no");

        assertThat(Snapshot.readHeader(Disk.LOCAL, lastGood())).isEqualTo(before);
        assertThat(refresher.current().header()).isEqualTo(before);
    }

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
        assertThat(events).containsExactly("loaded 1 built", "unchanged");
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
    void shouldTryAgainWhatFailedForAReasonOutsideTheList() throws IOException {
        write("alice@example.com");
        RefreshTiming impatient =
                new RefreshTiming(Duration.ZERO, Duration.ZERO, RefreshTiming.OF_SERVERS.clock());
        FileList refresher =
                ListFiles.refresher(ListFiles.settings(file, work), impatient, listener);
        Path away = folder.resolve("work-away");
        Files.move(work, away);
        Files.writeString(work, "a file where the folder was");

        write("alice@example.com", "bob@example.com");
        lookTwice(refresher);
        lookTwice(refresher);
        assertThat(refresher.status().failed()).isEqualTo(2);
        assertThat(events).as("one line per problem, not per attempt").hasSize(2);
        assertThat(events.getLast()).startsWith("refused " + file).contains(work.toString());

        Files.delete(work);
        Files.move(away, work);
        lookTwice(refresher);
        assertThat(isListed(refresher, "bob@example.com")).isTrue();
        assertThat(refresher.status().problem()).isNull();
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

        assertThat(events).containsExactly("loaded 1 built", "loaded 2 built", "unchanged");
        refresher.close();
        assertThatThrownBy(refresher::reload).hasMessage(file + ": the list is closed");
    }

    @Test
    void shouldEndABuildWhenTheListIsClosed() throws IOException {
        write("alice@example.com");
        ListLoader loader = ListFiles.loader(ListFiles.settings(file, work));
        loader.stop();

        assertThatThrownBy(() -> loader.load(null, true, Admission.ALL))
                .isInstanceOf(CancellationException.class);
    }

    // What killed processes leave

    @Test
    void shouldClearAwayWhatKilledProcessesLeftAndNothingElse() throws IOException {
        write("alice@example.com");
        open().close();
        String name = Objects.requireNonNull(lastGood().getFileName()).toString();
        Path left = Files.writeString(work.resolve("." + name + ".1a2b.tmp"), "left");
        Path locked = Files.writeString(work.resolve("." + name + ".3c4d.tmp"), "at work");
        Path other = Files.writeString(work.resolve(".other.swl.5e6f.tmp"), "other");
        Path runs = Files.createFile(work.resolve(".swl-temporary-7a8b"));

        try (FileChannel channel = FileChannel.open(locked, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            assertThat(lock.isValid()).isTrue();
            open().close();
        }

        assertThat(inWork()).doesNotContain(left, runs).contains(locked, other, work.resolve(name));
    }

    // Files

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
