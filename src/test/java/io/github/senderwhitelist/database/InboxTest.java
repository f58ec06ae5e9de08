package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.PastChange;
import io.github.senderwhitelist.living.TestLivingLists;
import io.github.senderwhitelist.tools.Docs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Puts lines into the table for people, and lets servers take them over. */
@Tag("large")
class InboxTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir private static Path folder;
    @AutoClose private static Postgres server;
    private static int schemas;
    private static int bases;

    private final List<Database> databases = new ArrayList<>();
    private String schema = "";
    private EntryTable table;

    @BeforeAll
    static void start() throws IOException {
        server = Postgres.started(folder);
    }

    @BeforeEach
    void open() throws Exception {
        schema = "inbox" + schemas++;
        run("create schema " + schema);
        table = ofServer();
        table.count();
    }

    @AfterEach
    void close() throws IOException {
        for (Database database : databases) {
            database.close();
        }
    }

    private EntryTable ofServer() {
        return ofServer("postgres");
    }

    private EntryTable ofServer(String user) {
        Database database = Database.postgres(server.url(schema), user, "secret-4711", TIMEOUT, 10);
        databases.add(database);
        return database.table("vip");
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = server.plain(schema)) {
            Sql.run(connection, sql);
        }
    }

    /** Puts a line and returns its number. */
    private long insert(String line) throws Exception {
        return insert("vip", line, "me");
    }

    private long insert(String list, String line, String who) throws Exception {
        try (Connection connection = server.plain(schema)) {
            return Sql.query(
                            connection,
                            "insert into whitelist_line(list, line, who) values (?, ?, ?)"
                                    + " returning id",
                            row -> row.getLong(1),
                            list,
                            line,
                            who)
                    .getFirst();
        }
    }

    private List<String> texts(String sql) throws Exception {
        try (Connection connection = server.plain(schema)) {
            return Sql.query(connection, sql, row -> String.valueOf(row.getString(1)));
        }
    }

    private List<String> waiting() throws Exception {
        return texts("select line from whitelist_line order by id");
    }

    private String errorOf(long id) throws Exception {
        return texts("select error from whitelist_line where id = " + id).getFirst();
    }

    private static void takeAll(EntryTable table) throws IOException {
        while (table.takeOverLines()) {
            // The next part.
        }
    }

    private @Nullable Entry find(String sender, @Nullable String to) throws IOException {
        return table.find(key(sender), to == null ? null : key(to));
    }

    @Test
    void shouldTakeOverLines() throws Exception {
        insert("  Alice@EXAMPLE.com until=2027-01-31 # remark");
        insert("!@bücher.example to=@Here.org");
        takeAll(table);
        assertThat(find("alice@example.com", null))
                .isEqualTo(entry("alice@example.com until=2027-01-31"));
        assertThat(find("@xn--bcher-kva.example", "@here.org"))
                .isEqualTo(entry("!@bücher.example to=@here.org"));
        assertThat(waiting()).isEmpty();
        assertThat(texts("select to_timestamp(ends / 1000.0) from whitelist_entry order by 1"))
                .first()
                .asString()
                .startsWith("2027-02-01");
    }

    @Test
    void shouldAddToWhatTheAdministratorHas() throws Exception {
        table.put(entry("a@example.com auth=spf"), "admin");
        String mine = "a@example.com to=me@here.org";
        table.put(entry(mine + " origin=user"), "me");
        insert("a@example.com until=2027-01-31");
        insert("a@example.com auth=spf");
        insert("!a@example.com from=2028-01-01");
        insert(mine);
        takeAll(table);
        assertThat(Objects.requireNonNull(find("a@example.com", null)).lines())
                .containsExactlyInAnyOrder(
                        "a@example.com auth=spf",
                        "a@example.com until=2027-01-31",
                        "!a@example.com from=2028-01-01");
        assertThat(find("a@example.com", "me@here.org"))
                .isEqualTo(entry(mine, mine + " origin=user"));
        assertThat(table.history(key("a@example.com"), 9))
                .extracting(PastChange::who, PastChange::origin)
                .contains(tuple("sql me", Origin.ADMIN))
                .hasSize(5);
    }

    @Test
    void shouldReportTheSameWhateverTheOrderOfLines() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            lines.add("a@example.com note=" + i);
        }
        for (String line : lines) {
            insert(line);
        }
        takeAll(table);
        List<String> forwards = texts("select rules from whitelist_entry");
        table.remove(Origin.ADMIN, key("a@example.com"), null, "admin");
        for (String line : lines.reversed()) {
            insert(line);
            takeAll(table);
        }
        assertThat(texts("select rules from whitelist_entry")).isEqualTo(forwards);
        assertThat(forwards.getFirst().split("\n", -1))
                .containsExactlyInAnyOrderElementsOf(
                        lines.stream()
                                .map(line -> line.substring("a@example.com".length()))
                                .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "'', a line without an entry",
        "' ', a line without an entry",
        "'# a@example.com', a line without an entry",
        "'a@example.com\nb@example.com', unexpected 'b@example.com'",
        "'a@example.com note=x\ny', x\\u000ay",
        "not an address, unexpected 'an'",
        "@, no domain after",
        "a@example.com until=31.1.2027, until=",
        "a@example.com to=me@here.org origin=user, origin=user; allowed: no origin=",
        "a@example.com to=me@here.org origin=learned, origin=learned; allowed: no origin="
    })
    void shouldRefuseBadLines(String line, String reason) throws Exception {
        long bad = insert(line);
        insert("good@example.com");
        takeAll(table);
        assertThat(errorOf(bad)).contains(reason).doesNotContain("\n");
        assertThat(waiting()).containsExactly(line);
        assertThat(table.count()).isEqualTo(1);
        assertThat(table.takeOverLines()).isFalse();
    }

    @Test
    void shouldRefuseLongLines() throws Exception {
        long tooLong = insert("a@example.com # " + "x".repeat(30_000_000));
        long bytes = insert("a@example.com # " + "ä".repeat(4_096));
        insert("vip", "b@example.com # " + "x".repeat(8_000), "w".repeat(100_000));
        takeAll(table);
        assertThat(errorOf(tooLong)).isEqualTo("a line of more than 8192 bytes");
        assertThat(errorOf(bytes)).isEqualTo("a line of more than 8192 bytes");
        assertThat(find("b@example.com", null)).isEqualTo(entry("b@example.com"));
        assertThat(table.history(key("b@example.com"), 1).getFirst().who())
                .startsWith("sql wwww")
                .hasSizeLessThan(120);
    }

    @Test
    void shouldRefuseMoreThanAnEntryCanHold() throws Exception {
        String note = "x".repeat(250);
        for (int i = 0; i < 5; i++) {
            insert("a@example.com note=" + i + note);
        }
        takeAll(table);
        assertThat(waiting()).hasSize(2);
        assertThat(texts("select error from whitelist_line"))
                .allSatisfy(error -> assertThat(error).contains("more than an entry can hold"));
        table.remove(Origin.ADMIN, key("a@example.com"), null, "admin");
        run("update whitelist_line set error = null");
        takeAll(table);
        assertThat(waiting()).isEmpty();
        assertThat(Objects.requireNonNull(find("a@example.com", null)).rules()).hasSize(2);
    }

    @Test
    void shouldTryAgainWhatWasMended() throws Exception {
        long id = insert("alice@example,com");
        takeAll(table);
        assertThat(errorOf(id)).isNotEqualTo("null");
        run("update whitelist_line set line = 'alice@example.com', error = null");
        takeAll(table);
        assertThat(find("alice@example.com", null)).isEqualTo(entry("alice@example.com"));
    }

    @Test
    void shouldLeaveLinesOfOtherListsToThose() throws Exception {
        insert("other", "a@example.com", "me");
        insert("no such list", "not even a line", "me");
        takeAll(table);
        assertThat(waiting()).hasSize(2);
        assertThat(texts("select error from whitelist_line")).containsOnly("null");
        EntryTable other = databases.getFirst().table("other");
        takeAll(other);
        assertThat(other.find(key("a@example.com"), null)).isEqualTo(entry("a@example.com"));
        assertThat(waiting()).containsExactly("not even a line");
    }

    /** A database may refuse what no line of this program can be expected to be refused for. */
    @Test
    void shouldNotLetOneLineBlockOthers() throws Exception {
        table.put(entry("broken@example.com"), "admin");
        run("update whitelist_entry set rules = ' fro=1'");
        run("alter table whitelist_entry add check (rules not like '%poison%')");
        List<Long> bad = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            bad.add(insert("p" + i + "@example.com note=poison"));
        }
        bad.add(insert("broken@example.com auth=spf"));
        insert("good@example.com");
        takeAll(table);
        assertThat(find("good@example.com", null)).isEqualTo(entry("good@example.com"));
        assertThat(waiting()).hasSize(bad.size());
        assertThat(errorOf(bad.getFirst())).contains("violates check constraint");
        assertThat(errorOf(bad.getLast())).contains("a line that cannot be used");
        assertThat(table.takeOverLines()).isFalse();
    }

    @Test
    void shouldNotWaitForAnEntryThatAnotherHolds() throws Exception {
        table.put(entry("a@example.com"), "admin");
        try (Connection holder = server.plain(schema)) {
            holder.setAutoCommit(false);
            Sql.run(holder, "update whitelist_entry set ends = null");
            insert("a@example.com auth=spf");
            insert("a@example.com auth=dkim");
            insert("b@example.com");
            takeAll(table);
            assertThat(find("b@example.com", null)).isEqualTo(entry("b@example.com"));
            assertThat(waiting()).hasSize(2);
            assertThat(texts("select error from whitelist_line")).containsOnly("null");
            holder.rollback();
        }
        takeAll(table);
        assertThat(waiting()).isEmpty();
        assertThat(Objects.requireNonNull(find("a@example.com", null)).rules()).hasSize(3);
    }

    @Test
    void shouldPassOverLinesThatAnotherServerTakes() throws Exception {
        insert("a@example.com");
        insert("b@example.com");
        try (Connection other = server.plain(schema)) {
            other.setAutoCommit(false);
            Sql.run(other, "select 1 from whitelist_line where line = 'a@example.com' for update");
            takeAll(table);
            assertThat(waiting()).containsExactly("a@example.com");
            other.rollback();
        }
        takeAll(table);
        assertThat(waiting()).isEmpty();
    }

    private void insertMany(String lines, int count) throws SQLException {
        run(
                "insert into whitelist_line(list, line) select 'vip', "
                        + lines
                        + " from generate_series(1, "
                        + count
                        + ") n");
    }

    @Test
    void shouldTakeEachLineOnceOnManyServers() throws Exception {
        insertMany("'s' || n || '@example.com'", 600);
        insertMany("'same@example.com note=' || n % 40", 600);
        int servers = 4;
        CyclicBarrier together = new CyclicBarrier(servers);
        try (ExecutorService threads = Executors.newFixedThreadPool(servers)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < servers; i++) {
                EntryTable one = ofServer();
                running.add(
                        threads.submit(
                                () -> {
                                    together.await();
                                    while (!waiting().isEmpty()) {
                                        takeAll(one);
                                    }
                                    return true;
                                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
        assertThat(table.count()).isEqualTo(601);
        assertThat(Objects.requireNonNull(find("same@example.com", null)).rules()).hasSize(40);
        // One change for each line that said something new.
        assertThat(texts("select count(*) from whitelist_feed")).containsExactly("640");
    }

    /** A server that is killed leaves its transaction to the database, which undoes it. */
    @Test
    void shouldTakeEachLineOnceThoughServersAreKilled() throws Exception {
        insertMany("'s' || n || '@example.com'", 3_000);
        int kills = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                EntryTable one = ofServer();
                running.add(
                        threads.submit(
                                () -> {
                                    while (!waiting().isEmpty()) {
                                        try {
                                            takeAll(one);
                                        } catch (IOException e) {
                                            // Its connection was ended. The next one is another.
                                        }
                                    }
                                    return true;
                                }));
            }
            while (!running.stream().allMatch(Future::isDone)) {
                kills +=
                        texts(
                                        "select pg_terminate_backend(pid) from pg_stat_activity"
                                            + " where state in ('active', 'idle in transaction')"
                                            + " and query ~ '(insert into|delete from) whitelist_'"
                                            + " and pid <> pg_backend_pid()")
                                .size();
                // Longer and longer, so that a slow machine gets on, too.
                Thread.sleep(20 + 5L * kills);
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
        assertThat(kills).isGreaterThan(3);
        assertThat(table.count()).isEqualTo(3_000);
        assertThat(texts("select count(*) from whitelist_feed")).containsExactly("3000");
    }

    @Test
    void shouldTakeLinesOfThoseWhoMayOnlyInsert() throws Exception {
        run("create role clerk_" + schema);
        run("grant usage on schema " + schema + " to clerk_" + schema);
        run("grant insert (list, line, who) on whitelist_line to clerk_" + schema);
        try (Connection clerk = server.plain(schema)) {
            Sql.run(clerk, "set role clerk_" + schema);
            Sql.run(
                    clerk,
                    "insert into whitelist_line(list, line) values ('vip', 'a@example.com')");
            for (String sql :
                    List.of(
                            "select * from whitelist_line",
                            "delete from whitelist_line",
                            "insert into whitelist_line(list, line, error) values ('', '', '')",
                            "select * from whitelist_entry",
                            "insert into whitelist_list(name, epoch, kept_from) values ('x', 'y',"
                                    + " 0)")) {
                assertThatThrownBy(() -> Sql.run(clerk, sql)).hasMessageContaining("permission");
            }
        }
        takeAll(table);
        assertThat(table.history(key("a@example.com"), 1).getFirst().who())
                .isEqualTo("sql clerk_" + schema);
    }

    /**
     * As the manual says it, and as a James that is not the owner of the tables takes them over.
     */
    @Test
    void shouldTakeLinesOfThoseWhoMayInsertForOneListOnly() throws Exception {
        String clerk = "clerk_" + schema;
        String james = "james_run_" + schema;
        for (String role : List.of(clerk, james, "other_" + schema)) {
            run("create role " + role + " login");
            run("grant usage on schema " + schema + " to " + role);
        }
        run(
                "grant select, insert, update, delete on all tables in schema "
                        + schema
                        + " to "
                        + james);
        run("grant insert (list, line) on whitelist_line to other_" + schema);
        insert("vip", "secret@example.com", "administrator");
        insert("vip", "bad line", "administrator");
        insert("other", "foreign@example.com", clerk);
        for (String sql : rowSecurity()) {
            run(
                    sql.replaceAll("to clerk\\b", "to " + clerk)
                            .replaceAll("james_run\\b", james)
                            .replace("'own'", "'vip'"));
        }

        try (Connection connection = server.plain(schema)) {
            Sql.run(connection, "set role " + clerk);
            Sql.run(connection, insertion("vip", "a@example.com"));
            Sql.run(connection, insertion("vip", "b@ example.com"));
            for (String sql :
                    List.of(
                            insertion("other", "a@example.com"),
                            "insert into whitelist_line(list, line, who) values"
                                    + " ('vip', 'a@example.com', 'administrator')",
                            "update whitelist_line set list = 'other'",
                            "delete from whitelist_line",
                            "do $$ begin lock table whitelist_line in share mode; end $$",
                            "select * from whitelist_entry",
                            "alter table whitelist_line disable row level security")) {
                assertThatThrownBy(() -> Sql.run(connection, sql))
                        .as(sql)
                        .hasMessageMatching("(?s).*(permission|row-level security|owner).*");
            }
            takeAll(ofServer(james));
            assertThat(seen(connection, "line")).containsExactly("b@ example.com");
            assertThat(seen(connection, "error")).singleElement().asString().contains("unexpected");
            Sql.run(connection, "update whitelist_line set line = 'b@example.com', error = null");
        }
        try (Connection connection = server.plain(schema)) {
            Sql.run(connection, "set role other_" + schema);
            assertThatThrownBy(() -> Sql.run(connection, insertion("vip", "x@example.com")))
                    .hasMessageContaining("row-level security");
        }
        takeAll(ofServer(james));

        assertThat(waiting()).containsExactly("bad line", "foreign@example.com");
        for (String sender : List.of("a", "b", "secret")) {
            assertThat(find(sender + "@example.com", null)).as(sender).isNotNull();
        }
        assertThat(find("x@example.com", null)).isNull();
        assertThat(table.history(key("b@example.com"), 1).getFirst().who())
                .isEqualTo("sql " + clerk);
    }

    /** Returns the statements of the manual that let a user of the database write for one list. */
    private static List<String> rowSecurity() throws IOException {
        List<String> statements =
                Pattern.compile("(?s)```sql\\n(.*?)```")
                        .matcher(Docs.page("living-lists.md"))
                        .results()
                        .map(block -> block.group(1))
                        .filter(block -> block.contains("policy"))
                        .flatMap(block -> Stream.of(block.strip().split(";\\s*", -1)))
                        .filter(statement -> !statement.isEmpty())
                        .toList();
        assertThat(statements).hasSize(4);
        return statements;
    }

    private static String insertion(String list, String line) {
        return "insert into whitelist_line(list, line) values ('%s', '%s')".formatted(list, line);
    }

    private static List<String> seen(Connection connection, String column) throws Exception {
        return Sql.query(
                connection,
                "select " + column + " from whitelist_line",
                row -> String.valueOf(row.getString(1)));
    }

    private LivingList list(Told told) {
        return TestLivingLists.open(
                ofServer(),
                "vip",
                folder.resolve(bases++ + ".base"),
                Duration.ofMillis(50),
                Duration.ofSeconds(30),
                told);
    }

    private static boolean lists(LivingList list, String sender) throws Exception {
        Key key = key(sender);
        return list.current().mightContainAddress(key) && list.current().find(key, null) != null;
    }

    @Test
    void shouldBeInForceOnAllServers() throws Exception {
        try (LivingList one = list(new Told());
                LivingList two = list(new Told())) {
            assertThat(lists(one, "a@example.com")).isFalse();
            assertThat(lists(two, "a@example.com")).isFalse();
            insert("a@example.com");
            await().until(() -> lists(one, "a@example.com"));
            await().until(() -> lists(two, "a@example.com"));
        }
    }

    /** The table is followed all the same, and the log reports it once. */
    @Test
    void shouldReportOnceThatLinesCannotBeTakenOver() throws Exception {
        Told told =
                new Told() {
                    @Override
                    public void failed(String what, Throwable cause) {
                        all.add(what);
                    }
                };
        String failure = "lines put by SQL cannot be taken over";
        try (LivingList list = list(told)) {
            await().until(() -> told.all.contains("built"));
            run("alter table whitelist_line rename to gone");
            await().until(() -> told.all.contains(failure));
            assertThat(list.status().problem()).startsWith(failure).contains("whitelist_line");
            table.put(entry("a@example.com"), "admin");
            await().until(() -> lists(list, "a@example.com"));
            table.put(entry("b@example.com"), "admin");
            await().until(() -> lists(list, "b@example.com"));
            assertThat(list.status().behind()).isFalse();
            assertThat(list.status().problem()).startsWith(failure);
            run("alter table gone rename to whitelist_line");
            await().until(() -> list.status().problem() == null);
            assertThat(told.all).containsExactly("built", failure, "recovered");
        }
    }
}
