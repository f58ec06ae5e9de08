package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.FeedPosition;
import io.github.senderwhitelist.tools.ChildJava;

import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** {@link EntryTableContract} with H2, and what only H2 does. */
class H2TableTest extends EntryTableContract {
    @TempDir private Path folder;

    private Path file() {
        return folder.resolve("entries");
    }

    private Path databaseFile() {
        return folder.resolve("entries.mv.db");
    }

    @Override
    Database open() throws IOException {
        return Database.h2(file(), TIMEOUT);
    }

    @Override
    EntryTable ofAnotherServer() {
        return table;
    }

    @Override
    Connection plain() throws SQLException {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:" + ChunkFiles.prefix() + file());
        source.setUser("whitelist");
        return source.getConnection();
    }

    @Test
    void shouldRefuseToOpenTheFileTwice() {
        assertThatThrownBy(this::open)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file() + ": this process has the database open already");
    }

    @Test
    void shouldTellAnotherProcessWhoHasTheFile() throws Exception {
        List<String> command = new ArrayList<>(ChildJava.command());
        command.addAll(
                List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        H2TableTest.class.getName(),
                        file().toString()));
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(new String(child.getInputStream().readAllBytes(), UTF_8).lines())
                .contains(
                        file()
                                + ": another process has the database open, such as a running"
                                + " James; changes to a running server go through its WebAdmin"
                                + " (commands: --server)");
        assertThat(table.put(entry("a@example.com"), "admin")).isEqualTo(EntryTable.Effect.CREATED);
    }

    /** Is the other process. */
    public static void main(String... arguments) {
        try {
            Database.h2(Path.of(arguments[0]), TIMEOUT).close();
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }

    /** The newest change is from 100 days ago, and the server runs for 50 days without another. */
    @Test
    void shouldSweepWhatEndsWhileTheServerRuns() throws Exception {
        for (int ended : new int[] {90, 40}) {
            LocalDate day = LocalDate.now(ZoneOffset.UTC).minusDays(ended);
            table.put(entry("a" + ended + "@example.com until=" + day), "admin");
        }
        changedBy(inDays(-100));
        closeTable();
        AtomicLong passed = new AtomicLong(Long.MAX_VALUE);
        try (Database database = Database.h2(file(), TIMEOUT, passed::get)) {
            EntryTable again = database.table("vip");
            again.sweep(Instant.now());
            assertThat(again.count()).isEqualTo(2);
            passed.addAndGet(Duration.ofDays(50).toNanos());
            again.sweep(Instant.now());
            assertThat(again.find(key("a90@example.com"), null)).isNull();
            assertThat(again.count()).isEqualTo(1);
        }
        openTable();
    }

    @Test
    void shouldNoticeThatAnOlderFileWasPutBack() throws IOException {
        table.put(entry("a@example.com"), "admin");
        FeedPosition before = table.position();
        closeTable();
        Path copy = Files.copy(databaseFile(), folder.resolve("copy"));
        openTable();
        table.put(entry("b@example.com"), "admin");
        FeedPosition after = table.position();
        closeTable();
        Files.delete(databaseFile());
        Files.move(copy, databaseFile());
        openTable();
        assertThat(table.changes(after)).isNull();
        assertThat(table.changes(before)).isNotNull();
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
    void shouldEndWhenAnotherHoldsTheEntry() throws Exception {
        closeTable();
        try (Database quick = Database.h2(file(), Duration.ofMillis(300));
                Connection holder = plain()) {
            EntryTable held = quick.table("vip");
            held.put(entry("a@example.com"), "admin");
            holder.setAutoCommit(false);
            Sql.run(holder, "update whitelist_entry set until_moment = null");
            assertThatThrownBy(() -> held.put(entry("!a@example.com"), "admin"))
                    .isInstanceOf(IOException.class)
                    .hasMessage("list 'vip': put a@example.com: no answer within 0.3 seconds");
            holder.rollback();
            assertThat(held.put(entry("!a@example.com"), "admin"))
                    .isEqualTo(EntryTable.Effect.REPLACED);
        }
        openTable();
    }

    @Test
    void shouldNameTheFileThatCannotBeUsed() throws IOException {
        Path other = folder.resolve("damaged");
        Files.writeString(folder.resolve("damaged.mv.db"), "no database".repeat(1000));
        assertThatThrownBy(() -> Database.h2(other, TIMEOUT))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(other + ": ")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> Database.h2(folder.resolve("a;b"), TIMEOUT))
                .isInstanceOf(IOException.class);
    }

    @Test
    void shouldReadTheTablesInTheOrderOfAnIndex() throws Exception {
        FeedPosition position = table.position();
        try (Connection plain = plain()) {
            Sql.run(plain, "set query_statistics true");
            List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                entries.add(entry("s%s@example.com to=u%s@x.example".formatted(i / 9, i)));
            }
            table.putAll(entries, "admin");
            table.forEachSender(sender -> {});
            table.forEach(entry -> {});
            table.page(entry("s1@example.com to=u1@x.example"), 10);
            assertThat(table.changes(position)).isNotNull();
            List<String> statements =
                    Sql.query(
                            plain,
                            "select sql_statement from information_schema.query_statistics"
                                    + " where sql_statement like '%order by %limit%'",
                            row -> row.getString(1));
            assertThat(statements).hasSizeGreaterThan(3);
            for (String statement : statements) {
                assertThat(plan(plain, statement)).contains("/* index sorted */");
            }
        }
    }

    private static String plan(Connection connection, String statement) throws SQLException {
        try (PreparedStatement explain = connection.prepareStatement("explain " + statement)) {
            for (int i = 1; i <= explain.getParameterMetaData().getParameterCount(); i++) {
                explain.setObject(i, null);
            }
            try (ResultSet plan = explain.executeQuery()) {
                plan.next();
                return plan.getString(1);
            }
        }
    }

    /** Makes entries for recipients in no order. */
    private static List<Entry> some(int from, int to) {
        List<Entry> some = new ArrayList<>();
        for (int i = from; i < to; i++) {
            some.add(
                    entry(
                            String.format(
                                    Locale.ROOT,
                                    "s%06d@example.com to=u%d@x.example",
                                    i,
                                    i * 7919 % 1000)));
        }
        return some;
    }

    /** The pages of the recipients' index are written anew by most transactions. */
    @Test
    @Tag("large")
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void shouldWriteTheFileAnewForTheOwnerWhenItIsMostlyEmpty() throws Exception {
        run("set retention_time 100000");
        int entries = 60_000;
        long largest = 0;
        for (int from = 0; from < entries; from += 500) {
            table.putAll(some(from, from + 500), "admin");
            largest = Math.max(largest, Files.size(databaseFile()));
        }
        closeTable();
        assertThat(largest).isGreaterThan(64 << 20);
        assertThat(Files.size(databaseFile())).isLessThan(largest / 4);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(databaseFile())))
                .isEqualTo("rw-------");
        openTable();
        assertThat(table.count()).isEqualTo(entries);
    }

    @Test
    void shouldWriteLittleForManyEntries() throws IOException {
        long before = Files.size(databaseFile());
        table.putAll(some(0, 5_000), "admin");
        table.putAll(some(5_000, 10_000), "admin");
        // Each of the two writes the whole of the indexes once or twice.
        assertThat(Files.size(databaseFile()) - before).isLessThan(25 << 20);
    }
}
