package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Loading very many entries into a list in H2. It depends on how many are told. */
class LoadingTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final long VERY_MANY = 1_000_000;

    @TempDir private Path folder;
    private Database database;
    private EntryTable table;

    @BeforeEach
    void open() throws IOException {
        database = Database.h2(folder.resolve("lists"), TIMEOUT);
        table = database.table("vip");
    }

    @AfterEach
    void close() throws IOException {
        database.close();
    }

    private Loading begin() throws IOException {
        return Objects.requireNonNull(database.load("vip", VERY_MANY), "it is not loaded");
    }

    private List<Effect> load(Entry... entries) throws IOException {
        try (Loading loading = begin()) {
            return loading.putAll(List.of(entries));
        }
    }

    private List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        table.forEach(entry -> lines.addAll(entry.lines()));
        return lines;
    }

    private static List<String> changed(@Nullable Feed feed) {
        return Objects.requireNonNull(feed, "the position is not known").changes().stream()
                .map(change -> change.sender().toString())
                .toList();
    }

    private boolean hasIndexOfRecipients() throws IOException {
        return database.call(
                "look for the index",
                connection ->
                        !Sql.query(
                                        connection,
                                        "select 1 from information_schema.indexes where index_name"
                                                + " = 'WHITELIST_ENTRY_RECIPIENT'",
                                        row -> true)
                                .isEmpty());
    }

    @Test
    void shouldPutWhatIsNewOrHasChanged() throws IOException {
        table.put(entry("a@example.com"), "admin");
        table.put(entry("b@example.com to=u@x.example"), "admin");
        table.put(entry("c@example.com"), "admin");
        assertThat(
                        load(
                                entry("a@example.com"),
                                entry("b@example.com to=u@x.example until=2027-01-31"),
                                entry("d@example.com to=u@x.example")))
                .containsExactly(Effect.NONE, Effect.REPLACED, Effect.CREATED);
        assertThat(lines())
                .containsExactlyInAnyOrder(
                        "a@example.com",
                        "b@example.com until=2027-01-31 to=u@x.example",
                        "c@example.com",
                        "d@example.com to=u@x.example");
        assertThat(table.entriesFor(key("u@x.example"), 10))
                .extracting(entry -> entry.key().toString())
                .containsExactly("b@example.com", "d@example.com");
        assertThat(hasIndexOfRecipients()).isTrue();
        assertThat(table.history(key("d@example.com"), 10)).isEmpty();
        assertThat(table.history(key("a@example.com"), 10)).hasSize(1);
    }

    @Test
    void shouldMakeWhoFollowsTheListReadItAnew() throws IOException {
        table.put(entry("a@example.com"), "admin");
        EntryTable other = database.table("other");
        other.put(entry("a@example.com"), "admin");
        FeedPosition before = table.position();
        FeedPosition othersBefore = other.position();
        load(entry("b@example.com"));
        assertThat(table.changes(before)).isNull();
        FeedPosition after = table.position();
        assertThat(changed(table.changes(after))).isEmpty();
        table.put(entry("c@example.com"), "admin");
        assertThat(changed(table.changes(after))).containsExactly("c@example.com");
        other.put(entry("d@example.com"), "admin");
        assertThat(changed(other.changes(othersBefore))).containsExactly("d@example.com");
    }

    @Test
    void shouldBeginTheFeedOfANewList() throws IOException {
        load(entry("a@example.com"));
        FeedPosition position = table.position();
        table.put(entry("b@example.com"), "admin");
        assertThat(changed(table.changes(position))).containsExactly("b@example.com");
        assertThat(table.history(key("@invalid"), 10)).isEmpty();
    }

    @Test
    void shouldMakeTheIndexWhenTheDatabaseIsOpenedIfALoadingDidNotEnd() throws IOException {
        begin().putAll(List.of(entry("a@example.com to=u@x.example")));
        assertThat(hasIndexOfRecipients()).isFalse();
        close();
        open();
        assertThat(hasIndexOfRecipients()).isTrue();
        assertThat(table.entriesFor(key("u@x.example"), 10)).hasSize(1);
    }

    @Test
    void shouldKeepTheIndexWhenThereAreMoreEntriesThanAreLoaded() throws IOException {
        database.write(
                "fill",
                connection -> {
                    Sql.run(
                            connection,
                            "insert into whitelist_entry(list, sender, recipient, origin, lines)"
                                    + " select 'other', cast(cast(x as varchar) as varbinary), '',"
                                    + " 0, '' from system_range(1, 200010)");
                    return true;
                });
        try (Loading loading =
                Objects.requireNonNull(database.load("vip", 200_005), "it is not loaded")) {
            assertThat(loading.putAll(List.of(entry("a@example.com")))).hasSize(1);
            assertThat(hasIndexOfRecipients()).isTrue();
        }
    }

    @Test
    void shouldLeaveFewEntriesToTheirHistory() throws IOException {
        assertThat(database.load("vip", 1_000)).isNull();
    }
}
