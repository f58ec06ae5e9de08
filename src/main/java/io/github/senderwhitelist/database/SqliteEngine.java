package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The engine for SQLite in a file, which several processes on one machine may share. */
final class SqliteEngine implements Engine {
    private static final String KEPT = "; the changes acknowledged before are kept";

    private static final Schema.Dialect DIALECT =
            new Schema.Dialect(
                    "blob",
                    "int",
                    "integer primary key",
                    "integer primary key",
                    "(list, sender, number)",
                    "seq integer primary key autoincrement, token int not null default (random())",
                    "",
                    " without rowid",
                    address("e.sender"),
                    "case when length(e.recipient) > 0 then "
                            + address("substr(e.recipient, 2)")
                            + " end",
                    "datetime(e.ends / 1000, 'unixepoch')");

    /**
     * The statistics that SQLite is to assume about the tables, whatever is in them, in the form of
     * {@code analyze}: rows, and how many of them have the first column of an index in common, the
     * first two, and so on. Without it, SQLite reads a whole list to find what is for one
     * recipient.
     */
    private static final List<String> STATISTICS =
            List.of(
                    "analyze sqlite_schema",
                    "delete from sqlite_stat1 where tbl in ('whitelist_entry',"
                            + " 'whitelist_history')",
                    "insert into sqlite_stat1(tbl, idx, stat) values"
                            + " ('whitelist_entry', 'whitelist_entry', '10000000 10000000 5 2 1'),"
                            + " ('whitelist_entry', 'whitelist_entry_recipient',"
                            + " '10000000 10000000 200'),"
                            + " ('whitelist_entry', 'whitelist_entry_ends',"
                            + " '10000000 10000000 2'),"
                            + " ('whitelist_history', 'whitelist_history_sender',"
                            + " '1000000 1000000 5 1'),"
                            + " ('whitelist_history', 'whitelist_history_recipient',"
                            + " '1000000 1000000 20')",
                    "analyze sqlite_schema");

    private final SqliteFile file;
    private final Duration timeout;
    private final SqliteConnections connections;
    private final SqliteWriter writer;
    private final FeedReader feed = new SqliteFeed();

    /**
     * Opens the file.
     *
     * @throws IOException if SQLite cannot be loaded, or the file not be made
     */
    SqliteEngine(Path path, Duration timeout) throws IOException {
        this.file = new SqliteFile(path);
        this.timeout = timeout;
        this.connections = new SqliteConnections(file, timeout);
        this.writer = new SqliteWriter(connections, new SqliteLog(timeout), timeout);
        file.makeFolder();
        SqliteDriver.load(file.folder());
        file.make();
    }

    private static String address(String bytes) {
        return "cast(substr(%s, 1, instr(%s, x'00') - 1) as text) || '@' ||".formatted(bytes, bytes)
                + " cast(substr(%s, instr(%s, x'00') + 1) as text)".formatted(bytes, bytes);
    }

    SqliteWriter writer() {
        return writer;
    }

    @Override
    public <T extends @Nullable Object> T read(Sql.Work<T> work) throws SQLException, IOException {
        return connections.use(open -> work.on(open.connection()));
    }

    @Override
    public <T extends @Nullable Object> T readOneState(Sql.Work<T> work)
            throws SQLException, IOException {
        return read(
                connection -> {
                    Sql.run(connection, "begin");
                    T result = work.on(connection);
                    Sql.run(connection, "commit");
                    return result;
                });
    }

    @Override
    public <T extends @Nullable Object> T write(Sql.Work<T> work) throws SQLException, IOException {
        return writer.write(work);
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public Object incarnation() throws IOException {
        return connections.incarnation();
    }

    @Override
    public void prepare(Connection connection) throws SQLException, IOException {
        boolean lacksIndex =
                Sql.query(
                                connection,
                                "select name from sqlite_schema where name in"
                                        + " ('whitelist_entry', 'whitelist_entry_recipient')",
                                row -> row.getString(1))
                        .equals(List.of("whitelist_entry"));
        if (lacksIndex) {
            // A process was killed while it imported.
            makeRecipients(connection);
        }
    }

    /** Makes the index of recipients if it is missing; its statistics went with it. */
    static void makeRecipients(Connection connection) throws SQLException {
        Sql.run(connection, Schema.MAKE_RECIPIENTS);
        for (String statement : STATISTICS) {
            Sql.run(connection, statement);
        }
    }

    @Override
    public void lockSchema(Connection connection) {}

    @Override
    public String hasSchema() {
        return "select 1 from sqlite_schema where type = 'table' and name = 'whitelist_schema'";
    }

    @Override
    public List<String> schema() {
        List<String> statements = new ArrayList<>(Schema.statements(DIALECT));
        statements.addAll(STATISTICS);
        return statements;
    }

    @Override
    public String clock() {
        return "cast(unixepoch('subsec') * 1000 as int)";
    }

    @Override
    public FeedReader feed() {
        return feed;
    }

    @Override
    public boolean putsInBulk() {
        return false;
    }

    /** Returns false: a long read would keep the log of changes from being reset. */
    @Override
    public boolean streamsOneMoment() {
        return false;
    }

    @Override
    public BulkLoad bulkLoad() {
        return new SqliteLoad(this);
    }

    /** Returns whether another process has locked the file for longer than was waited. */
    static boolean isBusy(SQLException e) {
        return (e.getErrorCode() & 0xff) == SQLiteErrorCode.SQLITE_BUSY.code;
    }

    @Override
    public String explain(SQLException e) {
        int code = e.getErrorCode() & 0xff;
        if (code == SQLiteErrorCode.SQLITE_BUSY.code) {
            return file.path()
                    + ": another process has been writing for more than "
                    + Failures.seconds(timeout)
                    + ", or has the file to itself, such as an import; nothing was changed";
        }
        if (code == SQLiteErrorCode.SQLITE_CORRUPT.code
                || code == SQLiteErrorCode.SQLITE_NOTADB.code) {
            return file.path()
                    + ": damaged, or no database of SQLite. Put a backup in its place, together"
                    + " with none of the files -wal and -shm beside it; or move all three away, so"
                    + " that a new one is made, and import the list";
        }
        if (e instanceof SQLiteException failure
                && failure.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_SHORT_READ) {
            return file.path()
                    + ": the file, its -wal or its -shm was replaced or deleted while a process"
                    + " has it open. End that process, if this does not pass soon";
        }
        if (code == SQLiteErrorCode.SQLITE_FULL.code) {
            return file.path() + ": the disk is full. Make room; then all goes on" + KEPT;
        }
        if (code == SQLiteErrorCode.SQLITE_READONLY.code
                || code == SQLiteErrorCode.SQLITE_CANTOPEN.code
                || code == SQLiteErrorCode.SQLITE_PERM.code) {
            return file.path()
                    + ": this process may not write the file, or make files beside it"
                    + KEPT;
        }
        return code == SQLiteErrorCode.SQLITE_IOERR.code
                ? file.path() + ": " + Failures.reason(e) + KEPT
                : Failures.reason(e);
    }

    @Override
    public void keepNoneOpen() {
        connections.keepNone();
    }

    @Override
    public void close() {
        writer.endAlone();
        connections.close();
    }
}
