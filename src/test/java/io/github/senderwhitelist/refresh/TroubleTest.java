package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.ListFiles.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.tools.Handles;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Tests troubles that must not stop a list from being followed, nor a question from an answer. */
class TroubleTest {
    private static final String ALICE = "alice@example.com";

    @TempDir Path folder;
    private Path file;
    private Path work;
    private final List<String> refusals = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void list() throws IOException {
        file = folder.resolve("whitelist.txt");
        work = folder.resolve("work");
        Files.writeString(file, ALICE + "\n");
    }

    private FileList follow() throws IOException {
        return ListFiles.open(ListFiles.settings(file, work), ListFiles.refusalsTo(refusals));
    }

    private void put(String text) throws IOException {
        Path other = Files.writeString(folder.resolve("other"), text);
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    @Timeout(600)
    void shouldSayThatAListIsClosed() throws IOException {
        FileList list = follow();
        assertThat(check(list, ALICE)).isInstanceOf(Listed.class);
        list.close();
        list.close();
        // The answer is remembered, so nothing need be read; another one is not.
        assertThat(check(list, "bob@example.com")).isNotInstanceOf(Listed.class);
        FileList refresher =
                ListFiles.refresher(ListFiles.settings(file, work), ListFiles.refusalsTo(refusals));
        refresher.close();
        refresher.close();
        assertThat(check(refresher, ALICE))
                .isInstanceOfSatisfying(
                        Unavailable.class,
                        verdict -> assertThat(verdict.cause()).hasMessage("the list is closed"));
    }

    /** An interrupt from somebody else must not end the thread that follows the file. */
    @Test
    @Timeout(600)
    void shouldGoOnFollowingWhenItsThreadIsInterrupted() throws IOException {
        FileList list = follow();
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("whitelist refresh of whitelist.txt"))
                .forEach(Thread::interrupt);
        put(ALICE + "\nbob@example.com\n");
        await().until(() -> check(list, "bob@example.com") instanceof Listed);
        list.close();
    }

    /** A listener that fails must not leave a generation half active. */
    @Test
    void shouldGoOnWhenTheListenerFails() throws IOException {
        RefreshListener listener =
                new RefreshListener() {
                    @Override
                    public void loaded(SnapshotHeader header, @Nullable BuildReport report) {
                        throw new IllegalStateException("the log is full");
                    }

                    @Override
                    public void refused(String active, String reason, @Nullable Throwable cause) {
                        throw new AssertionError("the log is full");
                    }
                };
        FileList refresher = ListFiles.refresher(ListFiles.settings(file, work), listener);
        Generation old = refresher.current();
        put(ALICE + "\nbob@example.com\n");
        refresher.look();
        refresher.look();
        assertThat(check(refresher, "bob@example.com")).isInstanceOf(Listed.class);
        assertThat(refresher.status().problem()).isNull();
        assertThat(refresher.status().header().entries()).isEqualTo(2);
        assertThat(check(() -> old, ALICE)).isInstanceOf(Unavailable.class);
        put("");
        refresher.look();
        refresher.look();
        assertThat(refresher.status().problem()).contains("holds no entries");
        refresher.close();
        if (Handles.areTold()) {
            assertThat(Handles.files(folder.toString())).isEmpty();
            assertThat(Handles.mappings(folder.toString())).isEmpty();
        }
    }

    /** The active snapshot is cut under the server's hands. */
    @Test
    void shouldMakeTheListAnewWhenLookupsFail() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 5_000; i++) {
            text.append("user").append(i).append("@example.com\n");
        }
        put(text.toString());
        FileList list = follow();
        cutSnapshot();
        assertThat(check(list, "user4999@example.com")).isInstanceOf(Unavailable.class);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> check(list, "user4999@example.com") instanceof Listed);
        await().until(() -> list.status().problem() == null);
        assertThat(refusals).singleElement().asString().contains("lookups fail");
        assertThat(list.status().failed()).isOne();
        list.close();
        Files.delete(file);
        try (FileList again = follow()) {
            assertThat(check(again, "user17@example.com")).isInstanceOf(Listed.class);
        }
    }

    private void cutSnapshot() throws IOException {
        try (Stream<Path> files = Files.list(work)) {
            Path snapshot = files.findFirst().orElseThrow();
            try (RandomAccessFile cut = new RandomAccessFile(snapshot.toFile(), "rw")) {
                cut.setLength(100);
            }
        }
    }

    /** Each attempt reads the whole list. */
    @Test
    void shouldNotTryAtEachLookWhenLookupsFailAndTheListIsRefused() throws IOException {
        FileList refresher =
                ListFiles.refresher(ListFiles.settings(file, work), ListFiles.refusalsTo(refusals));
        Files.writeString(file, "");
        refresher.look();
        refresher.look();
        cutSnapshot();
        assertThat(check(refresher, ALICE)).isInstanceOf(Unavailable.class);
        for (int i = 0; i < 5; i++) {
            refresher.look();
        }
        assertThat(refresher.status().heldBack()).isEqualTo(2);
        assertThat(refusals).hasSize(3).element(1).asString().contains("lookups fail");
        put(ALICE + "\n");
        refresher.look();
        refresher.look();
        assertThat(check(refresher, ALICE)).isInstanceOf(Listed.class);
        refresher.close();
    }
}
