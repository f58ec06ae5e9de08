package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Position;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What a list in SQLite does when something happens to its file, its folder or its disk. */
@EnabledOnOs(OS.LINUX)
class SqliteFaultsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir private Path folder;
    private @Nullable Database database;

    /** Has SQLite's library unpacked where it is no part of the test. */
    @BeforeEach
    void load() throws IOException {
        SqliteDriver.load(folder);
    }

    @AfterEach
    void close() throws IOException {
        if (database != null) {
            database.close();
            database = null;
        }
    }

    private Path disk() {
        return folder.resolve("disk");
    }

    private Path file() {
        return disk().resolve("lists.db");
    }

    private Path beside(String end) {
        return Path.of(file() + end);
    }

    private ListRecord open(Path file) throws IOException {
        close();
        database = Database.sqlite(file, TIMEOUT);
        ListRecord record = database.record("vip");
        record.create();
        return record;
    }

    private static void put(ListRecord record, String sender) throws IOException {
        record.write(List.of(Edit.put(entry(sender))), "admin");
    }

    private static Set<String> senders(ListRecord record) throws IOException {
        Set<String> senders = new TreeSet<>();
        record.forEach(entry -> senders.add(entry.key().toString()), why -> {});
        return senders;
    }

    private static boolean has(ListRecord record, String sender) throws IOException {
        return record.find(key(sender), null) != null;
    }

    /** Requires one line that names the file and what happened. */
    private static void assertSays(@Nullable Throwable failure, Path file, String... parts) {
        assertThat(failure)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageNotContaining("\n");
        for (String part : parts) {
            assertThat(failure).hasMessageContaining(part);
        }
    }

    @Test
    @Tag("large")
    void recordShouldHaveWhatWasAcknowledgedWhenTheDiskIsFull() throws Exception {
        try (Mount disk = Mount.ofSize("4m", disk())) {
            ListRecord record = open(disk.path().resolve("lists.db"));
            put(record, "first@example.com");
            Position position = record.last();
            Path ballast = file().resolveSibling("ballast");
            Files.write(ballast, new byte[2_200_000]);
            Set<String> acknowledged = Collections.synchronizedSet(new TreeSet<>());
            try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
                List<Future<IOException>> failures = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    String thread = "t" + i;
                    failures.add(threads.submit(() -> fill(record, thread, acknowledged)));
                }
                for (Future<IOException> failure : failures) {
                    assertSays(failure.get(), file(), "the disk is full. Make room");
                }
            }
            assertThat(acknowledged).hasSizeGreaterThan(10);
            assertThat(has(record, acknowledged.iterator().next())).isTrue();
            Files.delete(ballast);
            put(record, "later@example.com");
            assertThat(Objects.requireNonNull(record.log(position)).changes())
                    .extracting(change -> change.key().toString())
                    .contains("later@example.com")
                    .containsAll(acknowledged);
            acknowledged.addAll(List.of("first@example.com", "later@example.com"));
            close();
            assertThat(senders(open(file()))).isEqualTo(acknowledged);
            close();
        }
    }

    /** Puts entries until that fails, and returns why. */
    private static IOException fill(ListRecord record, String thread, Set<String> acknowledged) {
        for (int i = 0; ; i++) {
            String sender = thread + "n" + i + "@example.com";
            try {
                put(record, sender + " note=" + "x".repeat(200));
                acknowledged.add(sender);
            } catch (IOException e) {
                return e;
            }
        }
    }

    @Test
    void openingShouldFailWhereNothingMayBeWritten() throws Exception {
        put(open(file()), "a@example.com");
        close();
        try (Mount there = Mount.readOnly(disk(), folder.resolve("there"))) {
            for (String name : List.of("lists.db", "missing.db", "missing/lists.db")) {
                assertThatThrownBy(() -> Database.sqlite(there.path().resolve(name), TIMEOUT))
                        .satisfies(failure -> assertSays(failure, there.path()));
            }
        }
        assertThat(has(open(file()), "a@example.com")).isTrue();
    }

    /** A file that is not ours. */
    enum Foreign {
        TEXT,
        LOG_FORMAT,
        HALF_A_HEADER,
        SHORTENED,
        OF_ANOTHER_PROGRAM;

        void make(Path file) throws IOException, SQLException {
            switch (this) {
                case TEXT -> Files.writeString(file, "alice@example.com\n");
                case LOG_FORMAT -> Files.write(file, new byte[] {0x37, 0x7f, 6, (byte) 0x82});
                case HALF_A_HEADER -> Files.writeString(file, "SQLite format 3\0\020\0\2\2");
                case SHORTENED -> {
                    OF_ANOTHER_PROGRAM.make(file);
                    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 5_000));
                }
                case OF_ANOTHER_PROGRAM -> {
                    try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
                        new Session(other).run("create table contacts(name text)");
                        new Session(other).run("insert into contacts values ('alice')");
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Foreign.class)
    void openingShouldNotTouchAFileOfOthers(Foreign foreign) throws Exception {
        Files.createDirectories(disk());
        foreign.make(file());
        byte[] before = Files.readAllBytes(file());
        assertThatThrownBy(() -> Database.sqlite(file(), TIMEOUT))
                .satisfies(failure -> assertSays(failure, file()));
        assertThat(file()).hasBinaryContent(before);
        assertThat(beside("-wal")).doesNotExist();
    }

    @Test
    void recordShouldNotTouchAFileOfOthersThatComesIntoItsPlace() throws Exception {
        ListRecord record = open(file());
        put(record, "a@example.com");
        Path other = folder.resolve("other.db");
        Foreign.OF_ANOTHER_PROGRAM.make(other);
        byte[] before = Files.readAllBytes(other);
        Files.move(other, file(), StandardCopyOption.REPLACE_EXISTING);
        Files.delete(beside("-wal"));
        Files.delete(beside("-shm"));
        assertThatThrownBy(() -> put(record, "b@example.com"))
                .satisfies(failure -> assertSays(failure, file(), "another program"));
        assertThat(file()).hasBinaryContent(before);
    }
}
