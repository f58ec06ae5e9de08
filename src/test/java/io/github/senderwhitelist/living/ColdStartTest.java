package io.github.senderwhitelist.living;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A server starts again, with the base that it kept. */
class ColdStartTest {
    private static final Key ALICE = key("alice@example.com");
    private static final Key BOB = key("bob@example.com");
    private static final Key STRANGER = key("stranger@example.org");

    @TempDir private Path folder;
    private final MemoryTable table = new MemoryTable();
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
                table,
                "own",
                file(),
                Duration.ofMillis(10),
                Duration.ofSeconds(30),
                new LivingListener() {
                    @Override
                    public void compared(LivingStatus status, List<String> first) {
                        told.add(status.differences() + " differ: " + first);
                    }

                    @Override
                    public void built(LivingStatus status) {
                        told.add("built");
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
        table.fail(null);
        told.clear();
    }

    @Test
    void shouldReadOnlyWhatHasChangedSince() throws Exception {
        runOnceWith(ALICE);
        int scans = table.scans();
        table.put(entry(BOB), "another server");
        try (LivingList list = open()) {
            assertThat(list.status().behind()).isFalse();
            assertThat(list.current().find(ALICE, null)).isEqualTo(entry(ALICE));
            assertThat(list.current().mightContainAddress(ALICE)).isTrue();
            assertThat(list.current().mightContainAddress(BOB)).isTrue();
            assertThat(list.current().mightContainAddress(STRANGER)).isFalse();
        }
        assertThat(table.scans()).isEqualTo(scans);
        assertThat(told).containsExactly("resumed");
    }

    @Test
    void shouldAnswerByWhatWasKnownLastWhileTheDatabaseIsAway() throws Exception {
        runOnceWith(ALICE);
        table.put(entry(BOB), "another server");
        table.fail("gone");
        try (LivingList list = open()) {
            assertThat(list.status().behind()).isTrue();
            assertThat(list.status().problem()).contains("gone");
            assertThat(list.current().mightContainAddress(STRANGER)).isFalse();
            assertThat(list.current().mightContainAddress(ALICE)).isTrue();
            assertThat(list.current().find(ALICE, null)).isEqualTo(entry(ALICE));
            assertThat(list.current().find(BOB, null)).isNull();

            table.fail(null);
            await().until(() -> !list.status().behind());
            assertThat(list.current().find(BOB, null)).isEqualTo(entry(BOB));
            assertThat(list.current().mightContainAddress(STRANGER)).isFalse();
        }
    }

    /** The clock of a machine that has just started may be far ahead. */
    @Test
    void shouldRemoveNothingAtTheStart() throws Exception {
        try (LivingList list = open()) {
            list.status();
            await().until(() -> Files.exists(file()));
            assertThat(table.sweeps()).isZero();
        }
    }

    @Test
    void shouldReadTheTableAgainWhenTheFileIsDamaged() throws Exception {
        runOnceWith(ALICE);
        byte[] bytes = Files.readAllBytes(file());
        bytes[100] ^= 1; // Of the header.
        Files.write(file(), bytes);
        try (LivingList list = open()) {
            assertThat(list.current().mightContainAddress(ALICE)).isTrue();
            assertThat(told).hasSize(2).last().isEqualTo("built");
            assertThat(told.getFirst()).startsWith(file() + ": ").contains("damaged");
        }
        table.fail(null);
        told.clear();
        open().close();
        assertThat(told).containsExactly("resumed");
    }

    @Test
    void shouldCountWhatIsNotAsInTheTableAndHaveItInForce() throws Exception {
        try (LivingList list = open()) {
            list.put(entry(ALICE), "test");
            list.put(entry(BOB), "test");
            assertThat(list.reload().differences()).isZero();
            table.setSilently(BOB, List.of());
            table.setSilently(ALICE, List.of(Rule.DENIES));
            table.setSilently(STRANGER, List.of(Rule.LISTS));
            LivingStatus status = list.reload();
            assertThat(status.differences()).isEqualTo(3);
            assertThat(status.entries()).isEqualTo(2);
            assertThat(told)
                    .containsExactly(
                            "built",
                            "0 differ: []",
                            "3 differ: [alice@example.com, bob@example.com,"
                                    + " stranger@example.org]");
            assertThat(list.current().find(ALICE, null))
                    .isEqualTo(new Entry(ALICE, null, List.of(Rule.DENIES)));
            assertThat(list.current().find(BOB, null)).isNull();
            assertThat(list.current().find(STRANGER, null)).isEqualTo(entry(STRANGER));
        }
    }

    @Test
    void shouldReportWhyAReloadFailed() throws Exception {
        LivingList list = open();
        list.put(entry(ALICE), "test");
        table.fail("gone");
        assertThatThrownBy(list::reload).isInstanceOf(IOException.class).hasMessage("gone");
        assertThat(list.current().find(ALICE, null)).isEqualTo(entry(ALICE));
        table.fail(null);
        assertThat(list.reload().differences()).isZero();
        list.close();
        assertThatThrownBy(list::reload).hasMessage("the list was closed");
    }

    @Test
    void shouldAnswerNothingWhereNoBaseCanBeMade() throws Exception {
        Files.writeString(folder.resolve("var"), "not a folder");
        try (LivingList list = open()) {
            assertThat(list.current().mightContainAddress(ALICE)).isTrue();
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
