package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.EntryTable.Effect;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

/** What goes wrong with a list in a file, and what is said of it. */
class H2FailuresTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @TempDir private Path folder;

    @AfterEach
    void stop() {
        RecordedFiles.stop();
    }

    /** Others see the change by then, but it is not acknowledged. */
    @Test
    void shouldNotAcknowledgeWhatTheDiskDoesNotKeep() throws IOException {
        Path file = folder.resolve("lists");
        RecordedFiles.Recording disk = RecordedFiles.record(file, () -> {});
        try (Database database = Database.h2(file, TIMEOUT)) {
            EntryTable table = database.table("vip");
            table.put(entry("a@example.com"), "test");
            disk.setFailing(true);
            for (int time = 0; time < 3; time++) {
                assertThatThrownBy(() -> table.put(entry("b@example.com"), "test"))
                        .isInstanceOf(IOException.class)
                        .hasMessage(
                                "list 'vip': put b@example.com: "
                                        + file
                                        + ".mv.db: IOException: Input/output error; the changes"
                                        + " acknowledged before are kept");
            }
            disk.setFailing(false);
            table.put(entry("b@example.com"), "test");
            assertThat(table.put(entry("b@example.com"), "test")).isEqualTo(Effect.NONE);
            assertThat(table.count()).isEqualTo(2);
        }
    }

    @Test
    void shouldSayThatTheDiskIsFull() throws IOException {
        Path file = folder.resolve("lists");
        boolean[] full = new boolean[1];
        RecordedFiles.record(
                file,
                () -> {
                    if (full[0]) {
                        throw new IOException("No space left on device");
                    }
                });
        try (Database database = Database.h2(file, TIMEOUT)) {
            EntryTable table = database.table("vip");
            table.put(entry("a@example.com"), "test");
            full[0] = true;
            for (int time = 0; time < 3; time++) {
                assertThatThrownBy(() -> table.put(entry("b@example.com"), "test"))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(file + ".mv.db: IOException: No space left on device")
                        .hasMessageEndingWith("; the changes acknowledged before are kept");
            }
            full[0] = false;
            assertThat(table.put(entry("c@example.com"), "test")).isEqualTo(Effect.CREATED);
            assertThat(table.count()).isBetween(2L, 3L);
        }
    }

    /** H2 is told to write pages anew after some of these changes, and ends when interrupted. */
    @Test
    void shouldAcknowledgeAChangeWhoseThreadIsInterrupted() throws IOException {
        try (Database database = Database.h2(folder.resolve("lists"), TIMEOUT)) {
            EntryTable table = database.table("vip");
            table.put(entry("a@example.com"), "test");
            for (int change = 0; change < 200; change++) {
                int number = change;
                database.write(
                        "change",
                        connection -> {
                            Sql.update(
                                    connection,
                                    "update whitelist_entry set lines = ?",
                                    "a@example.com note=" + number);
                            Thread.currentThread().interrupt();
                            return true;
                        });
                assertThat(Thread.interrupted()).isTrue();
            }
            assertThat(table.count()).isOne();
        }
    }

    /** H2 would open it twice, and close it for both. */
    @Test
    void shouldNotOpenAFileTwiceByWayOfALink() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
        Path file = folder.resolve("lists");
        try (Database database = Database.h2(file, TIMEOUT)) {
            assertThatThrownBy(() -> Database.h2(link.resolve("lists"), TIMEOUT).close())
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith("/lists: this process has the database open already");
            database.table("vip").put(entry("a@example.com"), "test");
        }
        Database.h2(link.resolve("lists"), TIMEOUT).close();
    }

    /** H2 would open it for reading, perhaps in an old state. */
    @Test
    void shouldRefuseAFileThatItMayNotWrite() throws IOException {
        Path file = folder.resolve("lists");
        Database.h2(file, TIMEOUT).close();
        Path real = Path.of(file + ".mv.db");
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("r--r--r--"));
        assumeThat(Files.isWritable(real)).as("root may write everything").isFalse();
        assertThatThrownBy(() -> Database.h2(file, TIMEOUT).close())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(real + ": the user '")
                .hasMessageContaining("may not write this file");
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rw-------"));
        Database.h2(file, TIMEOUT).close();
    }
}
