package io.github.senderwhitelist.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.postgresql.PGConnection;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;

/** The load of very many entries into PostgreSQL: copied into a temporary table, then merged. */
final class PostgresLoad implements BulkLoad {
    private static final int PART = 100_000;

    private static final String MERGE =
            "insert into whitelist_entry(list, sender, recipient, origin, rules, ends)"
                    + " select distinct on (sender, recipient, origin)"
                    + " cast(? as int), sender, recipient, origin, rules, ends"
                    + " from whitelist_staging order by sender, recipient, origin, place desc"
                    + BulkPut.REPLACES
                    + BulkPut.KEEPS_DENIALS;

    @Override
    public int part() {
        return PART;
    }

    @Override
    public void begin(long entries) {}

    @Override
    public int put(Connection connection, int id, List<EntryRow> rows)
            throws SQLException, IOException {
        Sql.run(
                connection,
                "create temporary table whitelist_staging(place int, sender bytea, recipient bytea,"
                        + " origin smallint, rules varchar, ends bigint) on commit drop");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < rows.size(); i++) {
            append(lines, i, rows.get(i));
        }
        connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn(
                        "copy whitelist_staging from stdin",
                        new ByteArrayInputStream(lines.toString().getBytes(UTF_8)));
        return Sql.update(connection, MERGE, id);
    }

    private static void append(StringBuilder lines, int place, EntryRow row) throws IOException {
        Long ends = row.ends();
        HexFormat hex = HexFormat.of();
        lines.append(place)
                .append("\t\\\\x")
                .append(hex.formatHex(row.key().sender()))
                .append("\t\\\\x")
                .append(hex.formatHex(row.key().recipient()))
                .append('\t')
                .append(row.origin())
                .append('\t')
                .append(
                        row.text()
                                .replace("\\", "\\\\")
                                .replace("\t", "\\t")
                                .replace("\r", "\\r")
                                .replace("\n", "\\n"))
                .append('\t')
                .append(ends == null ? "\\N" : ends)
                .append('\n');
    }

    @Override
    public void end() {}
}
