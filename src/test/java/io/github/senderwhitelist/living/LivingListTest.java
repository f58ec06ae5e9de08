package io.github.senderwhitelist.living;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A list with its threads: how it starts, what it says of itself, how it ends. */
class LivingListTest {
    private static final Key ALICE = key("alice@example.com");
    private static final Key BOB = key("bob@example.com");
    private static final Key STRANGER = key("stranger@example.org");

    @TempDir private Path folder;
    private final MemoryRecord record = new MemoryRecord(new Random(1));
    private final List<String> told = new ArrayList<>();

    private static Key key(String address) {
        return SmallLists.address(address).key();
    }

    private static Entry entry(Key sender) {
        return new Entry(
                sender, null, List.of(new Rule(false, null, null, null, Origin.ADMIN, "")));
    }

    private Path file() {
        return folder.resolve("var/own.base");
    }

    private LivingList open() {
        return TestLivingLists.open(
                record,
                "own",
                file(),
                Duration.ofMillis(10),
                Duration.ofSeconds(30),
                new LivingListener() {
                    @Override
                    public void tableRead(LivingStatus status) {
                        told.add("read");
                    }

                    @Override
                    public void resumed(LivingStatus status) {
                        told.add("resumed");
                    }

                    @Override
                    public void notResumed(Exception cause) {
                        told.add(String.valueOf(cause.getMessage()));
                    }

                    @Override
                    public void failed(String what, Throwable cause) {
                        told.add(what);
                    }

                    @Override
                    public void recovered() {
                        told.add("recovered");
                    }
                });
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
            assertThat(told).hasSize(2).last().isEqualTo("read");
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
            assertThat(list.reload().entries()).isEqualTo(1);
            assertThat(list.current().find(BOB, null)).isNull();
            assertThat(told).containsExactly("read", "read");
        }
    }

    /** A base that was kept is as old as the reading of the table that it comes from. */
    @Test
    void tableShouldBeReadAWeekAfterItWasReadLast() throws Exception {
        runOnceWith(ALICE);
        keepBaseOf(Instant.now().minus(Duration.ofDays(6)));
        int readings = record.tableReadings;
        try (LivingList list = open()) {
            await().during(Duration.ofMillis(300)).until(() -> list.status().entries() == 1);
            assertThat(record.tableReadings).isEqualTo(readings);
        }
        keepBaseOf(Instant.now().minus(Duration.ofDays(8)));
        int again = record.tableReadings;
        try (LivingList list = open()) {
            await().until(() -> record.tableReadings == again + 1);
            await().until(() -> told.contains("read"));
            assertThat(list.status().entries()).isEqualTo(1);
        }
    }

    /** Has the next start find a base whose table was read at some time. */
    private void keepBaseOf(Instant time) throws IOException {
        Follower follower = new Follower(record, System::nanoTime, 1L << 24, told::add);
        BaseMaker maker =
                new BaseMaker(
                        TestLivingLists.settings("own", Duration.ZERO, Duration.ZERO),
                        Disk.LOCAL,
                        file(),
                        record,
                        follower,
                        new ListCounters(),
                        new LivingListener() {},
                        InstantSource.fixed(time));
        assertThat(maker.readTable()).isTrue();
        follower.close();
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
        assertThat(list.reload().entries()).isEqualTo(1);
        list.close();
        assertThatThrownBy(list::reload).isInstanceOf(IOException.class);
    }

    /** FINDINGS: it said 0 while three were listed. */
    @Test
    void statusShouldCountBaseAndChanges() throws Exception {
        try (LivingList list = open()) {
            list.write(
                    List.of(entry(ALICE), entry(BOB), entry(STRANGER)).stream()
                            .map(Edit::put)
                            .toList(),
                    "test");
            assertThat(list.status().entries()).isEqualTo(3);
            list.merge();
            assertThat(list.status().changes()).isZero();
            assertThat(list.status().entries()).isEqualTo(3);
            list.remove(Origin.ADMIN, BOB, null, "test");
            assertThat(list.status().entries()).isEqualTo(2);
        }
    }

    @Test
    void aListThatIsGoneShouldStayActiveAndRefuseChanges() throws Exception {
        try (LivingList list = open()) {
            list.put(entry(ALICE), "test");
            record.drop();
            await().until(() -> list.status().degraded() || list.status().problem() != null);
            assertThatThrownBy(() -> list.put(entry(BOB), "test")).hasMessageContaining("no such");
            assertThat(list.status().degraded()).isTrue();
            assertThat(list.current().find(ALICE, null)).isEqualTo(entry(ALICE));
        }
        try (LivingList list = open()) {
            assertThat(list.current().find(ALICE, null)).isEqualTo(entry(ALICE));
            assertThatThrownBy(record::last).hasMessageContaining("no such");
        }
    }

    /** Health is degraded while changes are refused, for whatever cause. */
    @Test
    void refusedChangesShouldDegradeUntilTheyArePossible() throws Exception {
        try (LivingList list = open()) {
            record.faults =
                    new MemoryRecord.Faults() {
                        @Override
                        public void beforeCommit() throws IOException {
                            throw new IOException("the disk is full");
                        }
                    };
            assertThatThrownBy(() -> list.put(entry(ALICE), "test"))
                    .hasMessageContaining("the disk is full");
            assertThat(list.status().degraded()).isTrue();
            assertThat(list.status().problem()).contains("the disk is full");
            record.faults = new MemoryRecord.Faults() {};
            await().until(() -> !list.status().degraded());
            assertThat(list.status().problem()).isNull();
        }
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

    @Test
    void entriesOfABulkShouldBeActiveOnceItHasEnded() throws Exception {
        try (LivingList list = open()) {
            record.load(List.of(entry(ALICE)), false);
            record.endLoad();
            await().until(() -> list.current().find(ALICE, null) != null);
            assertThat(list.status().behind()).isFalse();
        }
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
