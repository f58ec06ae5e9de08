package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.EntryTable.Change;
import io.github.senderwhitelist.living.EntryTable.Done;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
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
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** {@link EntryTableContract} with PostgreSQL, and what only PostgreSQL does. */
@Tag("large")
class PostgresTableTest extends EntryTableContract {
    private static final Duration SHORT = Duration.ofMillis(500);

    @TempDir private static Path folder;
    @AutoClose private static Postgres server;
    private static int schemas;

    private String schema = "";

    @BeforeAll
    static void start() throws IOException {
        server = Postgres.started(folder);
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
        return tableOf(server.open(schema, timeout));
    }

    @Override
    Connection plain() throws SQLException {
        return server.plain(schema);
    }

    private Feed changes(FeedPosition after) throws IOException {
        return Objects.requireNonNull(Feed.of(table, after));
    }

    private static List<String> senders(Feed feed) {
        return feed.changes().stream().map(change -> change.sender().toString()).toList();
    }

    private static void insert(Connection connection, String sender) throws SQLException {
        PairKey key = PairKey.of(key(sender), null);
        Sql.update(
                connection,
                "insert into whitelist_feed(list, sender, recipient, origin, at)"
                        + " select id, ?, ?, 0, 0 from whitelist_list where name = 'vip'",
                key.sender(),
                key.recipient());
    }

    @Test
    void shouldReportChangesThatAreCommittedOutOfOrder() throws Exception {
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
            assertThat(senders(second)).containsExactly("slow@example.com");
            table.put(entry("last@example.com"), "admin");
            Feed third = changes(second.next());
            assertThat(senders(third)).containsExactly("last@example.com");
            slower.commit();
            Feed fourth = changes(third.next());
            assertThat(senders(fourth)).containsExactly("slower@example.com");
            assertThat(senders(changes(fourth.next()))).isEmpty();
        }
    }

    /** The transaction that begins first changes the entry last, and is committed last. */
    @Test
    void shouldRecogniseTheLaterChangeByItsNumberAlone() throws Exception {
        Target last = Target.of(entry("c@example.com"));
        List<Target> targets =
                List.of(Target.of(entry("a@example.com")), Target.of(entry("b@example.com")), last);
        FeedPosition start = table.position();
        AtomicInteger calls = new AtomicInteger();
        CyclicBarrier both = new CyclicBarrier(2);
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<List<Done>> updating =
                    threads.submit(
                            () ->
                                    table.update(
                                            targets,
                                            rules -> {
                                                if (calls.incrementAndGet() == 2) {
                                                    await(both);
                                                    await(both);
                                                }
                                                return List.of(Rule.DENIES);
                                            },
                                            "admin"));
            await(both);
            Done quick = table.put(entry("c@example.com"), "admin");
            Feed first = changes(start);
            await(both);
            List<Done> slow = updating.get();

            assertThat(slow.getLast().effect()).isEqualTo(Effect.REPLACED);
            assertThat(slow.getLast().number()).isGreaterThan(quick.number());
            assertThat(slow.getLast().transaction()).isLessThan(quick.transaction());
            Feed second = changes(first.next());
            assertThat(second.changes())
                    .extracting(Change::number, Change::transaction)
                    .containsExactlyInAnyOrderElementsOf(
                            slow.stream()
                                    .map(done -> tuple(done.number(), done.transaction()))
                                    .toList());
            long began = slow.getLast().transaction();
            assertThat(table.seen(first.next()).test(quick.transaction())).isTrue();
            assertThat(table.seen(first.next()).test(began)).isFalse();
            assertThat(table.seen(second.next()).test(began)).isTrue();
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Else the numbers would not say which of two changes of an entry is the later one. */
    @Test
    void shouldNumberAChangeAfterItHasLockedItsEntry() throws Exception {
        Target target = Target.of(entry("a@example.com"));
        table.put(entry("a@example.com"), "admin");
        for (Callable<Done> writer :
                List.<Callable<Done>>of(
                        () -> table.put(entry("!a@example.com"), "admin"),
                        () ->
                                table.update(List.of(target), rules -> List.of(Rule.LISTS), "me")
                                        .getFirst(),
                        () -> table.remove(Origin.ADMIN, target.sender(), null, "admin"))) {
            try (Connection holder = plain();
                    ExecutorService threads = Executors.newSingleThreadExecutor()) {
                holder.setAutoCommit(false);
                Sql.run(holder, "update whitelist_entry set ends = null");
                Future<Done> written = threads.submit(writer);
                Awaitility.await()
                        .until(() -> number("count(*) from pg_locks where not granted") > 0);
                insert(holder, "a@example.com");
                holder.commit();
                long number = written.get().number();
                assertThat(number("count(*) from whitelist_feed where seq > " + number)).isZero();
            }
        }
    }

    private long number(String what) throws SQLException, IOException {
        try (Connection connection = plain()) {
            return Sql.query(connection, "select " + what, row -> row.getLong(1)).getFirst();
        }
    }

    @Test
    void shouldDecideWhatWasSeenAsTheDatabaseDoes() throws Exception {
        try (Connection first = plain();
                Connection second = plain();
                Connection asked = plain()) {
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            Sql.run(first, "select pg_current_xact_id()");
            table.put(entry("a@example.com"), "admin");
            Sql.run(second, "select pg_current_xact_id()");
            table.put(entry("b@example.com"), "admin");
            FeedPosition position = table.position();
            String snapshot = Objects.requireNonNull(FeedPlace.placeOf(position.place()));
            List<Long> decided =
                    Sql.query(
                            asked,
                            "select x, pg_visible_in_snapshot(cast(cast(x as text) as xid8), p)"
                                + " from (select cast(? as pg_snapshot) as p) as s,"
                                + " generate_series(cast(cast(pg_snapshot_xmin(p) as text) as"
                                + " bigint) - 2, cast(cast(pg_snapshot_xmax(p) as text) as bigint)"
                                + " + 2) as x",
                            row -> {
                                assertThat(table.seen(position).test(row.getLong(1)))
                                        .as("%d in %s", row.getLong(1), snapshot)
                                        .isEqualTo(row.getBoolean(2));
                                return row.getLong(1);
                            },
                            snapshot);
            assertThat(decided).hasSizeGreaterThan(8);
        }
    }

    /** A position must not depend on how long a transaction elsewhere in the cluster is open. */
    @Test
    void shouldReadNothingTwiceBesideAnOpenTransaction() throws Exception {
        try (Connection open = server.plain("public")) {
            open.setAutoCommit(false);
            Sql.run(open, "select pg_current_xact_id()");
            FeedPosition position = table.position();
            for (int i = 0; i < 3; i++) {
                table.putAll(List.of(entry("a" + i + "@b.org"), entry("b" + i + "@b.org")), "me");
            }
            Feed feed = changes(position);
            assertThat(senders(feed)).hasSize(6);
            assertThat(senders(changes(feed.next()))).isEmpty();
            table.put(entry("c@b.org"), "me");
            Feed next = changes(feed.next());
            assertThat(senders(next)).containsExactly("c@b.org");
            assertThat(senders(changes(next.next()))).isEmpty();
            open.rollback();
            assertThat(senders(changes(next.next()))).isEmpty();
        }
    }

    @Test
    void shouldLeaveOutChangesOfAnotherClusterThatWereRestored() throws Exception {
        table.put(entry("a@example.com"), "admin");
        run("update whitelist_feed set xid = '1000000000'");
        FeedPosition position = table.position();
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
            Sql.run(holder, "update whitelist_entry set ends = null");
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
        assertThat(quick.put(entry("!a@example.com"), "admin").effect()).isEqualTo(Effect.REPLACED);
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
                    "insert into whitelist_entry(list, sender, recipient, origin, rules)"
                            + " select id, ?, ?, 0, '' from whitelist_list where name = 'vip'",
                    key.sender(),
                    key.recipient());
            Future<Done> put = threads.submit(() -> table.put(entry("!a@example.com"), "admin"));
            Thread.sleep(200);
            assertThat(put.isDone()).isFalse();
            other.commit();
            assertThat(put.get().effect()).isEqualTo(Effect.REPLACED);
        }
        assertThat(senders(changes(position))).containsExactly("a@example.com");
    }

    @Test
    void shouldVisitTheStateOfOneMoment() throws IOException {
        table.put(entry("a@example.com"), "admin");
        table.put(entry("b@example.com"), "admin");
        List<Entry> seen = new ArrayList<>();
        table.forEach(
                entry -> {
                    seen.add(entry);
                    try {
                        table.put(entry("c@example.com"), "admin");
                        table.remove(Origin.ADMIN, key("b@example.com"), null, "admin");
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
        assertThat(seen).containsExactly(entry("a@example.com"), entry("b@example.com"));
        assertThat(table.count()).isEqualTo(2);
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
