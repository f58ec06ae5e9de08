package io.github.senderwhitelist.database;

import java.io.IOException;
import java.sql.SQLException;

/**
 * The tables of the database, which are made if they are missing, and refused if they are of an
 * unknown version.
 *
 * <p>The log holds only which entry was changed; what the entry says is read from the entries. Of
 * the log's {@code kind}s, only a change names a key.
 */
final class Schema {
    private static final int VERSION = 4;

    /** A change of an entry. */
    static final int CHANGE = 0;

    /** A part of a bulk. */
    static final int BULK = 1;

    /** The end of a bulk. */
    static final int END = 2;

    /** A change so old that its key was removed; the last row of the log always stays. */
    static final int BLANK = 3;

    /** The statement that makes the index by which the entries for a recipient are found. */
    static final String RECIPIENTS =
            "create index whitelist_entry_recipient on whitelist_entry(list, recipient)"
                    + " where length(recipient) > 0";

    /**
     * The statements of both engines.
     *
     * <ul>
     *   <li>{@code list}: the number of the last row of its log, and that up to which rows are
     *       gone. The epoch is another one when a list is made anew.
     *   <li>{@code entry}: all rules for a sender and recipients, as {@link EntryRow} says. SQLite
     *       keeps it in the order of its key, so that a list is read from one end to the other.
     *   <li>{@code log}: which entries were changed, in the order of the commits. The token tells a
     *       row from that of the same number after a restore.
     *   <li>{@code history}: what an entry of an origin said after each change, for people. No
     *       server reads it.
     *   <li>{@code usage}: how often the lines of an origin for a sender and recipients were used,
     *       on which day first and last; {@code counting}: since when.
     * </ul>
     */
    private static final String TABLES =
            """
            create table whitelist_list(id {number} primary key, name varchar(255) not null unique,
              epoch varchar(100) not null, seq bigint not null, kept_from bigint not null);
            create table whitelist_entry({key}, rules {bytes} not null, ends bigint,
              primary key (list, sender, recipient)){clustered};
            {recipients};
            create index whitelist_entry_ends on whitelist_entry(list, ends) where ends is not null;
            create table whitelist_log({key}, seq bigint not null, token bigint not null,
              kind smallint not null, at bigint not null, primary key (list, seq)){clustered};
            create table whitelist_history(number {number} primary key, {key}, origin smallint not null,
              at bigint not null,
              who varchar not null, rules {bytes});
            create index whitelist_history_sender on whitelist_history(list, sender);
            create index whitelist_history_recipient on whitelist_history(list, recipient)
              where length(recipient) > 0;
            create index whitelist_history_at on whitelist_history(list, at);
            create table whitelist_schema(version int not null);
            create table whitelist_usage({key}, origin smallint not null, used bigint not null,
              rescued bigint not null, first_day int not null, last_day int not null,
              primary key (list, sender, recipient, origin)){clustered};
            create index whitelist_usage_last
              on whitelist_usage(list, last_day desc, sender, recipient, origin);
            create table whitelist_counting(list int primary key, since bigint not null);
            insert into whitelist_schema(version) values ({version});
            """;

    /** A query of SQLite that has a row if the tables are there, which are made together. */
    private static final String IN_SQLITE =
            "select 1 from sqlite_schema where name = 'whitelist_schema'";

    /** Not to_regclass, which may say what it said before another server made the tables. */
    private static final String IN_POSTGRES =
            "select 1 from pg_catalog.pg_class where relname = 'whitelist_schema'"
                    + " and pg_catalog.pg_table_is_visible(oid)";

    /**
     * The statistics that SQLite is to assume: of ten million entries, all are of one list, and
     * five of one sender. Without them, it reads a whole list to find what is for one recipient.
     */
    private static final String STATISTICS =
            """
            analyze sqlite_schema;
            insert into sqlite_stat1(tbl, idx, stat) values
              ('whitelist_entry', 'whitelist_entry', '10000000 10000000 5 1');
            analyze sqlite_schema;
            """;

    private Schema() {}

    /** Returns whether SQLite has the index of the recipients now. */
    static boolean hasRecipients(Session session) throws SQLException, IOException {
        String sql = "select 1 from sqlite_schema where name = 'whitelist_entry_recipient'";
        return session.first(sql, row -> true) != null;
    }

    /**
     * Makes the tables if they are missing, in a transaction in which no one else does.
     *
     * @throws IOException if they are of another version; nothing was changed then
     */
    static boolean make(Session session, boolean isSqlite) throws SQLException, IOException {
        if (!isThere(session, isSqlite)) {
            String all = tables(isSqlite) + (isSqlite ? STATISTICS : "");
            session.run(all.strip().split(";\\s*"));
        }
        Integer version =
                session.first("select max(version) from whitelist_schema", row -> row.getInt(1));
        if (version == null || version != VERSION) {
            throw new IOException(
                    "its tables have version "
                            + version
                            + ", and this version of the plugin knows "
                            + VERSION
                            + "; use the one that made them, or another database");
        }
        return true;
    }

    /** Returns the statements with the types and clauses of an engine. */
    private static String tables(boolean isSqlite) {
        return TABLES.replace("{recipients}", RECIPIENTS)
                .replace(
                        "{key}",
                        "list int not null, sender {bytes} not null, recipient {bytes} not null")
                .replace("{bytes}", isSqlite ? "blob" : "bytea")
                .replace("{number}", isSqlite ? "integer" : "bigint generated always as identity")
                .replace("{clustered}", isSqlite ? " without rowid" : "")
                .replace("{version}", Integer.toString(VERSION));
    }

    /** Returns whether the tables are there. */
    static boolean isThere(Session session, boolean isSqlite) throws SQLException, IOException {
        return session.first(isSqlite ? IN_SQLITE : IN_POSTGRES, row -> true) != null;
    }
}
