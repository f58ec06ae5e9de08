package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Position;

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
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** {@link JdbcRecordContract} with PostgreSQL, and what only PostgreSQL does. */
@Tag("large")
class PostgresRecordTest extends JdbcRecordContract {
    private static final Duration SHORT = Duration.ofMillis(500);

    @TempDir private static Path folder;
    @AutoClose private static Postgres server;
    private static int schemas;

    private String schema = "";

    @BeforeAll
    static void start() throws Exception {
        server = Postgres.started(folder);
        try (Connection admin = server.plain("public")) {
            // As somebody may set it who wants speed.
            new Session(admin).run("alter role postgres set synchronous_commit = off");
        }
    }

    @Override
    Database openDatabase(Duration timeout) throws Exception {
        if (schema.isEmpty()) {
            schema = "test" + schemas++;
            run("create schema " + schema);
        }
        return server.open(schema, timeout);
    }

    @Override
    String place() {
        return server.url(schema);
    }

    @Override
    Connection plain() throws SQLException {
        return server.plain(schema);
    }

    @Test
    void tablesShouldBeMadeOnceWhenManyServersStart() throws Exception {
        run("create schema started");
        schema = "started";
        int servers = 6;
        CyclicBarrier together = new CyclicBarrier(servers);
        List<String> epochs = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(servers)) {
            List<Future<Position>> starting = new ArrayList<>();
            for (int i = 0; i < servers; i++) {
                ListRecord started = open("vip");
                starting.add(
                        threads.submit(
                                () -> {
                                    together.await();
                                    started.create();
                                    return started.last();
                                }));
            }
            for (Future<Position> one : starting) {
                epochs.add(one.get().epoch());
            }
        }
        assertThat(epochs.stream().distinct()).hasSize(1);
        try (Connection connection = plain()) {
            assertThat(
                            new Session(connection)
                                    .query(
                                            "select count(*) from whitelist_schema",
                                            row -> row.getInt(1)))
                    .containsExactly(1);
        }
    }

    /** As while a dump is restored: an empty list would be active meanwhile. */
    @Test
    void tablesThatAreGoneShouldNotBeMadeAnew() throws Exception {
        put("a@example.com");
        run("alter table whitelist_schema rename to kept; alter table whitelist_list rename to l");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> record.log(new ListRecord.Position("", 0, 0)))
                    .hasMessageContaining("the tables are gone. Restore them");
        }
        run("alter table kept rename to whitelist_schema; alter table l rename to whitelist_list");
        assertThat(find("a@example.com", null)).isEqualTo(entry("a@example.com"));
    }

    /** What is set for a transaction must not reach the next one on the same connection. */
    @Test
    void settingsShouldEndWithTheirTransaction() throws Exception {
        try (Database database = server.open(schema, TIMEOUT)) {
            List<String> reading =
                    database.read(
                            "look",
                            own -> {
                                database.readInOrder(own);
                                return settings(own);
                            });
            assertThat(reading).containsExactly("repeatable read", "on", "off", "18s");
            assertThat(database.write("look", PostgresRecordTest::settings))
                    .containsExactly("read committed", "on", "on", "18s");
            try (Connection plain = plain()) {
                assertThat(settings(new Session(plain)))
                        .containsExactly("read committed", "off", "on", "0");
            }
        }
    }

    private static List<String> settings(Session session) throws SQLException, IOException {
        List<String> values = new ArrayList<>();
        for (String name :
                List.of(
                        "transaction_isolation",
                        "synchronous_commit",
                        "enable_sort",
                        "lock_timeout")) {
            values.addAll(session.query("show " + name, row -> row.getString(1)));
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://me:secret-4711@localhost/db",
                "jdbc:postgresql://localhost/db?password=secret-4711",
                "jdbc:postgresql://localhost:secret-4711/db",
                "jdbc:other:secret-4711"
            })
    void messagesShouldNotHaveTheUrl(String url) {
        assertThatThrownBy(() -> Database.postgres(url, "me", "secret-4711", TIMEOUT, 2).close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret-4711")
                .hasNoCause();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:1/db", "no.such.host.invalid/db"})
    void messagesShouldNotHaveThePassword(String place) {
        String url = "jdbc:postgresql://" + place;
        try (Database gone = Database.postgres(url, "me", "secret-4711", SHORT, 2)) {
            assertThatThrownBy(() -> gone.record("vip").count())
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
