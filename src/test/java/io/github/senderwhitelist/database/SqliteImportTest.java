package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.living.EntryTable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@link ImportContract} with SQLite. */
class SqliteImportTest extends ImportContract {
    @TempDir private Path folder;

    @Override
    Database connect() throws IOException {
        return Database.sqlite(folder.resolve("lists.db"), TIMEOUT);
    }

    private boolean hasIndexOfRecipients(Database in) throws IOException {
        return in.read(
                "look for the index",
                connection ->
                        !Sql.query(
                                        connection,
                                        "select 1 from sqlite_schema where name ="
                                                + " 'whitelist_entry_recipient'",
                                        row -> true)
                                .isEmpty());
    }

    @Test
    void shouldMakeTheIndexWhenTheDatabaseIsOpenedIfAnImportDidNotEnd() throws IOException {
        begin().putAll(List.of(entry("a@example.com to=u@x.example")));
        database.close();
        close();
        open();
        assertThat(hasIndexOfRecipients(database)).isTrue();
        assertThat(table.entriesFor(key("u@x.example"), 10)).hasSize(1);
    }

    @Test
    void shouldLetOthersReadAndWriteMeanwhile() throws IOException {
        try (Database server = connect()) {
            EntryTable list = server.table("vip");
            list.put(entry("a@example.com"), "admin");
            try (Import importing = begin()) {
                importing.putAll(List.of(entry("b@example.com")));
                assertThat(hasIndexOfRecipients(server)).isTrue();
                list.put(entry("c@example.com"), "admin");
                importing.putAll(List.of(entry("d@example.com")));
                assertThat(list.count()).isEqualTo(4);
            }
        }
    }
}
