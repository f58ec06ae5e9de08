package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** {@link EntryTableContract} with PostgreSQL, and what only PostgreSQL does. */
@Tag("large")
class PostgresTableTest extends EntryTableContract {
    private static final Duration SHORT = Duration.ofMillis(500);

    @TempDir private static Path folder;
    private static Postgres server;
    private static int schemas;

    private String schema = "";
    private final List<Database> others = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        server = new Postgres(folder);
        server.start();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @AfterEach
    void closeOthers() throws IOException {
        for (Database other : others) {
            other.close();
        }
    }

    @Override
    Database open() throws IOException {
        if (schema.isEmpty()) {
            schema = "test" + schemas++;
            try {
                run("create schema " + schema);
            } catch (SQLException e) {
                throw new IOException(e);
            }
            Database database = server.open(schema, TIMEOUT);
            database.table("vip").count();
            return database;
        }
        return server.open(schema, TIMEOUT);
    }

    @Override
    EntryTable ofAnotherServer() {
        return another(TIMEOUT);
    }

    private EntryTable another(Duration timeout) {
        Database database = server.open(schema, timeout);
        others.add(database);
        return database.table("vip");
    }

    @Override
    Connection plain() throws SQLException {
        return server.plain(schema);
    }

    private Feed changes(FeedPosition after) throws IOException {
        return Objects.requireNonNull(table.changes(after));
    }

    private static List<String> senders(Feed feed) {
        return feed.changes().stream().map(change -> change.sender().toString()).toList();
    }

    private static void insert(Connection connection, String sender) throws SQLException {
        PairKey key = PairKey.of(key(sender), null);
        Sql.update(
                connection,
                "insert into whitelist_change(list, sender, recipient, origin, at, who, lines)"
                        + " values ('vip', ?, ?, 0, now(), 'admin', ?)",
                key.sender(),
                key.recipient(),
                sender);
    }

    @Test
    void shouldTellChangesThatAreCommittedOutOfOrder() throws Exception {
        FeedPosition position = table.position();
        try (Connection slow = plain();
                Connection slower = plain()) {
            slow.setAutoCommit(false);
            slower.setAutoCommit(false);
            insert(slower, "slower@example.com");
            insert(slow, "slow@example.com");
            table.put(entry("quick@example.com"), "admin");
            Feed first = changes(position);
            assertThat(senders(first)).containsExactly("quick@example.com");
            slow.commit();
            Feed second = changes(first.next());
            assertThat(senders(second)).contains("slow@example.com");
            table.put(entry("last@example.com"), "admin");
            Feed third = changes(second.next());
            assertThat(senders(third)).contains("last@example.com");
            slower.commit();
            Feed fourth = changes(third.next());
            assertThat(senders(fourth)).contains("slower@example.com");
            assertThat(senders(changes(fourth.next()))).isEmpty();
        }
    }

    @Test
    void shouldLeaveOutChangesOfAnotherClusterThatWereRestored() throws Exception {
        table.put(entry("a@example.com"), "admin");
        FeedPosition position = table.position();
        run("update whitelist_change set xid = '1000000000'");
        assertThat(changes(position).changes()).isEmpty();
        table.put(entry("b@example.com"), "admin");
        assertThat(senders(changes(position))).containsExactly("b@example.com");
    }

    @Test
    void shouldNameTheClusterInTheEpoch() throws IOException {
        assertThat(table.position().epoch()).matches("[0-9a-f-]{36}/\\d+/[0-9A-F]{8}/\\d+\\.\\d+");
    }

    @Test
    void shouldMakeTheTablesOnceWhenManyServersStart() throws Exception {
        run("create schema started");
        schema = "started";
        int servers = 6;
        CyclicBarrier together = new CyclicBarrier(servers);
        List<FeedPosition> positions = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(servers)) {
            List<Future<FeedPosition>> starting = new ArrayList<>();
            for (int i = 0; i < servers; i++) {
                EntryTable started = another(TIMEOUT);
                starting.add(
                        threads.submit(
                                () -> {
                                    together.await();
                                    return started.position();
                                }));
            }
            for (Future<FeedPosition> one : starting) {
                positions.add(one.get());
            }
        }
        assertThat(positions.stream().map(FeedPosition::epoch).distinct()).hasSize(1);
        try (Connection connection = plain()) {
            assertThat(
                            Sql.query(
                                    connection,
                                    "select count(*) from whitelist_schema",
                                    row -> row.getInt(1)))
                    .containsExactly(1);
        }
    }

    @Test
    void shouldEndWhenAnotherHoldsTheEntry() throws Exception {
        table.put(entry("a@example.com"), "admin");
        EntryTable quick = another(SHORT);
        try (Connection holder = plain()) {
            holder.setAutoCommit(false);
            Sql.run(holder, "update whitelist_entry set until_moment = null");
            long start = System.nanoTime();
            assertThatThrownBy(() -> quick.put(entry("!a@example.com"), "admin"))
                    .isInstanceOf(IOException.class)
                    .hasMessage("list 'vip': put a@example.com: no answer within 0.5 seconds");
            assertThatThrownBy(() -> quick.remove(Origin.ADMIN, key("a@example.com"), null, "me"))
                    .isInstanceOf(IOException.class)
                    .hasMessage("list 'vip': remove a@example.com: no answer within 0.5 seconds");
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Duration.ofSeconds(30));
            assertThat(quick.find(key("a@example.com"), null)).isEqualTo(entry("a@example.com"));
            holder.rollback();
        }
        assertThat(quick.put(entry("!a@example.com"), "admin")).isEqualTo(Effect.REPLACED);
    }

    /** Both would insert the same row. The one that comes second replaces it. */
    @Test
    void shouldPutWhatAnotherPutsAtTheSameTime() throws Exception {
        FeedPosition position = table.position();
        try (Connection other = plain();
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            other.setAutoCommit(false);
            PairKey key = PairKey.of(key("a@example.com"), null);
            Sql.update(
                    other,
                    "insert into whitelist_entry(list, sender, recipient, origin, lines)"
                            + " values ('vip', ?, ?, 0, 'a@example.com')",
                    key.sender(),
                    key.recipient());
            Future<Effect> put = threads.submit(() -> table.put(entry("!a@example.com"), "admin"));
            Thread.sleep(200);
            assertThat(put.isDone()).isFalse();
            other.commit();
            assertThat(put.get()).isEqualTo(Effect.REPLACED);
        }
        assertThat(senders(changes(position))).containsExactly("a@example.com");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://me:secret-4711@localhost/db",
                "jdbc:postgresql://localhost/db?password=secret-4711",
                "jdbc:postgresql://localhost:secret-4711/db",
                "jdbc:other:secret-4711"
            })
    void shouldNotSayTheUrl(String url) {
        assertThatThrownBy(() -> Database.postgres(url, "me", "secret-4711", TIMEOUT, 2).close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret-4711")
                .hasNoCause();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:1/db", "no.such.host.invalid/db"})
    void shouldNotSayThePassword(String place) throws IOException {
        String url = "jdbc:postgresql://" + place;
        try (Database gone = Database.postgres(url, "me", "secret-4711", SHORT, 2)) {
            assertThatThrownBy(() -> gone.table("vip").count())
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("list 'vip': count: ")
                    .hasMessageNotContaining("\n")
                    .satisfies(
                            failure -> {
                                for (Throwable e = failure; e != null; e = e.getCause()) {
                                    assertThat(e.toString()).doesNotContain("secret-4711");
                                }
                            });
        }
    }
}
