package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.EntryTable.Effect;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts very many entries into a list of a database that this process has to itself. The entries
 * have no history. Servers that follow the list build their filters anew.
 *
 * <p>When entries come in their order, H2 appends them to its indexes, except to that of the
 * recipients, where each one changes a page of its own. So that index is made at the end, unless
 * the database has more entries than are put.
 */
public final class Loading implements Closeable {
    private final Database database;
    private final Engine engine;
    private final JdbcTable table;
    private final String list;

    private Loading(Database database, Engine engine, String list) {
        this.database = database;
        this.engine = engine;
        this.table = new JdbcTable(database, engine, list);
        this.list = list;
    }

    /**
     * Begins to load.
     *
     * @param entries about how many entries will be put
     */
    static Loading begin(Database database, Engine engine, String list, long entries)
            throws IOException {
        Loading loading = new Loading(database, engine, list);
        ChangeLog changes = new ChangeLog(engine, list);
        database.write(
                loading.what("begin to load"),
                connection -> {
                    changes.endFeed(connection);
                    List<Long> there =
                            Sql.query(
                                    connection,
                                    "select count(*) from whitelist_entry",
                                    row -> row.getLong(1));
                    if (there.getFirst() <= entries) {
                        Sql.run(connection, Schema.DROP_RECIPIENTS);
                    }
                    return true;
                });
        return loading;
    }

    /**
     * Puts entries in one transaction, as {@link
     * io.github.senderwhitelist.living.EntryTable#putAll} does.
     */
    public List<Effect> putAll(List<Entry> entries) throws IOException {
        List<EntryRow> rows = entries.stream().map(EntryRow::of).toList();
        return database.write(
                what("load " + rows.size() + " entries"),
                connection -> {
                    List<Effect> effects = new ArrayList<>();
                    for (EntryRow row : rows) {
                        effects.add(
                                table.set(
                                        connection,
                                        table.linesOf(connection, row.key(), row.origin()),
                                        row));
                    }
                    return effects;
                });
    }

    /** Makes the index of the recipients. What was put is there already. */
    @Override
    public void close() throws IOException {
        engine.loaded();
        database.write(
                what("make the index of recipients"),
                connection -> {
                    Sql.run(connection, Schema.MAKE_RECIPIENTS);
                    return true;
                });
    }

    private String what(String doing) {
        return "list '" + list + "': " + doing;
    }
}
