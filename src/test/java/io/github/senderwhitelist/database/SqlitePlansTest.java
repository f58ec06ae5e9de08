package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Target;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** SQLite finds by an index what a list is asked for, and does not read the list from its start. */
class SqlitePlansTest {
    private static final Key USER = key("sam@here.example");

    private static final Pattern WHOLE_LIST =
            Pattern.compile(
                    "SCAN (whitelist_entry|e)\\b.*"
                            + "|SEARCH (whitelist_entry|e) USING .*\\(list=\\?\\)");

    /** What statements say that need no index, or read all on purpose. */
    private static final List<String> OTHERS =
            List.of(
                    "insert into whitelist_entry",
                    "where list = 0",
                    "limit 1 offset 1000000",
                    "select count(*) from whitelist_entry",
                    "where list = ? order by list, sender, recipient");

    @TempDir private Path folder;
    private final Set<String> statements = new TreeSet<>();

    @Test
    void shouldReadNoWholeList() throws IOException {
        try (Database database = new Recording()) {
            use(database.record("vip"));
            statements.removeIf(
                    sql ->
                            !sql.contains("whitelist_entry")
                                    || OTHERS.stream().anyMatch(sql::contains));
            assertThat(statements).hasSizeGreaterThanOrEqualTo(7);
            for (String sql : List.copyOf(statements)) {
                List<String> steps = database.read("explain", session -> plan(session, sql));
                assertThat(steps)
                        .as(sql)
                        .isNotEmpty()
                        .noneMatch(step -> WHOLE_LIST.matcher(step).matches());
            }
        }
    }

    /** It would be the most that a bulk writes. One that was killed leaves it to a sweep. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bulkShouldMakeTheIndexOfRecipientsAtItsEnd(boolean ends) throws IOException {
        try (Database database = Database.sqlite(folder.resolve("b.db"), Duration.ofSeconds(10))) {
            ListRecord record = database.record("vip");
            record.create();
            Entry own = entry("a@example.com to=sam@here.example");
            record.load(List.of(own), false);
            assertThat(database.read("look", Schema::hasRecipients)).isFalse();
            assertThat(record.entriesFor(USER, 10)).containsExactly(own);
            if (ends) {
                record.endLoad();
            } else {
                record.sweep();
            }
            String sql =
                    "select 1 from whitelist_entry where list = ? and recipient = ?"
                            + " and length(recipient) > 0";
            List<String> steps =
                    database.read(
                            "explain",
                            session -> {
                                // Without it, the plan could be by an old schema.
                                session.query("select 1 from whitelist_list", row -> true);
                                return plan(session, sql);
                            });
            assertThat(steps.getFirst()).contains("whitelist_entry_recipient");
            assertThat(record.entriesFor(USER, 10)).containsExactly(own);
        }
    }

    private static List<String> plan(Session session, String sql) throws SQLException, IOException {
        return session.query("explain query plan " + sql, step -> step.getString("detail"));
    }

    private static void use(ListRecord record) throws IOException {
        record.create();
        for (String line :
                List.of(
                        "a@example.com to=sam@here.example origin=user",
                        "@example.com to=@here.example",
                        "b@x.example until=2020-01-01",
                        "c@x.example to=sam@here.example origin=user")) {
            record.write(List.of(Edit.put(entry(line))), "sam");
        }
        record.load(List.of(entry("d@x.example")), false);
        record.load(List.of(entry("d@x.example auth=spf")), false);
        record.endLoad();
        record.findAll(
                List.of(new Pair(key("a@example.com"), USER), new Pair(key("a@x.example"), null)));
        record.entriesFor(USER, 10);
        record.forEach(entry -> {}, why -> {});
        record.page(record.page(null, 1).getFirst(), 1);
        record.count();
        record.log(new Position(record.last().epoch(), 0, 0));
        record.history(key("a@example.com"), 3);
        record.sweep();
        record.forgetHistory(USER);
        record.requireWritable();
        record.write(
                List.of(Edit.remove(new Target(Origin.USER, key("c@x.example"), USER))), "sam");
    }

    /** A database whose statements are remembered. */
    private final class Recording extends SqliteDatabase {
        Recording() throws IOException {
            super(folder.resolve("lists.db"), Duration.ofSeconds(10));
        }

        @Override
        <T extends @Nullable Object> T transaction(boolean writes, Session.Work<T> work)
                throws SQLException, IOException {
            return super.transaction(
                    writes, own -> work.on(new Session(recording(own.connection()))));
        }
    }

    private Connection recording(Connection connection) {
        return (Connection)
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, values) -> {
                            if (method.getName().equals("prepareStatement")) {
                                statements.add((String) values[0]);
                            }
                            return method.invoke(connection, values);
                        });
    }
}
