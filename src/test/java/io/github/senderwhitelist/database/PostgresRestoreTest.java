package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * {@link RestoreContract} with PostgreSQL. Dumps are put back in one transaction, as the manual
 * says. They are made by the statements of {@code pg_dump}, which the server of the tests lacks.
 */
@Tag("large")
class PostgresRestoreTest extends RestoreContract<PostgresRestoreTest.Way> {
    /** The tables, with the columns that number their rows. */
    private static final List<Table> TABLES =
            List.of(
                    new Table("whitelist_list", "id"),
                    new Table("whitelist_feed", "seq"),
                    new Table("whitelist_history", "number"),
                    new Table("whitelist_entry", ""));

    private static final String LONG_AGO = "update whitelist_feed set at = 0";

    @TempDir private static Path folder;
    @AutoClose private static Postgres server;
    private static int schemas;

    private String schema = "";
    private long lostTransactions;

    enum Way {
        /** The files of the whole server, which is stopped meanwhile. */
        FILES,
        /** A dump for which the tables are made again. */
        TABLES,
        /** A dump for which the tables are truncated. */
        TRUNCATED,
        /** A dump for which the rows are deleted, so that the tables are in the same files. */
        ROWS,
        /** A dump, put into a new server in place of the old one. */
        NEW_SERVER
    }

    private static final long UNASKED_MILLIS = 600;

    private record Table(String name, String number) {}

    static List<Case<Way>> cases() {
        return cases(Way.values(), each -> true);
    }

    @BeforeAll
    static void start() throws IOException {
        server = Postgres.started(folder);
    }

    @BeforeEach
    void makeSchema() throws SQLException {
        schema = "restored" + schemas++;
        try (Connection connection = plain()) {
            Sql.run(connection, "create schema " + schema);
        }
    }

    private Connection plain() throws SQLException {
        return server.plain(schema);
    }

    @Override
    Database open() {
        return server.open(schema, TIMEOUT);
    }

    @Override
    Backup backUp(Way way) throws Exception {
        if (way == Way.FILES) {
            restart(() -> execute("cp", "-a", folder.resolve("data"), folder.resolve("copy")));
            return this::putFilesBack;
        }
        Dump dump = dump();
        return () -> {
            lostTransactions = transactions();
            if (way == Way.NEW_SERVER) {
                restart(() -> execute("rm", "-r", folder.resolve("data")));
            }
            fill(dump, way);
        };
    }

    private void putFilesBack() throws Exception {
        lostTransactions = transactions();
        restart(
                () -> {
                    execute("rm", "-r", folder.resolve("data"));
                    execute("mv", folder.resolve("copy"), folder.resolve("data"));
                });
    }

    /** Starts the server again after something was done to its files. */
    private static void restart(Backup between) throws Exception {
        server.close();
        between.putBack();
        server.start();
        // The pool asks a connection whether it is alive only if it was idle for half a second.
        Thread.sleep(UNASKED_MILLIS);
    }

    private static void execute(Object... command) throws Exception {
        List<String> words = new ArrayList<>();
        for (Object word : command) {
            words.add(word.toString());
        }
        assertThat(new ProcessBuilder(words).inheritIO().start().waitFor()).isZero();
    }

    /** Returns the number of the next transaction. */
    private long transactions() throws SQLException, IOException {
        try (Connection connection = plain()) {
            return number(
                    connection,
                    "select cast(cast(pg_snapshot_xmax(pg_current_snapshot()) as text) as bigint)");
        }
    }

    private static long number(Connection connection, String query)
            throws SQLException, IOException {
        return Sql.query(connection, query, row -> row.getLong(1)).getFirst();
    }

    @Override
    void letOthersWrite() throws Exception {
        try (Connection connection = plain()) {
            while (transactions() < lostTransactions) {
                Sql.run(connection, "select pg_current_xact_id()");
            }
        }
    }

    /**
     * What {@code pg_dump} makes of {@link #TABLES}, in their order.
     *
     * @param rows the rows of each
     * @param numbers the last number of each that has such; 0 if there is none
     */
    private record Dump(List<byte[]> rows, List<Long> numbers) {}

    private static String sequence(Table table) {
        return "pg_get_serial_sequence('%s', '%s')".formatted(table.name, table.number);
    }

    private Dump dump() throws Exception {
        Dump dump = new Dump(new ArrayList<>(), new ArrayList<>());
        try (Connection connection = plain()) {
            for (Table table : TABLES) {
                ByteArrayOutputStream rows = new ByteArrayOutputStream();
                connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyOut("copy " + table.name + " to stdout", rows);
                dump.rows.add(rows.toByteArray());
                dump.numbers.add(
                        table.number.isEmpty()
                                ? 0
                                : number(
                                        connection,
                                        "select pg_sequence_last_value(%s)"
                                                .formatted(sequence(table))));
            }
        }
        return dump;
    }

    private void fill(Dump dump, Way way) throws Exception {
        try (Connection connection = plain()) {
            connection.setAutoCommit(false);
            if (way == Way.TABLES || way == Way.NEW_SERVER) {
                Sql.run(connection, "drop schema if exists " + schema + " cascade");
                Sql.run(connection, "create schema " + schema);
                for (String statement : new PostgresEngine(TIMEOUT, this::plain).schema()) {
                    Sql.run(connection, statement);
                }
            }
            for (int i = 0; i < TABLES.size(); i++) {
                Table table = TABLES.get(i);
                Sql.run(
                        connection,
                        (way == Way.TRUNCATED ? "truncate " : "delete from ") + table.name);
                connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyIn(
                                "copy " + table.name + " from stdin",
                                new ByteArrayInputStream(dump.rows.get(i)));
                if (dump.numbers.get(i) > 0) {
                    number(
                            connection,
                            "select setval(%s, %s)"
                                    .formatted(sequence(table), dump.numbers.get(i)));
                }
            }
            connection.commit();
        }
    }

    /** The dump has changes, and a mark of removed ones, of transactions that are yet to come. */
    @Test
    void shouldFollowTheFeedInANewServer() throws Exception {
        try (Database old = open();
                Connection connection = plain()) {
            EntryTable table = old.table("vip");
            for (int i = 0; i < 1_000; i++) {
                Sql.run(connection, "select pg_current_xact_id()");
            }
            put(table, "a@example.com");
            Sql.run(connection, LONG_AGO);
            put(table, "b@example.com");
            table.sweep();
            put(table, "c@example.com");
        }
        backUp(Way.NEW_SERVER).putBack();
        try (Database here = open();
                Connection connection = plain()) {
            EntryTable table = here.table("vip");
            FeedPosition begin = table.position();
            put(table, "d@example.com");
            Feed feed = Objects.requireNonNull(Feed.of(table, begin));
            assertThat(feed.senders()).containsExactly("d@example.com");
            put(table, "e@example.com");
            feed = Objects.requireNonNull(Feed.of(table, feed.next()));
            Sql.run(connection, LONG_AGO);
            table.sweep();
            assertThat(Feed.of(table, begin)).isNull();
            assertThat(Feed.of(table, table.position())).isNotNull();
            put(table, "f@example.com");
            assertThat(Objects.requireNonNull(Feed.of(table, feed.next())).senders())
                    .containsExactly("f@example.com");
        }
    }

    private static void put(EntryTable table, String sender) throws IOException {
        table.put(entry(sender), "admin");
    }
}
