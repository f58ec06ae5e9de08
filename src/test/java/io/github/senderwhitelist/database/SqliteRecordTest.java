package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Position;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@link JdbcRecordContract} with SQLite, and what only SQLite does. */
class SqliteRecordTest extends JdbcRecordContract {
    @TempDir private Path folder;

    private Path file() {
        return folder.resolve("lists.db");
    }

    @Override
    Database openDatabase(Duration timeout) throws IOException {
        return Database.sqlite(file(), timeout);
    }

    @Override
    Connection plain() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file());
    }

    @Test
    void recordShouldGoOnWhenAThreadIsInterrupted() throws IOException {
        for (int i = 0; i < 20; i++) {
            Thread.currentThread().interrupt();
            try {
                assertThat(find("s" + i + "@example.com", null)).isNull();
                put("s" + i + "@example.com");
            } catch (IOException e) {
                assertThat(e.getMessage()).containsIgnoringCase("interrupted");
            }
            assertThat(Thread.interrupted()).isTrue();
        }
        put("a@example.com");
        assertThat(find("a@example.com", null)).isEqualTo(entry("a@example.com"));
    }

    @Test
    void recordShouldSayThatTheDatabaseWasClosed() throws IOException {
        try (Database closed = Database.sqlite(file(), TIMEOUT)) {
            record = closed.record("vip");
        }
        assertThatThrownBy(() -> find("a@example.com", null))
                .isInstanceOf(IOException.class)
                .hasMessage("list 'vip': find a@example.com: the database was closed");
    }

    @Override
    String lock(Session holder) throws SQLException {
        holder.run("begin immediate");
        return file() + ": another process has been writing for more than 0.5 seconds";
    }

    @Test
    void openingShouldNameThePathThatCannotBeUsed() {
        for (Path bad : List.of(folder.resolve("a?b"), folder)) {
            assertThatThrownBy(() -> Database.sqlite(bad, TIMEOUT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(bad.toString())
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    void openingShouldTakeAnEmptyFileForANewOne() throws Exception {
        Path empty = Files.createFile(folder.resolve("empty"));
        try (Database database = Database.sqlite(empty, TIMEOUT)) {
            database.record("own").create();
            assertThat(database.lists()).containsExactly("own");
        }
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void filesShouldBeTheOwnersAlone() throws IOException {
        put("a@example.com");
        for (String end : List.of("", "-wal", "-shm")) {
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(Path.of(file() + end))))
                    .isEqualTo("rw-------");
        }
    }

    /** On them, SQLite can lose changes. The names are those of Linux. */
    @Test
    void networkFileSystemsShouldBeRefused() throws IOException {
        Path file = Path.of("/mnt/lists.db");
        String refused = "nfs nfs4 cifs smb3 9p ceph fuse.sshfs fuse.glusterfs NFS";
        for (String type : refused.split(" ", -1)) {
            assertThatThrownBy(() -> SqliteDatabase.requireLocal(file, type))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(file + ": on a network file system (" + type + ")");
        }
        for (String type : "ext4 xfs btrfs zfs overlay tmpfs apfs NTFS".split(" ", -1)) {
            SqliteDatabase.requireLocal(file, type);
        }
    }

    /** Else a power cut could take what was acknowledged. */
    @Test
    void eachConnectionShouldWaitForTheDisk() throws Exception {
        List<String> found = new ArrayList<>();
        try (Database engine = Database.sqlite(folder.resolve("another.db"), TIMEOUT)) {
            engine.read("1", any -> engine.read("2", own -> found.add(durability(own))));
            engine.read("3", own -> found.add(durability(own)));
            engine.write("4", own -> found.add(durability(own)));
            engine.keepNoneOpen();
            engine.read("5", own -> found.add(durability(own)));
            engine.write("6", own -> found.add(durability(own)));
        }
        assertThat(found).hasSize(5).allMatch(each -> each.startsWith("wal, synchronous 2"));
        assertThat(found).filteredOn(each -> each.endsWith("fullfsync 1")).hasSize(2);
    }

    private static String durability(Session session) throws SQLException, IOException {
        List<String> values = new ArrayList<>();
        for (String pragma : List.of("journal_mode", "synchronous", "fullfsync")) {
            values.addAll(session.query("pragma " + pragma, row -> row.getString(1)));
        }
        return "%s, synchronous %s, fullfsync %s".formatted(values.toArray());
    }

    /** The driver ends a statement that fails so, and the connection that writes is kept. */
    @Test
    void writeShouldWorkAgainWhenTheCauseOfAFailureIsGone() throws Exception {
        put("a@example.com");
        run("alter table whitelist_history rename to gone");
        assertThatThrownBy(() -> put("b@example.com")).hasMessageContaining("no such table");
        run("alter table gone rename to whitelist_history");
        assertThat(put("b@example.com")).isEqualTo(Effect.CREATED);
        limitPages("1");
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 10_000; i++) {
                                put("c" + i + "@example.com note=" + "x".repeat(200));
                            }
                        })
                .hasMessageContaining("the disk is full. Make room");
        limitPages("1000000");
        assertThat(put("d@example.com")).isEqualTo(Effect.CREATED);
    }

    private void limitPages(String pages) throws IOException {
        databases
                .getFirst()
                .write(
                        "limit the pages",
                        session ->
                                session.query(
                                        "pragma max_page_count = " + pages, row -> row.getLong(1)));
    }

    /** Who reads what is old keeps the log from being cut, which changes must not wait for. */
    @Test
    @Timeout(60)
    void forEachShouldNotWaitForWhoReadsLonger() throws Exception {
        put("a@example.com");
        try (Database patient = Database.sqlite(file(), Duration.ofMinutes(5));
                Connection reader = plain()) {
            new Session(reader).run("begin", "select count(*) from whitelist_entry");
            put("b@example.com");
            assertThat(all(patient.record("vip"))).hasSize(2);
            List<Integer> timeout =
                    patient.write(
                            "look", own -> own.query("pragma busy_timeout", row -> row.getInt(1)));
            // The connection that writes hardly waits: what has to looks again itself.
            assertThat(timeout).containsExactly(10);
        }
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void recordShouldNoticeThatAnotherFileCameIntoItsPlace() throws Exception {
        put("a@example.com");
        Position position = record.last();
        Path copy = folder.resolve("copy.db");
        try (Connection plain = plain()) {
            new Session(plain).run("vacuum into '" + copy + "'");
        }
        put("b@example.com");
        Position later = record.last();
        for (String end : List.of("-wal", "-shm")) {
            Files.delete(Path.of(file() + end));
        }
        Files.move(copy, file(), StandardCopyOption.REPLACE_EXISTING);
        assertThat(find("b@example.com", null)).isNull();
        assertThat(find("a@example.com", null)).isNotNull();
        assertThat(record.log(later).continues()).isFalse();
        assertThat(record.log(position).continues()).isTrue();
        assertThat(put("c@example.com")).isEqualTo(Effect.CREATED);
        Files.delete(file());
        assertThatThrownBy(() -> put("d@example.com"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the file is gone");
        assertThat(file()).doesNotExist();
    }

    @Test
    void keepNoneOpenShouldLeaveOneWholeFile() throws Exception {
        put("a@example.com");
        databases.forEach(Database::keepNoneOpen);
        assertThat(folder.toFile().list()).doesNotContain("lists.db-wal");
        put("b@example.com");
        assertThat(find("b@example.com", null)).isNotNull();
        assertThat(folder.toFile().list()).doesNotContain("lists.db-wal");
        Path copy = Files.copy(file(), folder.resolve("copy.db"));
        try (Database copied = Database.sqlite(copy, TIMEOUT)) {
            assertThat(copied.record("vip").count()).isEqualTo(2);
        }
    }

    @AfterEach
    void nothingShouldBeLeftOpen() throws IOException {
        for (Database database : databases) {
            database.close();
        }
        if (Files.exists(file())) {
            assertThat(folder.toFile().list()).doesNotContain("lists.db-wal");
        }
    }
}
