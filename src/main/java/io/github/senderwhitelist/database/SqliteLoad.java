package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;

/**
 * The load of very many entries into SQLite. If no other process has the file open, the index of
 * the recipients is made at the end: entries that come in their order are appended to the table,
 * but each changes a page of its own of that index. If another has it open, transactions are short,
 * so that others can write between them.
 */
final class SqliteLoad implements BulkLoad {
    private static final int PART = 20_000;
    private static final int SHORT_PART = 1_000;

    /** How long others can write between two transactions. */
    private static final long PAUSE = 3;

    private static final String PUT =
            "insert into whitelist_entry(list, sender, recipient, origin, rules, ends)"
                    + " values (?, ?, ?, ?, ?, ?) on conflict do update set rules = excluded.rules,"
                    + " ends = excluded.ends where rules <> excluded.rules"
                    + BulkPut.KEEPS_DENIALS;

    private final SqliteEngine engine;
    private boolean alone;

    SqliteLoad(SqliteEngine engine) {
        this.engine = engine;
    }

    @Override
    public int part() {
        return alone ? PART : SHORT_PART;
    }

    @Override
    public void begin(long entries) throws SQLException, IOException {
        alone = engine.writer().beginAlone();
        if (alone) {
            engine.write(
                    connection -> {
                        long there =
                                Sql.query(
                                                connection,
                                                "select count(*) from (select 1 from"
                                                        + " whitelist_entry limit ?)",
                                                row -> row.getLong(1),
                                                entries + 1)
                                        .getFirst();
                        if (there <= entries) {
                            Sql.run(connection, Schema.DROP_RECIPIENTS);
                        }
                        return true;
                    });
        }
    }

    @Override
    public int put(Connection connection, int id, List<EntryRow> rows)
            throws SQLException, IOException {
        if (!alone) {
            Failures.pause(PAUSE);
        }
        try (PreparedStatement statement = connection.prepareStatement(PUT)) {
            for (EntryRow row : rows) {
                statement.setInt(1, id);
                statement.setBytes(2, row.key().sender());
                statement.setBytes(3, row.key().recipient());
                statement.setInt(4, row.origin());
                statement.setString(5, row.text());
                @Nullable Long ends = row.ends();
                if (ends == null) {
                    statement.setNull(6, Types.BIGINT);
                } else {
                    statement.setLong(6, ends);
                }
                statement.addBatch();
            }
            int put = 0;
            for (int changed : statement.executeBatch()) {
                put += changed;
            }
            return put;
        }
    }

    @Override
    public void end() throws SQLException, IOException {
        if (alone) {
            try {
                engine.write(
                        connection -> {
                            SqliteEngine.makeRecipients(connection);
                            return true;
                        });
            } finally {
                alone = false;
                engine.writer().endAlone();
            }
        }
    }
}
