package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Importing very many entries into a list. It depends on how many are announced. */
abstract class ImportContract {
    static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final long VERY_MANY = 1_000_000;

    Database database;
    EntryTable table;

    abstract Database connect() throws IOException;

    @BeforeEach
    void open() throws IOException {
        database = connect();
        table = database.table("vip");
    }

    @AfterEach
    void close() throws IOException {
        database.close();
    }

    Import begin() throws IOException {
        return Objects.requireNonNull(database.importing("vip", VERY_MANY), "not an import");
    }

    private int load(Entry... entries) throws IOException {
        try (Import importing = begin()) {
            return importing.putAll(List.of(entries));
        }
    }

    List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        table.forEach(entry -> lines.addAll(entry.lines()));
        return lines;
    }

    static List<String> changed(EntryTable of, FeedPosition after) throws IOException {
        return Objects.requireNonNull(Feed.of(of, after), "the position is not known").senders();
    }

    /** Also one that came after the command has looked. */
    @Test
    void shouldKeepADenialThatTheImportDoesNotHave() throws IOException {
        table.put(entry("!a@example.com"), "user");
        table.put(entry("b@example.com note=!", "!b@example.com until=2999-12-31"), "user");
        table.put(entry("!c@example.com"), "user");
        table.put(entry("d@example.com note=! !d@example.com"), "user");

        assertThat(
                        load(
                                entry("a@example.com"),
                                entry("b@example.com"),
                                entry("c@example.com", "!c@example.com note=x"),
                                entry("d@example.com")))
                .isEqualTo(2);

        assertThat(lines())
                .containsExactly(
                        "!a@example.com",
                        "b@example.com note=!",
                        "!b@example.com until=2999-12-31",
                        "c@example.com",
                        "!c@example.com note=x",
                        "d@example.com");
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
                                entry("\"a\\\\b\"@example.com note=a\\b\\n"),
                                entry("d@example.com", "d@example.com auth=spf"),
                                entry("d@example.com to=u@x.example")))
                .isEqualTo(4);
        assertThat(lines())
                .containsExactlyInAnyOrder(
                        "a@example.com",
                        "b@example.com until=2027-01-31 to=u@x.example",
                        "c@example.com",
                        "\"a\\\\b\"@example.com note=a\\b\\n",
                        "d@example.com",
                        "d@example.com auth=spf",
                        "d@example.com to=u@x.example");
        assertThat(table.entriesFor(key("u@x.example"), 10))
                .extracting(entry -> entry.key().toString())
                .containsExactly("b@example.com", "d@example.com");
        assertThat(table.history(key("d@example.com"), 10)).isEmpty();
        assertThat(table.history(key("a@example.com"), 10)).hasSize(1);
        assertThat(load(entry("d@example.com to=u@x.example"))).isZero();
    }

    @Test
    void shouldKeepTheLastOfSeveralForOneKey() throws IOException {
        assertThat(load(entry("a@example.com"), entry("!a@example.com"))).isPositive();
        assertThat(lines()).containsExactly("!a@example.com");
    }

    @Test
    void shouldMakeWhoFollowsTheListReadItAgain() throws IOException {
        table.put(entry("a@example.com"), "admin");
        EntryTable other = database.table("other");
        other.put(entry("a@example.com"), "admin");
        FeedPosition before = table.position();
        FeedPosition othersBefore = other.position();
        load(entry("b@example.com"));
        assertThat(Feed.of(table, before)).isNull();
        FeedPosition after = table.position();
        assertThat(changed(table, after)).isEmpty();
        table.put(entry("c@example.com"), "admin");
        assertThat(changed(table, after)).containsExactly("c@example.com");
        other.put(entry("d@example.com"), "admin");
        assertThat(changed(other, othersBefore)).containsExactly("d@example.com");
    }

    @Test
    void shouldBeginTheFeedOfANewList() throws IOException {
        load(entry("a@example.com"));
        FeedPosition position = table.position();
        table.put(entry("b@example.com"), "admin");
        assertThat(changed(table, position)).containsExactly("b@example.com");
    }

    /** Its entries have no changes, so nothing else says that a database was put back. */
    @Test
    void shouldNoticeThatAnImportIsGoneWhoseEntriesWereRead() throws IOException {
        table.put(entry("a@example.com"), "admin");
        FeedPosition before = table.position();
        mark("'some', import_until = " + Long.MAX_VALUE);
        FeedPosition read = table.forEach(entry -> {});
        FeedPosition polled = Objects.requireNonNull(table.changes(before, change -> {}));
        assertThat(changed(table, read)).isEmpty();
        assertThat(changed(table, polled)).isEmpty();
        mark("null");
        assertThat(Feed.of(table, read)).isNull();
        assertThat(Feed.of(table, polled)).isNull();
        assertThat(changed(table, before)).isEmpty();
    }

    /** The import goes on, so that there is a mark again. */
    @Test
    void shouldNoticeThatWhatAnImportPutIsGoneWhileItGoesOn() throws IOException {
        table.put(entry("a@example.com"), "admin");
        try (Database server = connect();
                Import importing = begin()) {
            EntryTable list = server.table("vip");
            importing.putAll(List.of(entry("b@example.com")));
            FeedPosition read = list.forEach(entry -> {});
            importing.putAll(List.of(entry("c@example.com")));
            assertThat(changed(list, read)).isEmpty();
            FeedPosition polled = Objects.requireNonNull(list.changes(read, change -> {}));
            mark("replace(import, ':2', ':1')");
            assertThat(changed(list, read)).as("read before it").isEmpty();
            assertThat(Feed.of(list, polled)).as("polled after it").isNull();
            importing.putAll(List.of(entry("d@example.com")));
            importing.putAll(List.of(entry("e@example.com")));
            assertThat(Feed.of(list, read)).isNull();
            assertThat(Feed.of(list, polled)).isNull();
        }
    }

    private void mark(String as) throws IOException {
        database.write(
                "mark",
                connection -> Sql.update(connection, "update whitelist_list set import = " + as));
    }

    /** A process was killed while it imported: nobody would ever read what it had put. */
    @Test
    void shouldMakeWhoFollowsTheListReadItAgainAfterADeadImport() throws IOException {
        FeedPosition position = table.position();
        Import dead = begin();
        dead.putAll(List.of(entry("a@example.com to=u@x.example")));
        close();
        open();
        assertThat(Feed.of(table, position)).as("it may go on").isNotNull();
        database.write(
                "pass the time",
                connection ->
                        Sql.update(
                                connection,
                                "update whitelist_list set import_until = import_until - ?",
                                Import.EXPIRES.toMillis() + 1));
        assertThat(Feed.of(table, position)).isNull();
        FeedPosition again = table.position();
        assertThat(again.epoch()).isNotEqualTo(position.epoch());
        assertThat(Feed.of(table, again)).isNotNull();
        assertThat(table.entriesFor(key("u@x.example"), 10)).hasSize(1);
    }

    /** The end of one import must not hide that another one dies. */
    @Test
    void shouldKeepTheMarkOfTheOtherImport() throws IOException {
        try (Import one = begin()) {
            one.putAll(List.of(entry("a@example.com")));
            mark("'another'");
        }
        List<String> marks =
                database.read(
                        "look",
                        connection ->
                                Sql.query(
                                        connection,
                                        "select import from whitelist_list",
                                        row -> row.getString(1)));
        assertThat(marks).containsExactly("another");
    }

    @Test
    void shouldLeaveFewEntriesToTheirHistory() throws IOException {
        assertThat(database.importing("vip", 1_000)).isNull();
    }
}
