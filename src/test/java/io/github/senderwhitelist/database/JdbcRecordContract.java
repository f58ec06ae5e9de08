package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.DomainSearch;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Found;
import io.github.senderwhitelist.living.ListRecord.LogRows;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.ListRecordContract;
import io.github.senderwhitelist.tools.ChildJava;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** What every database must do beside {@link ListRecordContract}. */
abstract class JdbcRecordContract extends ListRecordContract {
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    final List<Database> databases = new ArrayList<>();

    /** Opens the database of this test, which is empty when it is opened first. */
    abstract Database openDatabase(Duration timeout) throws Exception;

    /** Returns a connection to the same tables. */
    abstract Connection plain() throws SQLException;

    /** Returns the file or the URL by which another process opens the database. */
    abstract String place();

    @Override
    protected ListRecord open(String list) throws Exception {
        Database database = openDatabase(TIMEOUT);
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

    /** Has the database hold what no version knows, for one sender. */
    private void spoil(String sender, byte... rules) throws SQLException {
        try (Connection connection = plain()) {
            new Session(connection)
                    .update(
                            "update whitelist_entry set rules = ? where sender = ?",
                            rules,
                            key(sender).bytes());
        }
    }

    @Test
    void logShouldHaveTheOtherChangesWhenOneCannotBeRead() throws Exception {
        Position start = record.last();
        put("a@example.com");
        put("b@example.com");
        spoil("a@example.com", (byte) 9);
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
        spoil("a@example.com", (byte) 9);
        for (Callable<?> each :
                List.<Callable<?>>of(() -> find("a@example.com", null), () -> all(record))) {
            assertThatThrownBy(each::call)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("list 'vip'")
                    .hasMessageContaining("a@example.com")
                    .hasMessageContaining("attribute");
        }
    }

    /** Locks a list by hand, and returns what others who write are told. */
    String lock(Session holder) throws Exception {
        holder.run("begin", "update whitelist_list set seq = seq");
        return "another transaction has kept the list locked for more than 0.5 seconds";
    }

    @Test
    void writeShouldEndWhenTheListIsLockedByHand() throws Exception {
        put("a@example.com");
        try (Database quick = openDatabase(Duration.ofMillis(500));
                Connection holder = plain()) {
            ListRecord held = quick.record("vip");
            String told = lock(new Session(holder));
            assertThatThrownBy(() -> put(held, entry("!a@example.com")))
                    .isInstanceOf(IOException.class)
                    .hasMessage("list 'vip': change a@example.com: %s; nothing was changed", told);
            assertThat(held.find(key("a@example.com"), null)).isEqualTo(entry("a@example.com"));
            new Session(holder).run("rollback");
            assertThat(put(held, entry("!a@example.com"))).isEqualTo(Effect.REPLACED);
        }
    }

    private static final int IMPORTED = 150_000;

    /** Far more than changes take beside an import. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The process that imports. Its argument is the place. */
    public static void main(String... arguments) throws IOException {
        String at = arguments[0];
        try (Database database =
                at.startsWith("jdbc:")
                        ? Database.postgres(at, "postgres", "", PATIENCE, 1)
                        : Database.sqlite(Path.of(at), PATIENCE)) {
            Lines.load(database.record("vip"), IMPORTED);
        }
    }

    /** Two servers change a list meanwhile; each change is acknowledged, and the import whole. */
    @Test
    @Tag("large")
    void writersShouldNotWaitForTheImportOfAnotherProcess() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(2);
                Database one = openDatabase(PATIENCE);
                Database two = openDatabase(PATIENCE)) {
            List<String> command =
                    ChildJava.running(
                            JdbcRecordContract.class, "--enable-native-access=ALL-UNNAMED");
            command.add(place());
            Process importing = new ProcessBuilder(command).inheritIO().start();
            Future<Integer> ofOne = threads.submit(() -> putWhile(importing, one, "one"));
            Future<Integer> ofTwo = threads.submit(() -> putWhile(importing, two, "two"));
            assertThat(importing.waitFor()).isZero();
            // Who waited for the import would make one.
            assertThat(ofOne.get()).isGreaterThan(2);
            assertThat(ofTwo.get()).isGreaterThan(2);
            assertThat(record.count()).isEqualTo(IMPORTED + ofOne.get() + ofTwo.get());
        }
    }

    private static int putWhile(Process importing, Database database, String sender)
            throws IOException {
        int made = 0;
        while (importing.isAlive()) {
            put(database.record("vip"), entry(sender + made++ + "@example.com"));
        }
        return made;
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

    /** However long the parts are, and at whatever entry they end; and in all at once. */
    @Test
    void searchShouldFindWhatIsOfADomainPartByPart() throws Exception {
        List<String> lines =
                List.of(
                        "@.example.com",
                        "@example.com",
                        "@example.com.org",
                        "a@example.com",
                        "a@example.com to=u@here.org",
                        "a@myexample.com",
                        "a@sub.example.com",
                        "b@example.com",
                        "z@example.org");
        for (String line : lines) {
            put(line);
        }
        for (int part : new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_000_000}) {
            assertThat(searched("example.com", part))
                    .containsExactly(
                            lines.get(1), lines.get(2), lines.get(3), lines.get(4), lines.get(7));
            assertThat(searched(".example.com", part)).containsExactly(lines.get(0), lines.get(6));
            assertThat(searched("exa", part)).containsExactly(lines.get(1), lines.get(2));
            assertThat(searched("a-domain-longer-than-any-sender.example", part)).isEmpty();
        }
    }

    private List<String> searched(String domain, int part) throws IOException {
        DomainSearch search = new DomainSearch(domain, domain);
        List<String> found = new ArrayList<>();
        Entry last = null;
        do {
            Found next = ((JdbcRecord) record).search(search, last, 2, part);
            next.entries().forEach(entry -> found.add(entry.toString()));
            last = next.last();
        } while (last != null);
        return found;
    }

    private UsageTable usage() {
        return databases.getFirst().usage("vip");
    }

    /** Returns the use of the lines in a text, each of which decided on mails on one day. */
    private static LineUse use(String line, int mails, int recipients, String day) {
        LocalDate on = LocalDate.parse(day);
        return new LineUse(UsedLine.of(entry(line)), mails, recipients, on, on);
    }

    private static List<String> told(List<LineUse> uses) {
        return uses.stream()
                .map(
                        use ->
                                "%s %s %s %s %s %s"
                                        .formatted(
                                                use.line(),
                                                use.line().origin().label(),
                                                use.used(),
                                                use.rescued(),
                                                use.first(),
                                                use.last()))
                .toList();
    }

    @Test
    void usageShouldAddUpAndComeNewestFirst() throws Exception {
        put("a@example.com");
        put("a@example.com to=u@here.org origin=user");
        put("b@example.com");
        UsageTable usage = usage();
        usage.add(
                List.of(
                        use("a@example.com", 2, 1, "2026-11-20"),
                        use("a@example.com to=u@here.org origin=user", 1, 0, "2026-11-20"),
                        use("b@example.com", Integer.MAX_VALUE, 0, "2026-11-21")),
                true);
        usage.add(List.of(use("a@example.com", 3, 1, "2026-11-19")), true);
        usage.add(List.of(use("b@example.com", Integer.MAX_VALUE, 0, "2026-11-22")), true);

        List<LineUse> all = usage.newest(0, false, 9);
        assertThat(told(all))
                .containsExactly(
                        "b@example.com admin 4294967294 0 2026-11-21 2026-11-22",
                        "a@example.com admin 5 2 2026-11-19 2026-11-20",
                        "a@example.com to=u@here.org user 1 0 2026-11-20 2026-11-20");
        for (int i = 0; i < all.size(); i++) {
            assertThat(usage.newest(i + 1L, false, 1))
                    .isEqualTo(all.subList(i + 1, Math.min(i + 2, all.size())));
        }
        assertThat(usage.newest(0, true, 9)).containsExactly(all.get(1));
        assertThat(usage.between(entry("a@example.com").pair(), entry("b@example.com").pair()))
                .containsExactlyInAnyOrder(all.get(0), all.get(1));
        assertThat(usage.between(entry("b@example.com").pair(), entry("b@example.com").pair()))
                .containsExactly(all.get(0));
    }

    /** Invariant 16: an erased address stays nowhere, nor comes back from where it waited. */
    @Test
    void usageShouldGoWithTheLinesAndStayWhenTheyAreReplaced() throws Exception {
        String ofUser = "a@example.com to=u@here.org origin=user";
        put("a@example.com to=u@here.org");
        put(ofUser);
        List<LineUse> part =
                List.of(
                        use(ofUser, 1, 0, "2026-11-20"),
                        use("a@example.com to=u@here.org", 1, 0, "2026-11-20"),
                        use("stranger@example.com", 1, 0, "2026-11-20"));
        usage().add(part, true);
        put("!a@example.com to=u@here.org");
        record.load(List.of(entry("a@example.com to=u@here.org note=new")), true);
        assertThat(usage().newest(0, false, 9)).hasSize(2);

        remove(record, Target.of(entry(ofUser)));
        assertThat(told(usage().newest(0, false, 9)))
                .containsExactly("a@example.com to=u@here.org admin 1 0 2026-11-20 2026-11-20");
        usage().add(part.subList(0, 1), true);
        assertThat(usage().newest(0, false, 9)).hasSize(1);

        usage().add(part.subList(0, 1), false);
        usage().removeAllFor(key("u@here.org"));
        assertThat(usage().newest(0, false, 9)).isEmpty();
    }

    @Test
    void usageShouldBeGivenToAnotherRecipient() throws Exception {
        usage().add(
                        List.of(
                                use("a@example.com", 1, 0, "2026-11-20"),
                                use("a@example.com to=u@here.org", 2, 0, "2026-11-21"),
                                use("b@example.com to=u@here.org origin=user", 3, 1, "2026-11-20"),
                                use("a@example.com to=v@here.org", 4, 1, "2026-11-20")),
                        false);
        usage().rename(key("u@here.org"), key("v@here.org"));
        usage().rename(key("u@here.org"), key("v@here.org"));
        assertThat(told(usage().newest(0, false, 9)))
                .containsExactly(
                        "a@example.com to=v@here.org admin 6 1 2026-11-20 2026-11-21",
                        "a@example.com admin 1 0 2026-11-20 2026-11-20",
                        "b@example.com to=v@here.org user 3 1 2026-11-20 2026-11-20");
    }

    @Test
    void usageShouldSayOnceSinceWhenItIsCounted() throws Exception {
        assertThat(usage().since()).isNull();
        Instant before = Instant.now().minusSeconds(60);
        usage().begin();
        Instant since = usage().since();
        usage().begin();
        assertThat(since).isBetween(before, before.plusSeconds(120)).isEqualTo(usage().since());
        // As if the clock had been ahead then.
        run("update whitelist_counting set since = since + 60000000000");
        usage().begin();
        assertThat(usage().since()).isBetween(since, before.plusSeconds(120));
    }
}
