package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.SteppedList.check;
import static io.github.senderwhitelist.refresh.SteppedList.isListed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.snapshot.Snapshot;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;

/** What is read and activated, what is held back, and when the last good snapshot is used. */
class FileListTest extends ListTest {
    private Path lastGood() throws IOException {
        assertThat(inWork()).hasSize(1);
        return inWork().getFirst();
    }

    private static void flip(Path file, long at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[(int) at] ^= 1;
        Files.write(file, bytes);
    }

    private void cutLastGood() throws IOException {
        Files.write(lastGood(), Arrays.copyOf(Files.readAllBytes(lastGood()), 100));
    }

    // What is active

    /** The file changes when the build has begun, so a mixture may have been read. */
    @Test
    void shouldNotTakeAListThatChangedWhileItWasRead() throws IOException {
        write("alice@example.com");
        AtomicBoolean armed = new AtomicBoolean();
        Disk disk =
                new FaultyDisk(Disk.LOCAL) {
                    @Override
                    protected void before(Call call, Path path) throws IOException {
                        if (call == Call.CREATE && armed.getAndSet(false)) {
                            Files.writeString(file, "late@x.example\n", StandardOpenOption.APPEND);
                        }
                    }
                };
        SteppedList list = open(settings(), disk);
        write("alice@example.com", "bob@example.com");
        armed.set(true);
        list.pass(Standstill.FINE);
        assertThat(armed).isFalse();
        assertThat(isListed(list, "bob@example.com")).isFalse();
        try (Snapshot kept = Snapshot.open(Disk.LOCAL, lastGood())) {
            assertThat(kept.header().entries()).isOne();
        }
        settle(list);
        assertThat(isListed(list, "late@x.example")).isTrue();
        assertThat(list.events().getLast()).startsWith("warned was taken").contains("seen to grow");
    }

    @Test
    void shouldKeepWhatItRemembersWhenTheListWasOnlyTouched() throws IOException {
        write("alice@example.com");
        SteppedList list = open();
        Generation before = list.current();
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
        list.pass(SOON);
        assertThat(list.current()).isSameAs(before);
        assertThat(list.status().done()).isEqualTo(2);
        assertThat(list.events()).containsExactly("loaded 1 built");
    }

    @Test
    void shouldReloadWhenAsked() throws IOException {
        write("alice@example.com");
        SteppedList list = open();
        write("alice@example.com", "bob@example.com");
        assertThat(list.reload().header().entries()).isEqualTo(2);
        assertThat(list.reload().done()).isEqualTo(3);
        assertThat(list.events()).containsExactly("loaded 1 built", "loaded 2 built");
        list.close();
        list.close();
        assertThatThrownBy(list::reload).hasMessage(file + ": the list is closed");
        assertThat(check(list, "alice@example.com"))
                .isInstanceOfSatisfying(
                        Unavailable.class,
                        verdict -> assertThat(verdict.cause()).hasMessage("the list is closed"));
    }

    /** An interrupt from somebody else must not end the thread that follows the file. */
    @Test
    @Timeout(600)
    void shouldGoOnFollowingWhenItsThreadIsInterrupted() throws IOException {
        write("alice@example.com");
        try (FileList list = SteppedList.follow(settings().settings(), new ArrayList<>())) {
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("whitelist refresh of whitelist.txt"))
                    .forEach(Thread::interrupt);
            put("alice@example.com", "bob@example.com");
            await().until(() -> isListed(list, "bob@example.com"));
        }
    }

    @Test
    void shouldEndABuildWhenTheListIsClosed() throws IOException {
        write("alice@example.com");
        ListLoader loader =
                new ListLoader(settings().settings(), Disk.LOCAL, new ListCounters(), () -> true);
        assertThatThrownBy(() -> loader.first(Disk.LOCAL.state(file)))
                .isInstanceOf(CancellationException.class);
    }

    // What is held back

    static List<byte[]> useless() {
        return List.of(
                new byte[0],
                "# only a comment\n".getBytes(UTF_8),
                new byte[] {1, 2, 0, 4},
                "not an address\nneither this\n".getBytes(UTF_8),
                new byte[] {(byte) 0x89, 'S', 'W', 'L', '\r', '\n', 0x1a, '\n', 1},
                "a@example.com\n".getBytes(UTF_16));
    }

    @ParameterizedTest
    @MethodSource("useless")
    void shouldKeepTheGenerationActiveWhenTheListIsUseless(byte[] useless) throws IOException {
        write("alice@example.com", "bob@example.com");
        SteppedList list = open();
        put(Files.write(folder.resolve("other"), useless));
        settle(list);
        assertThat(isListed(list, "alice@example.com")).isTrue();
        // One line for each problem, not for each look.
        assertThat(list.refusals()).singleElement().asString().startsWith(file.toString());
        assertThat(list.status().problem()).isEqualTo(list.refusals().getFirst());

        put("alice@example.com", "bob@example.com");
        list.pass(SOON);
        ListStatus status = list.status();
        assertThat(status.problem()).isNull();
        assertThat(List.of(status.done(), status.heldBack(), status.failed()))
                .containsExactly(2L, 1L, 0L);
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
    void shouldHoldBackAListThatLostMoreThanItsShareAlsoAtTheNextStart(
            double maxShrink, int left, boolean taken) throws IOException {
        write(lines(4));
        ListSettingsBuilder settings = settings().maxShrink(maxShrink);
        SteppedList list = open(settings, Disk.LOCAL);
        put(Arrays.copyOf(lines(4), left));
        Files.writeString(file, "# changed\n", StandardOpenOption.APPEND);
        settle(list);
        for (SteppedList each : List.of(list, open(settings, Disk.LOCAL))) {
            assertThat(each.current().header().entries()).isEqualTo(taken ? left : 4);
            if (!taken) {
                String refusal = "only " + left + " entries after 4, fewer than maxShrink";
                assertThat(each.refusals()).singleElement().asString().contains(refusal);
            }
        }
    }

    @Test
    void shouldSayWhyItDoesNotStart() throws IOException {
        assertThatThrownBy(this::open)
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": no such file");
        write("alice@example.com", "!bob@example.com");
        assertThatThrownBy(() -> open(settings().filtersAlone(), Disk.LOCAL))
                .hasMessageContaining("has 1 '!' entries");
        work = Files.writeString(folder.resolve("no space"), "a file");
        assertThatThrownBy(this::open).hasMessage(file + ": " + work + ": not a folder");
    }

    // The last good snapshot

    @Test
    void shouldNotBuildAgainWhatItBuiltUnlessThatIsDamaged() throws IOException {
        write("alice@example.com");
        open();
        assertThat(open().events()).containsExactly("loaded 1");
        flip(lastGood(), Files.size(lastGood()) - 1);
        SteppedList list = open();
        assertThat(isListed(list, "alice@example.com")).isTrue();
        assertThat(list.events()).containsExactly("loaded 1 built");
    }

    @Test
    void shouldCopyASnapshotOnceAndStartWithItWhenTheNextIsDamaged() throws IOException {
        put(snapshot("alice@example.com"));
        SteppedList list = open();
        Object copied = Files.readAttributes(lastGood(), "unix:ino");
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
        list.pass(SOON);
        assertThat(open().events()).containsExactly("loaded 1");
        assertThat(Files.readAttributes(lastGood(), "unix:ino")).isEqualTo(copied);

        put(snapshot("alice@example.com", "bob@example.com"));
        flip(file, 4096 + 10);
        SteppedList next = open();
        assertThat(isListed(next, "alice@example.com")).isTrue();
        assertThat(isListed(next, "bob@example.com")).isFalse();
        assertThat(next.refusals())
                .singleElement()
                .asString()
                .startsWith(file + ": damaged: block 0 of its exact store")
                .doesNotContain(".tmp");
        assertThat(next.status().heldBack()).isOne();
        Snapshot.open(Disk.LOCAL, lastGood()).close();
    }

    /** The active snapshot is cut under the server's hands. */
    @Test
    void shouldMakeTheListAnewWhenLookupsFail() throws IOException {
        write(lines(5_000));
        SteppedList list = open();
        cutLastGood();
        assertThat(check(list, "user4999@example.com")).isInstanceOf(Unavailable.class);
        list.pass(SOON);
        assertThat(isListed(list, "user4999@example.com")).isTrue();
        assertThat(list.refusals()).singleElement().asString().contains("lookups fail");
        assertThat(list.status().problem()).isNull();
        assertThat(list.status().failed()).isOne();
        Files.delete(file);
        assertThat(isListed(open(), "user17@example.com")).isTrue();
    }

    /** Each attempt reads the whole list. */
    @Test
    void shouldNotTryAtEachLookWhenLookupsFailAndTheListIsRefused() throws IOException {
        write("alice@example.com");
        SteppedList list = open();
        put("");
        list.pass(SOON);
        cutLastGood();
        assertThat(check(list, "alice@example.com")).isInstanceOf(Unavailable.class);
        list.pass(SOON);
        assertThat(list.status().heldBack()).isEqualTo(2);
        assertThat(list.refusals()).hasSize(3).element(1).asString().contains("lookups fail");
        put("alice@example.com");
        list.pass(SOON);
        assertThat(isListed(list, "alice@example.com")).isTrue();
    }
}
