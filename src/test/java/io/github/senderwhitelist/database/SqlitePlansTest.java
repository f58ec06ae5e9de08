package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.EntryTable.Target;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** SQLite finds by an index what a list is asked for, and does not read the list from its start. */
class SqlitePlansTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Key USER = key("sam@here.example");

    private static final Pattern WHOLE_LIST =
            Pattern.compile(
                    "SCAN (whitelist_entry|e)\\b.*"
                            + "|SEARCH (whitelist_entry|e) USING .*\\(list=\\?\\)");

    @TempDir private Path folder;
    private final Set<String> statements = new TreeSet<>();

    @Test
    void shouldReadNoWholeList() throws IOException {
        SqliteEngine engine = new SqliteEngine(folder.resolve("lists.db"), TIMEOUT);
        try (Database database = new Database(recording(engine))) {
            use(database.table("vip"));
            statements.removeIf(sql -> !sql.contains("whitelist_entry") || needsNone(sql));

            assertThat(statements).hasSizeGreaterThan(12);
            for (String sql : List.copyOf(statements)) {
                List<String> steps = database.read("explain", connection -> plan(connection, sql));
                assertThat(steps)
                        .as(sql)
                        .isNotEmpty()
                        .noneMatch(step -> WHOLE_LIST.matcher(step).matches());
            }
        }
    }

    /** Returns whether a statement looks for no entry, or counts all. */
    private static boolean needsNone(String sql) {
        return sql.startsWith("insert into whitelist_entry")
                || sql.contains("sqlite_s")
                || sql.startsWith("select count(*) from whitelist_entry");
    }

    private static List<String> plan(Connection connection, String sql)
            throws SQLException, IOException {
        return Sql.query(connection, "explain query plan " + sql, step -> step.getString("detail"));
    }

    private static void use(EntryTable table) throws IOException {
        table.put(entry("a@example.com to=sam@here.example origin=user"), "sam");
        table.putAll(List.of(entry("@example.com to=@here.example"), entry("b@x.example")), "a");
        table.put(entry("b@x.example until=2020-01-01"), "a");
        table.update(
                List.of(new Target(Origin.USER, key("c@x.example"), USER)),
                rules -> entry("c@x.example to=sam@here.example origin=user").rules(),
                "sam");
        table.findAll(
                List.of(new Pair(key("a@example.com"), USER), new Pair(key("a@x.example"), null)));
        table.entriesFor(USER, 10);
        table.share(USER, Origin.USER, Instant.now());
        table.firstToEnd(USER, Origin.USER, 3);
        table.nextRecipient(table.nextRecipient(null));
        table.forEach(entry -> {});
        table.page(table.page(null, 1).entries().getFirst(), 1);
        table.changes(table.position(), change -> {});
        table.history(key("a@example.com"), 3);
        table.sweep();
        table.forgetHistory(USER);
        table.remove(Origin.USER, key("c@x.example"), USER, "sam");
    }

    private Engine recording(Engine engine) {
        return (Engine)
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {Engine.class},
                        (proxy, method, values) -> {
                            boolean works = values != null && values[0] instanceof Sql.Work<?>;
                            return call(
                                    engine,
                                    method,
                                    works
                                            ? new Object[] {recording((Sql.Work<?>) values[0])}
                                            : values);
                        });
    }

    private <T> Sql.Work<T> recording(Sql.Work<T> work) {
        return connection -> work.on(recording(connection));
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
                            return call(connection, method, values);
                        });
    }

    private static Object call(Object target, Method method, Object[] values) throws Throwable {
        try {
            return method.invoke(target, values);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
