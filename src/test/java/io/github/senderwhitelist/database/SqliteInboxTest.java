package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Lines that people put into the table for them in SQLite, as {@link InboxTest} does. */
class SqliteInboxTest {
    @TempDir private Path folder;
    private Database database;
    private EntryTable table;

    @BeforeEach
    void open() throws IOException {
        database = connect();
        table = database.table("vip");
        table.position();
    }

    private Database connect() throws IOException {
        return Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(20));
    }

    @AfterEach
    void close() throws IOException {
        database.close();
    }

    /** As the shell of SQLite does it. */
    private void insert(String list, String... lines) throws Exception {
        try (Connection shell =
                DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("lists.db"))) {
            for (String line : lines) {
                Sql.update(
                        shell,
                        "insert into whitelist_line(list, line, who) values (?, ?, 'me')",
                        list,
                        line);
            }
        }
    }

    private List<String> column(String column) throws IOException {
        return database.read(
                "look",
                connection ->
                        Sql.query(
                                connection,
                                "select " + column + " from whitelist_line order by id",
                                row -> String.valueOf(row.getString(1))));
    }

    private static void takeAll(EntryTable table) throws IOException {
        while (table.takeOverLines()) {
            // The next part.
        }
    }

    @Test
    void shouldTakeOverLines() throws Exception {
        FeedPosition position = table.position();
        table.put(entry("a@example.com auth=spf"), "admin");
        insert("vip", "A@example.com", "!@bücher.example to=@Here.org", "no line");
        insert("other", "a@example.com");
        takeAll(table);
        assertThat(table.find(key("a@example.com"), null))
                .isEqualTo(entry("a@example.com", "a@example.com auth=spf"));
        assertThat(table.find(key("@xn--bcher-kva.example"), key("@here.org"))).isNotNull();
        assertThat(column("line")).containsExactly("no line", "a@example.com");
        assertThat(column("error").getFirst()).startsWith("unexpected 'line'");
        assertThat(column("error").getLast()).isEqualTo("null");
        assertThat(table.history(key("a@example.com"), 1).getFirst().who()).isEqualTo("sql me");
        assertThat(Objects.requireNonNull(Feed.of(table, position)).senders())
                .contains("a@example.com", "@xn--bcher-kva.example");
    }

    @Test
    void shouldTakeEachLineOnceOnTwoServers() throws Exception {
        int lines = 300;
        for (int i = 0; i < lines; i++) {
            insert("vip", "s" + i + "@example.com");
        }
        try (Database other = connect();
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> running =
                    List.of(
                            threads.submit(() -> take(table)),
                            threads.submit(() -> take(other.table("vip"))),
                            threads.submit(() -> take(table)));
            for (Future<?> one : running) {
                one.get();
            }
        }
        assertThat(table.count()).isEqualTo(lines);
        assertThat(column("line")).isEmpty();
        assertThat(table.history(key("s7@example.com"), 9)).hasSize(1);
    }

    private static boolean take(EntryTable table) throws IOException {
        takeAll(table);
        return true;
    }
}
