package io.github.senderwhitelist.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The tables of the database, which are made if they are missing, and refused if they are of an
 * unknown version.
 */
final class Schema {
    private static final int VERSION = 1;

    /** The number of a list, as text of a statement. Its parameter is the name. */
    static final String LIST = "(select id from whitelist_list where name = ?)";

    /** Makes the index by which the entries for a recipient are found, if it is missing. */
    static final String MAKE_RECIPIENTS =
            "create index if not exists whitelist_entry_recipient on whitelist_entry(list,"
                    + " recipient) where length(recipient) > 0";

    static final String DROP_RECIPIENTS = "drop index if exists whitelist_entry_recipient";

    private Schema() {}

    /**
     * The types and clauses that differ between databases.
     *
     * @param bytes the type of keys
     * @param small the type of the number of an origin
     * @param number the type of the column that numbers the lists, and is the key
     * @param history the type of the column that numbers the rows of the history
     * @param historyKey how the history is indexed by senders
     * @param feed the columns of the number and the token of a change
     * @param feedKey the primary key of the feed, after a comma, or nothing
     * @param entryEnd the end of the statement that makes the table of entries
     * @param sender the sender of an entry for people, as an expression
     * @param recipients the same of its recipients
     * @param ends the same of the moment at which it ends
     */
    record Dialect(
            String bytes,
            String small,
            String number,
            String history,
            String historyKey,
            String feed,
            String feedKey,
            String entryEnd,
            String sender,
            String recipients,
            String ends) {}

    /** Returns the statements that make the tables. */
    static List<String> statements(Dialect dialect) {
        String key =
                "list int not null, sender %s not null, recipient %s not null, origin %s not null"
                        .formatted(dialect.bytes, dialect.bytes, dialect.small);
        return List.of(
                "create table whitelist_list(id "
                        + dialect.number
                        + ", name varchar(255) not null unique, epoch varchar(100) not null,"
                        + " kept_from bigint not null, import varchar(100), import_until bigint)",
                "create table whitelist_entry("
                        + key
                        + ", rules varchar not null, ends bigint,"
                        + " primary key (list, sender, recipient, origin))"
                        + dialect.entryEnd,
                MAKE_RECIPIENTS,
                "create index whitelist_entry_ends on whitelist_entry(list, ends)"
                        + " where ends is not null",
                "create table whitelist_feed("
                        + dialect.feed
                        + ", at bigint not null, "
                        + key
                        + dialect.feedKey
                        + ")",
                "create table whitelist_history(number "
                        + dialect.history
                        + ", at bigint not null, "
                        + key
                        + ", who varchar not null, rules varchar)",
                "create index whitelist_history_sender on whitelist_history" + dialect.historyKey,
                "create index whitelist_history_recipient on whitelist_history(list, recipient)"
                        + " where length(recipient) > 0",
                "create view whitelist as select l.name as list, "
                        + dialect.sender
                        + " as sender, "
                        + dialect.recipients
                        + " as recipients, case e.origin when 0 then 'admin' when 1 then 'user'"
                        + " when 2 then 'learned' end as origin, e.rules, "
                        + dialect.ends
                        + " as ends from whitelist_entry e join whitelist_list l on l.id = e.list",
                "create table whitelist_schema(version int not null)",
                "insert into whitelist_schema(version) values (" + VERSION + ")");
    }

    /** Makes the tables if they are missing. Other servers may do the same at the same time. */
    static void prepare(Engine engine) throws SQLException, IOException {
        boolean there =
                engine.read(
                        connection -> {
                            engine.prepare(connection);
                            return exists(connection, engine);
                        });
        if (!there) {
            engine.write(
                    connection -> {
                        engine.lockSchema(connection);
                        if (!exists(connection, engine)) {
                            for (String statement : engine.schema()) {
                                Sql.run(connection, statement);
                            }
                        }
                        return true;
                    });
        }
        int version =
                engine.read(
                        connection ->
                                Sql.query(
                                                connection,
                                                "select max(version) from whitelist_schema",
                                                row -> row.getInt(1))
                                        .getFirst());
        if (version != VERSION) {
            throw new IOException(
                    "its tables have version "
                            + version
                            + ", and this version of the plugin knows "
                            + VERSION
                            + "; use a newer one");
        }
    }

    /** Returns whether the tables are there. */
    static boolean exists(Connection connection, Engine engine) throws SQLException, IOException {
        return !Sql.query(connection, engine.hasSchema(), row -> true).isEmpty()
                && !Sql.query(connection, "select 1 from whitelist_schema", row -> true).isEmpty();
    }
}
