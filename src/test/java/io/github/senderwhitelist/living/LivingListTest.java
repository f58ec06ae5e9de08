package io.github.senderwhitelist.living;

import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** A list with its threads: how it starts, what it says of itself, how it ends. */
class LivingListTest {
    private static final Key ALICE = key("alice@example.com");
    private static final Key BOB = key("bob@example.com");
    private static final Key STRANGER = key("stranger@example.org");

    @TempDir private Path folder;
    private final MemoryRecord record = new MemoryRecord(new Random(1));
    private final List<String> told = new ArrayList<>();

    private static Entry entry(Key sender) {
        return Lines.entry(sender.toString());
    }

    private Path file() {
        return folder.resolve("var/own.base");
    }

    private LivingList open() {
        return open(file());
    }

    private LivingList open(Path base) {
        return TestLivingLists.open(
                record,
                "own",
                base,
                Duration.ofMillis(10),
                Duration.ofSeconds(30),
                (LivingListener)
                        Proxy.newProxyInstance(
                                LivingListener.class.getClassLoader(),
                                new Class<?>[] {LivingListener.class},
                                (proxy, method, about) -> {
                                    told.add(
                                            about != null && about[0] instanceof Exception why
                                                    ? why.getMessage()
                                                    : method.getName());
                                    return null;
                                }));
    }

    private void runOnceWith(Key sender) throws IOException {
        try (LivingList list = open()) {
            list.put(entry(sender), "test");
        }
        record.away = null;
        told.clear();
    }

    @Test
    void startShouldReadOnlyWhatHasChangedSince() throws Exception {
        runOnceWith(ALICE);
        int readings = record.tableReadings;
        record.write(List.of(Edit.put(entry(BOB))), "another server");
        try (LivingList list = open()) {
            assertThat(list.status().behind()).isFalse();
            assertThat(list.current().find(ALICE, null)).isEqualTo(entry(ALICE));
            assertThat(list.current().mightContain(ALICE)).isTrue();
            assertThat(list.current().mightContain(BOB)).isTrue();
            assertThat(list.current().mightContain(STRANGER)).isFalse();
        }
        assertThat(record.tableReadings).isEqualTo(readings);
        assertThat(told).containsExactly("resumed");
    }

    @Test
    void startShouldAnswerByWhatWasKnownLastWhileTheDatabaseIsAway() throws Exception {
        runOnceWith(ALICE);
        record.write(List.of(Edit.put(entry(BOB))), "another server");
        record.away = "gone";
        try (LivingList list = open()) {
            assertThat(list.status().behind()).isTrue();
            assertThat(list.status().problem()).contains("gone");
            assertThat(list.current().mightContain(STRANGER)).isFalse();
            assertThat(list.current().mightContain(ALICE)).isTrue();
            assertThat(list.current().find(ALICE, null)).isEqualTo(entry(ALICE));
            assertThat(list.current().find(BOB, null)).isNull();

            record.away = null;
            await().until(() -> !list.status().behind());
            assertThat(list.current().find(BOB, null)).isEqualTo(entry(BOB));
            assertThat(list.current().mightContain(STRANGER)).isFalse();
        }
    }

    /** The clock of a machine that has just started may be far ahead. */
    @Test
    void startShouldRemoveNothing() throws Exception {
        try (LivingList list = open()) {
            list.status();
            await().until(() -> Files.exists(file()));
            assertThat(record.sweeps).hasValue(0);
        }
    }

    @Test
    void startShouldReadTheTableWhenTheFileIsDamaged() throws Exception {
        runOnceWith(ALICE);
        byte[] bytes = Files.readAllBytes(file());
        bytes[100] ^= 1; // Of the header.
        Files.write(file(), bytes);
        try (LivingList list = open()) {
            assertThat(list.current().mightContain(ALICE)).isTrue();
            assertThat(told).hasSize(2).last().isEqualTo("tableRead");
            assertThat(told.getFirst()).startsWith(file() + ": ").contains("damaged");
        }
        record.away = null;
        told.clear();
        open().close();
        assertThat(told).containsExactly("resumed");
    }

    /** What only a restore of the entries without their log leaves is gone after a reading. */
    @Test
    void reloadShouldReadTheTable() throws Exception {
        try (LivingList list = open()) {
            list.put(entry(ALICE), "test");
            Object backup = record.backup();
            list.put(entry(BOB), "test");
            record.restoreEntries(backup);
            assertThat(list.current().find(BOB, null)).isNotNull();
            list.reload();
            assertThat(list.status().entries()).isEqualTo(1);
            assertThat(list.current().find(BOB, null)).isNull();
            assertThat(told).containsExactly("tableRead", "tableRead");
        }
    }

    /** A base that cannot be merged may be damaged. */
    @Test
    void mergeShouldReadTheTableAfterOneThatFailed() throws Exception {
        try (LivingList list = open()) {
            list.put(entry(ALICE), "test");
            list.merge();
            list.put(entry(BOB), "test");
            byte[] bytes = Files.readAllBytes(file());
            byte[] damaged = bytes.clone();
            for (int i = 0; i < bytes.length; i++) {
                damaged[i] ^= 1;
            }
            Files.write(file(), damaged);
            assertThatThrownBy(list::merge).isInstanceOf(IOException.class);
            int readings = record.tableReadings;
            list.merge();
            assertThat(record.tableReadings).isEqualTo(readings + 1);
            assertThat(list.status().entries()).isEqualTo(2);
            assertThat(list.current().find(BOB, null)).isEqualTo(entry(BOB));
        }
    }

    @Test
    void reloadShouldSayWhyItFails() throws Exception {
        LivingList list = open();
        list.put(entry(ALICE), "test");
        record.away = "gone";
        assertThatThrownBy(list::reload).isInstanceOf(IOException.class).hasMessage("gone");
        assertThat(list.current().find(ALICE, null)).isEqualTo(entry(ALICE));
        record.away = null;
        list.reload();
        assertThat(list.status().entries()).isEqualTo(1);
        list.close();
        assertThatThrownBy(list::reload).isInstanceOf(IOException.class);
    }

    @Test
    void settleShouldKeepWhatTheNextStartKnowsWithoutTheDatabase() throws Exception {
        LivingList list = open();
        list.put(entry(ALICE), "test");
        list.settle();
        list.put(entry(BOB), "test");
        await().until(() -> list.status().changes() == 0);
        record.away = "gone";
        // Not closed: a matcher within another one never is.
        Path kept = Files.copy(file(), folder.resolve("kept"));
        list.close();
        Files.move(kept, file(), StandardCopyOption.REPLACE_EXISTING);
        try (LivingList next = open()) {
            assertThat(next.current().find(ALICE, null)).isEqualTo(entry(ALICE));
            assertThat(next.current().find(BOB, null)).isEqualTo(entry(BOB));
        }
    }

    /** What is kept of a user is removed on one of two servers, and goes from both. */
    @Test
    void removeAllForShouldLeaveTheBasesOfAllServersWithTheNextMerge() throws Exception {
        Path other = folder.resolve("other/own.base");
        List<Edit> edits = new ArrayList<>();
        for (int i = 0; i < 1_200; i++) {
            Rule rule = new Rule(false, null, null, null, Origin.LEARNED, "");
            Key friend = key("friend" + i + "@example.org");
            edits.add(Edit.put(new Entry(friend, i % 2 == 0 ? ALICE : BOB, List.of(rule))));
        }
        try (LivingList first = open();
                LivingList second = open(other)) {
            first.write(edits, "test");
            await().until(() -> second.status().changes() == 1_200);
            first.merge();
            second.merge();
            assertThat(entriesFor(ALICE, file())).isEqualTo(600);
            assertThat(entriesFor(ALICE, other)).isEqualTo(600);

            assertThat(first.removeAllFor(ALICE, "test")).isEqualTo(600);
            await().until(() -> second.status().changes() == 600);
            first.merge();
            second.merge();
            for (Path base : List.of(file(), other)) {
                assertThat(entriesFor(ALICE, base)).isZero();
                assertThat(entriesFor(BOB, base)).isEqualTo(600);
                assertThat(new String(Files.readAllBytes(base), ISO_8859_1))
                        .doesNotContain("alice");
            }
            assertThat(second.current().find(key("friend0@example.org"), ALICE)).isNull();
            assertThat(second.status().changes()).isZero();
        }
    }

    /** Returns how many entries of a base are for a recipient. */
    private static int entriesFor(Key to, Path base) throws IOException {
        int entries = 0;
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL.open(base), base, 0)) {
            BlockStore.Walk walk = Objects.requireNonNull(snapshot.store()).walk(null);
            for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
                entries += to.equals(entry.to()) ? 1 : 0;
            }
        }
        return entries;
    }

    @Test
    void listShouldAnswerNothingWhereNoBaseCanBeMade() throws Exception {
        Files.writeString(folder.resolve("var"), "not a folder");
        try (LivingList list = open()) {
            assertThat(list.current().mightContain(ALICE)).isTrue();
            assertThatThrownBy(() -> list.current().find(ALICE, null))
                    .hasMessageContaining("nothing is known of it yet")
                    .hasMessageContaining("var");
            assertThat(list.status().problem()).contains("var");
            Files.delete(folder.resolve("var"));
            await().atMost(Duration.ofSeconds(30)).until(() -> list.status().asOf() != null);
            list.put(entry(ALICE), "test");
            assertThat(list.current().find(ALICE, null)).isEqualTo(entry(ALICE));
        }
    }
}
