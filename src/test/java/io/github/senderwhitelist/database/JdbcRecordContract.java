package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.LogRows;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.ListRecordContract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What every database must do beside {@link ListRecordContract}. */
abstract class JdbcRecordContract extends ListRecordContract {
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    final List<Database> databases = new ArrayList<>();

    /** Opens the database of this test, which is empty when it is opened first. */
    abstract Database openDatabase() throws Exception;

    /** Returns a connection to the same tables. */
    abstract Connection plain() throws SQLException;

    @Override
    protected ListRecord open(String list) throws Exception {
        Database database = openDatabase();
        databases.add(database);
        return database.record(list);
    }

    @AfterEach
    void closeDatabases() {
        databases.forEach(Database::close);
    }

    @Override
    protected void age(int days) throws SQLException {
        long at = Instant.now().minus(Duration.ofDays(days)).toEpochMilli();
        try (Connection connection = plain()) {
            Session session = new Session(connection);
            session.update("update whitelist_log set at = ?", at);
            session.update("update whitelist_history set at = ?", at);
        }
    }

    void run(String sql) throws SQLException {
        try (Connection connection = plain()) {
            new Session(connection).run(sql);
        }
    }

    /** Has the database hold what no line of a list says. */
    private void spoil(String sender) throws SQLException {
        try (Connection connection = plain()) {
            new Session(connection)
                    .update(
                            "update whitelist_entry set rules = ' fro=1' where sender = ?",
                            SortKey.of(key(sender)));
        }
    }

    @Test
    void logShouldHaveTheOtherChangesWhenOneCannotBeRead() throws Exception {
        Position start = record.last();
        put("a@example.com");
        put("b@example.com");
        spoil("a@example.com");
        LogRows rows = rows(record, start);
        assertThat(rows.changes())
                .containsExactlyInAnyOrder(
                        new Entry(key("a@example.com"), null, List.of()), entry("b@example.com"));
        put("a@example.com");
        assertThat(find("a@example.com", null)).isEqualTo(entry("a@example.com"));
    }

    @Test
    void recordShouldNameWhatCannotBeRead() throws Exception {
        put("a@example.com");
        for (String bad : List.of(" fro=1", ".org", "!!", " until=2027-13-01", " to=b@b.org")) {
            run("update whitelist_entry set rules = '" + bad + "'");
            assertThatThrownBy(() -> find("a@example.com", null))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("list 'vip'")
                    .hasMessageContaining("a@example.com");
            assertThatThrownBy(() -> all(record))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("list 'vip'")
                    .hasMessageContaining("a@example.com");
        }
    }

    @Test
    void tablesOfANewerVersionShouldBeRefused() throws Exception {
        run("update whitelist_schema set version = 99");
        assertThatThrownBy(() -> open("vip").count())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 99");
    }

    /** As somebody can make them by hand. */
    @Test
    @Timeout(60)
    void sweepShouldEndWhenEndsAreNotThoseOfTheRules() throws Exception {
        List<Entry> entries =
                IntStream.range(0, 500).mapToObj(i -> entry("a" + i + "@example.com")).toList();
        record.load(entries, false);
        run("update whitelist_entry set ends = 1");
        record.sweep();
        assertThat(record.count()).isEqualTo(500);
    }

    /** Invariant 16: an erased address stays nowhere. */
    @Test
    void sweepShouldLeaveNoKeysInAnOldLog() throws Exception {
        put("b@example.com");
        put("a@example.com to=u@here.org");
        remove(record, Target.of(entry("a@example.com to=u@here.org")));
        age(91);
        record.sweep();
        try (Connection connection = plain()) {
            assertThat(
                            new Session(connection)
                                    .query(
                                            "select length(sender) + length(recipient) from"
                                                    + " whitelist_log",
                                            row -> row.getInt(1)))
                    .containsExactly(0);
        }
    }

    /** A look at each statement: none may fail for want of rows. */
    @Test
    void listsShouldNameAll() throws IOException {
        assertThat(databases.getFirst().lists()).containsExactly("vip");
    }
}
