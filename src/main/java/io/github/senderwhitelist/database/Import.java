package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * An import of very many entries into a list, without a change in the feed for each. While it goes
 * on, the row of the list is marked. When it ends, all servers read the list again; also when it
 * was killed, once the mark has expired. Other changes go on beside it, with their places in the
 * feed.
 *
 * <p>What was put is there when {@link #putAll} returns, so an import can be repeated.
 */
public final class Import implements Closeable {
    /** The time after its last entries from which on an import is considered dead. */
    static final Duration EXPIRES = Duration.ofMinutes(10);

    private static final String MARK =
            "update whitelist_list set import = ?, import_until = %s + "
                    + EXPIRES.toMillis()
                    + " where name = ?";

    private final Database database;
    private final Engine engine;
    private final FeedLog feed;
    private final BulkLoad load;
    private final String list;

    /** The mark of this import in the row of the list; null before the first part. */
    private @Nullable ImportMark mark;

    private Import(Database database, Engine engine, String list) {
        this.database = database;
        this.engine = engine;
        this.feed = new FeedLog(engine, list);
        this.load = engine.bulkLoad();
        this.list = list;
    }

    /**
     * Begins to import.
     *
     * @param entries about how many entries will be put
     */
    static Import begin(Database database, Engine engine, String list, long entries)
            throws IOException {
        Import begun = new Import(database, engine, list);
        database.read(begun.what("begin to import"), connection -> true);
        database.act(begun.what("begin to import"), () -> begun.load.begin(entries));
        return begun;
    }

    /** Returns the best number of entries for one call of {@link #putAll}. */
    public int part() {
        return load.part();
    }

    /**
     * Puts entries in one or more transactions, each in place of what its origin had for the same
     * sender and recipients. An entry there that has a denial stays if the new one has none.
     *
     * @return how many are new or have changed
     * @throws IOException if it fails; some may have been put
     */
    public int putAll(List<Entry> entries) throws IOException {
        List<EntryRow> rows = entries.stream().map(EntryRow::of).toList();
        int put = 0;
        for (int from = 0; from < rows.size(); from += load.part()) {
            List<EntryRow> part = rows.subList(from, Math.min(rows.size(), from + load.part()));
            Part done =
                    database.write(
                            what("import " + part.size() + " entries"),
                            connection -> put(connection, part));
            mark = done.mark;
            put += done.put;
        }
        return put;
    }

    /** The number of entries that one transaction put, and its mark. */
    private record Part(ImportMark mark, int put) {}

    private Part put(Connection connection, List<EntryRow> rows) throws SQLException, IOException {
        int id = feed.id(connection);
        return new Part(mark(connection), load.put(connection, id, rows));
    }

    /**
     * Marks the row of the list, under another name if the last mark is not there: then the
     * database may have been put back to before what was put.
     */
    private ImportMark mark(Connection connection) throws SQLException {
        String sql = MARK.formatted(engine.clock());
        ImportMark last = mark;
        if (last != null) {
            ImportMark next = last.next();
            if (Sql.update(connection, sql + " and import = ?", next.text(), list, last.text())
                    == 1) {
                return next;
            }
        }
        ImportMark first = ImportMark.first();
        Sql.update(connection, sql, first.text(), list);
        return first;
    }

    /** Ends the import. All servers read the list again. */
    @Override
    public void close() throws IOException {
        try {
            database.write(
                    what("end the import"),
                    connection -> {
                        feed.id(connection);
                        feed.beginAgain(connection, mark);
                        return true;
                    });
        } finally {
            database.act(what("end the import"), load::end);
        }
    }

    private String what(String doing) {
        return "list '" + list + "': " + doing;
    }
}
