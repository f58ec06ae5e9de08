package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/**
 * Puts a dump of the tables back into the same PostgreSQL. The dump has entries that were removed
 * after it, but the feed has no changes that say so.
 */
@Tag("large")
class PostgresRestoreTest {
    private static final List<String> TABLES =
            List.of("whitelist_list", "whitelist_entry", "whitelist_feed", "whitelist_history");

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "drop table %s cascade; create table %s (like dump.%s including all)",
                "truncate %s"
            })
    void shouldNoticeThatADumpWasPutBack(String emptied) throws Exception {
        try (Postgres server = new Postgres(folder)) {
            server.start();
            try (Database database = server.open("public", Duration.ofSeconds(30));
                    Connection plain = server.plain("public")) {
                EntryTable table = database.table("vip");
                FeedPosition beginning = table.position();
                table.put(entry("a@example.com"), "admin");
                Sql.run(plain, "create schema dump");
                for (String name : TABLES) {
                    Sql.run(
                            plain,
                            "create table dump.%s (like %s including all)".formatted(name, name));
                    Sql.run(
                            plain,
                            "insert into dump.%s overriding system value select * from %s"
                                    .formatted(name, name));
                }
                table.remove(Origin.ADMIN, key("a@example.com"), null, "admin");
                FeedPosition position = table.position();
                assertThat(Feed.of(table, position)).isNotNull();

                plain.setAutoCommit(false);
                for (String name : TABLES) {
                    Sql.run(plain, emptied.replace("%s", name));
                    Sql.run(
                            plain,
                            "insert into %s overriding system value select * from dump.%s"
                                    .formatted(name, name));
                }
                plain.commit();

                assertThat(table.find(key("a@example.com"), null)).isNotNull();
                assertThat(Feed.of(table, position)).isNull();
                assertThat(Feed.of(table, beginning)).isNull();
                assertThat(Feed.of(table, table.position())).isNotNull();
            }
        }
    }
}
