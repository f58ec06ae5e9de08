package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

/** {@link EntryTableContract} with SQLite, and what only SQLite does. */
class SqliteTableTest extends EntryTableContract {
    @TempDir private Path folder;

    private Path file() {
        return folder.resolve("lists.db");
    }

    @Override
    Database open() throws IOException {
        return Database.sqlite(file(), TIMEOUT);
    }

    @Override
    EntryTable ofAnotherServer() throws IOException {
        return tableOf(open());
    }

    @Override
    Connection plain() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file());
    }

    @Test
    void shouldGoOnWhenAThreadIsInterrupted() throws IOException {
        for (int i = 0; i < 20; i++) {
            Thread.currentThread().interrupt();
            try {
                assertThat(table.find(key("s" + i + "@example.com"), null)).isNull();
                table.put(entry("s" + i + "@example.com"), "admin");
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("interrupted");
            }
            assertThat(Thread.interrupted()).isTrue();
        }
        table.put(entry("a@example.com"), "admin");
        assertThat(table.find(key("a@example.com"), null)).isEqualTo(entry("a@example.com"));
    }

    @Test
    void shouldFailWithOneLineOnceClosed() throws IOException {
        closeTable();
        assertThatThrownBy(() -> table.find(key("a@example.com"), null))
                .isInstanceOf(IOException.class)
                .hasMessage("list 'vip': find a@example.com: the database was closed");
    }

    @Test
    void shouldEndWhenAnotherProcessWrites() throws Exception {
        try (Database quick = Database.sqlite(file(), Duration.ofMillis(300));
                Connection holder = plain()) {
            EntryTable held = quick.table("vip");
            held.put(entry("a@example.com"), "admin");
            Sql.run(holder, "begin immediate");
            assertThatThrownBy(() -> held.put(entry("!a@example.com"), "admin"))
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            "list 'vip': put a@example.com: "
                                    + file()
                                    + ": another process has been writing for more than 0.3"
                                    + " seconds, or has the file to itself, such as an import;"
                                    + " nothing was changed");
            assertThat(held.find(key("a@example.com"), null)).isEqualTo(entry("a@example.com"));
            Sql.run(holder, "rollback");
            assertThat(held.put(entry("!a@example.com"), "admin").effect())
                    .isEqualTo(Effect.REPLACED);
        }
    }

    @Test
    void shouldNameTheFileThatCannotBeUsed() throws IOException {
        Path damaged = folder.resolve("damaged");
        Files.writeString(damaged, "no database".repeat(1000));
        Path linked = folder.resolve("linked");
        Files.createLink(linked, file());
        for (Path bad : List.of(damaged, linked, folder.resolve("a?b"), folder)) {
            assertThatThrownBy(() -> Database.sqlite(bad, TIMEOUT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(bad.toString())
                    .hasMessageNotContaining("\n");
        }
        Files.delete(linked);
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void shouldLetOnlyTheOwnerReadTheFiles() throws IOException {
        table.put(entry("a@example.com"), "admin");
        for (String end : List.of("", "-wal", "-shm")) {
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(Path.of(file() + end))))
                    .isEqualTo("rw-------");
        }
    }

    /** Else a power cut could take what was acknowledged. */
    @Test
    void shouldHaveEachConnectionWaitForTheDisk() throws Exception {
        List<String> found = new ArrayList<>();
        SqliteEngine engine = new SqliteEngine(folder.resolve("another.db"), TIMEOUT);
        try {
            engine.read(first -> engine.read(second -> found.add(durability(second))));
            engine.read(idle -> found.add(durability(idle)));
            engine.write(writer -> found.add(durability(writer)));
            assertThat(engine.writer().beginAlone()).isTrue();
            engine.write(alone -> found.add(durability(alone)));
        } finally {
            engine.close();
        }
        assertThat(found).hasSize(4).containsOnly("wal, synchronous 2, fullfsync 1");
    }

    private static String durability(Connection connection) throws SQLException, IOException {
        List<String> values = new ArrayList<>();
        for (String pragma : List.of("journal_mode", "synchronous", "fullfsync")) {
            values.addAll(Sql.query(connection, "pragma " + pragma, row -> row.getString(1)));
        }
        return "%s, synchronous %s, fullfsync %s".formatted(values.toArray());
    }

    /** Changes of several threads share a transaction, and some of them fail half-way. */
    @Test
    void shouldUndoOnlyThePartThatFailed() throws Exception {
        long put = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<Integer>> running = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String sender = "s" + i;
                running.add(threads.submit(() -> putSome(sender)));
            }
            for (Future<Integer> one : running) {
                put += one.get();
            }
        }
        assertThat(table.count()).isEqualTo(put);
    }

    /** Puts entries, and lets some changes fail. Returns how many were put. */
    private int putSome(String sender) throws IOException {
        int put = 0;
        for (int n = 0; n < 100; n++) {
            Entry entry = entry(sender + "x" + n + "@a.org");
            switch (n % 7) {
                case 3 -> failHalfWay(entry, new IllegalStateException("no"));
                case 5 -> failHalfWay(entry, new StackOverflowError("no"));
                default -> {
                    table.put(entry, "admin");
                    put++;
                }
            }
        }
        return put;
    }

    /** Changes two entries, of which the second fails. */
    private void failHalfWay(Entry entry, Throwable failure) {
        Target first = Target.of(entry);
        Target second = Target.of(entry("second@b.org"));
        assertThatThrownBy(
                        () ->
                                table.update(
                                        List.of(first, second),
                                        new FailsSecond(entry.rules(), failure),
                                        "me"))
                .isSameAs(failure);
    }

    /** Returns rules once, and then fails. */
    private static final class FailsSecond implements UnaryOperator<List<Rule>> {
        private final List<Rule> rules;
        private final Throwable failure;
        private boolean called;

        FailsSecond(List<Rule> rules, Throwable failure) {
            this.rules = rules;
            this.failure = failure;
        }

        @Override
        public List<Rule> apply(List<Rule> before) {
            if (called && failure instanceof RuntimeException e) {
                throw e;
            }
            if (called && failure instanceof Error e) {
                throw e;
            }
            called = true;
            return rules;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "3.51.2.0, false",
        "3.51.3, true",
        "3.54.1.0, true",
        "4.0.0.0, true",
        "3.9.99.0, false",
        "unknown, false"
    })
    void shouldRefuseDriversThatAreTooOld(String version, boolean good) throws IOException {
        if (good) {
            SqliteDriver.requireNew(version, "here");
        } else {
            assertThatThrownBy(() -> SqliteDriver.requireNew(version, "file:/other.jar"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("file:/other.jar")
                    .hasMessageContaining("3.51.3");
        }
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void shouldNoticeThatAnotherFileCameIntoItsPlace() throws Exception {
        table.put(entry("a@example.com"), "admin");
        FeedPosition position = table.position();
        Path copy = folder.resolve("copy.db");
        try (Connection plain = plain()) {
            Sql.run(plain, "vacuum into '" + copy + "'");
        }
        table.put(entry("b@example.com"), "admin");
        FeedPosition later = table.position();
        for (String end : List.of("-wal", "-shm")) {
            Files.delete(Path.of(file() + end));
        }
        Files.move(copy, file(), StandardCopyOption.REPLACE_EXISTING);
        assertThat(table.find(key("b@example.com"), null)).isNull();
        assertThat(table.find(key("a@example.com"), null)).isNotNull();
        assertThat(Feed.of(table, later)).isNull();
        assertThat(Feed.of(table, position)).isNotNull();
        assertThat(table.put(entry("c@example.com"), "admin").effect()).isEqualTo(Effect.CREATED);
        Files.delete(file());
        assertThatThrownBy(() -> table.put(entry("d@example.com"), "admin"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the file is gone");
    }
}
