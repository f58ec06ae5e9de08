package io.github.senderwhitelist.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Makes the tables, or finds out that they are of a version that this one does not know. */
final class Schema {
    private static final int VERSION = 1;

    /** Makes the index by which the entries for a recipient are found, if it is missing. */
    static final String MAKE_RECIPIENTS =
            "create index if not exists whitelist_entry_recipient on whitelist_entry(list,"
                    + " recipient, origin, until_moment, sender)";

    static final String DROP_RECIPIENTS = "drop index if exists whitelist_entry_recipient";

    private Schema() {}

    /**
     * Returns the statements that make the tables. H2 commits each of them. When the process ends
     * in between, the next one runs all again, until there is a version.
     *
     * @param bytes the type of keys
     * @param number the columns that number changes
     * @param place the one of them that tells the place in the feed
     */
    static List<String> statements(String bytes, String number, String place) {
        return List.of(
                "create table if not exists whitelist_list(list varchar(255) primary key,"
                        + " epoch varchar(100) not null, kept_from bigint not null)",
                "create table if not exists whitelist_entry(list varchar(255) not null, sender "
                        + bytes
                        + " not null, recipient "
                        + bytes
                        + " not null, origin smallint not null, lines varchar not null,"
                        + " until_moment timestamp with time zone,"
                        + " primary key (list, sender, recipient, origin))",
                MAKE_RECIPIENTS,
                "create index if not exists whitelist_entry_until on whitelist_entry(list,"
                        + " until_moment)",
                "create table if not exists whitelist_change("
                        + number
                        + ", list varchar(255) not null, sender "
                        + bytes
                        + " not null, recipient "
                        + bytes
                        + " not null, origin smallint not null,"
                        + " at timestamp with time zone not null, who varchar not null,"
                        + " lines varchar)",
                "create index if not exists whitelist_change_feed on whitelist_change(list, "
                        + place
                        + ")",
                "create index if not exists whitelist_change_sender on whitelist_change(list,"
                        + " sender, seq)",
                "create index if not exists whitelist_change_recipient on whitelist_change(list,"
                        + " recipient)",
                "create index if not exists whitelist_change_at on whitelist_change(list, at)",
                "create table if not exists whitelist_schema(version int not null)",
                "insert into whitelist_schema(version) select "
                        + VERSION
                        + " where not exists (select 1 from whitelist_schema)");
    }

    /** Makes the tables if they are missing. Other servers may do the same at the same time. */
    static void prepare(Connection connection, Engine engine) throws SQLException, IOException {
        engine.prepare(connection);
        if (!exists(connection, engine)) {
            Transactions.write(
                    connection,
                    own -> {
                        engine.lockSchema(own);
                        if (!exists(own, engine)) {
                            for (String statement : engine.schema()) {
                                Sql.run(own, statement);
                            }
                        }
                        return true;
                    });
        }
        int version =
                Sql.query(
                                connection,
                                "select max(version) from whitelist_schema",
                                row -> row.getInt(1))
                        .getFirst();
        if (version != VERSION) {
            throw new IOException(
                    "its tables have version "
                            + version
                            + ", and this version of the plugin knows "
                            + VERSION
                            + "; use a newer one");
        }
        if (engine.isOfOneProcess()) {
            // It is missing if a process ended while it loaded entries.
            Sql.run(connection, MAKE_RECIPIENTS);
        }
    }

    /** Returns whether the tables are there. */
    static boolean exists(Connection connection, Engine engine) throws SQLException, IOException {
        return !Sql.query(connection, engine.hasSchema(), row -> true).isEmpty()
                && !Sql.query(connection, "select 1 from whitelist_schema", row -> true).isEmpty();
    }
}
