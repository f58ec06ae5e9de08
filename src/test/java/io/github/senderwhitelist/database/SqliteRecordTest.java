package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.ListRecord.Visitor;
import io.github.senderwhitelist.tools.Extent;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.JDBC;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@link JdbcRecordContract} with SQLite, and what only SQLite does. */
class SqliteRecordTest extends JdbcRecordContract {
    @TempDir private Path folder;

    private Path file() {
        return folder.resolve("lists.db");
    }

    @Override
    Database openDatabase(Duration timeout) throws IOException {
        return Database.sqlite(file(), timeout);
    }

    @Override
    String place() {
        return file().toString();
    }

    @Override
    Connection plain() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file());
    }

    @Test
    void recordShouldGoOnWhenAThreadIsInterrupted() throws IOException {
        for (int i = 0; i < 20; i++) {
            Thread.currentThread().interrupt();
            try {
                assertThat(find("s" + i + "@example.com", null)).isNull();
                put("s" + i + "@example.com");
            } catch (IOException e) {
                assertThat(e.getMessage()).containsIgnoringCase("interrupted");
            }
            assertThat(Thread.interrupted()).isTrue();
        }
        put("a@example.com");
        assertThat(find("a@example.com", null)).isEqualTo(entry("a@example.com"));
    }

    @Test
    void recordShouldSayThatTheDatabaseWasClosed() throws IOException {
        try (Database closed = Database.sqlite(file(), TIMEOUT)) {
            record = closed.record("vip");
        }
        assertThatThrownBy(() -> find("a@example.com", null))
                .isInstanceOf(IOException.class)
                .hasMessage("list 'vip': find a@example.com: the database was closed");
    }

    @Override
    String lock(Session holder) throws SQLException {
        holder.run("begin immediate");
        return file() + ": another process has been writing for more than 0.5 seconds";
    }

    @Test
    void openingShouldNameThePathThatCannotBeUsed() {
        for (Path bad : List.of(folder.resolve("a?b"), folder)) {
            assertThatThrownBy(() -> Database.sqlite(bad, TIMEOUT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(bad.toString())
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    void openingShouldTakeAnEmptyFileForANewOne() throws Exception {
        Path empty = Files.createFile(folder.resolve("empty"));
        try (Database database = Database.sqlite(empty, TIMEOUT)) {
            database.record("own").create();
            assertThat(database.lists()).containsExactly("own");
        }
    }

    /** As a server and a command do that are started for the first time. */
    @Test
    void openingShouldMakeTheTablesOnceWhenManyDo() throws Exception {
        int programs = 4;
        CyclicBarrier together = new CyclicBarrier(programs);
        try (ExecutorService threads = Executors.newFixedThreadPool(programs)) {
            for (int round = 0; round < 100; round++) {
                Path file = folder.resolve("new" + round + ".db");
                Callable<List<String>> opening =
                        () -> {
                            together.await();
                            try (Database database = Database.sqlite(file, TIMEOUT)) {
                                return List.copyOf(database.lists());
                            }
                        };
                for (Future<List<String>> each :
                        threads.invokeAll(Collections.nCopies(programs, opening))) {
                    assertThat(each.get()).isEmpty();
                }
            }
        }
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void filesShouldBeTheOwnersAlone() throws IOException {
        put("a@example.com");
        for (String end : List.of("", "-wal", "-shm")) {
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(Path.of(file() + end))))
                    .isEqualTo("rw-------");
        }
    }

    /** On them, SQLite can lose changes. The names are those of Linux. */
    @Test
    void networkFileSystemsShouldBeRefused() throws IOException {
        Path file = Path.of("/mnt/lists.db");
        String refused = "nfs nfs4 cifs smb3 9p ceph fuse.sshfs fuse.glusterfs NFS";
        for (String type : refused.split(" ", -1)) {
            assertThatThrownBy(() -> SqliteDatabase.requireLocal(file, type))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(file + ": on a network file system (" + type + ")");
        }
        for (String type : "ext4 xfs btrfs zfs overlay tmpfs apfs NTFS".split(" ", -1)) {
            SqliteDatabase.requireLocal(file, type);
        }
    }

    /** Else a power cut could take what was acknowledged. */
    @Test
    void eachConnectionShouldWaitForTheDisk() throws Exception {
        List<String> found = new ArrayList<>();
        try (Database engine = Database.sqlite(folder.resolve("another.db"), TIMEOUT)) {
            engine.read("1", any -> engine.read("2", own -> found.add(durability(own))));
            engine.read("3", own -> found.add(durability(own)));
            engine.write("4", own -> found.add(durability(own)));
            engine.keepNoneOpen();
            engine.read("5", own -> found.add(durability(own)));
            engine.write("6", own -> found.add(durability(own)));
        }
        assertThat(found).hasSize(5).allMatch(each -> each.startsWith("wal, synchronous 2"));
        assertThat(found).filteredOn(each -> each.endsWith("fullfsync 1")).hasSize(2);
    }

    private static String durability(Session session) throws SQLException, IOException {
        List<String> values = new ArrayList<>();
        for (String pragma : List.of("journal_mode", "synchronous", "fullfsync")) {
            values.addAll(session.query("pragma " + pragma, row -> row.getString(1)));
        }
        return "%s, synchronous %s, fullfsync %s".formatted(values.toArray());
    }

    /** The driver ends a statement that fails so, and the connection that writes is kept. */
    @Test
    void writeShouldWorkAgainWhenTheCauseOfAFailureIsGone() throws Exception {
        put("a@example.com");
        run("alter table whitelist_history rename to gone");
        assertThatThrownBy(() -> put("b@example.com")).hasMessageContaining("no such table");
        run("alter table gone rename to whitelist_history");
        assertThat(put("b@example.com")).isEqualTo(Effect.CREATED);
        limitPages("1");
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 10_000; i++) {
                                put("c" + i + "@example.com note=" + "x".repeat(200));
                            }
                        })
                .hasMessageContaining("the disk is full. Make room");
        limitPages("1000000");
        assertThat(put("d@example.com")).isEqualTo(Effect.CREATED);
    }

    private void limitPages(String pages) throws IOException {
        databases
                .getFirst()
                .write(
                        "limit the pages",
                        session ->
                                session.query(
                                        "pragma max_page_count = " + pages, row -> row.getLong(1)));
    }

    /** Who reads what is old keeps the log from being cut, which changes must not wait for. */
    @Test
    @Timeout(60)
    void forEachShouldNotWaitForWhoReadsLonger() throws Exception {
        put("a@example.com");
        try (Database patient = Database.sqlite(file(), Duration.ofMinutes(5));
                Connection reader = plain()) {
            new Session(reader).run("begin", "select count(*) from whitelist_entry");
            put("b@example.com");
            assertThat(all(patient.record("vip"))).hasSize(2);
            List<Integer> timeout =
                    patient.write(
                            "look", own -> own.query("pragma busy_timeout", row -> row.getInt(1)));
            // The connection that writes hardly waits: what has to looks again itself.
            assertThat(timeout).containsExactly(10);
        }
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void recordShouldNoticeThatAnotherFileCameIntoItsPlace() throws Exception {
        put("a@example.com");
        Position position = record.last();
        Path copy = folder.resolve("copy.db");
        try (Connection plain = plain()) {
            new Session(plain).run("vacuum into '" + copy + "'");
        }
        put("b@example.com");
        Position later = record.last();
        for (String end : List.of("-wal", "-shm")) {
            Files.delete(Path.of(file() + end));
        }
        Files.move(copy, file(), StandardCopyOption.REPLACE_EXISTING);
        assertThat(find("b@example.com", null)).isNull();
        assertThat(find("a@example.com", null)).isNotNull();
        assertThat(record.log(later).continues()).isFalse();
        assertThat(record.log(position).continues()).isTrue();
        assertThat(put("c@example.com")).isEqualTo(Effect.CREATED);
        Files.delete(file());
        assertThatThrownBy(() -> put("d@example.com"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the file is gone");
        assertThat(file()).doesNotExist();
    }

    @Test
    void keepNoneOpenShouldLeaveOneWholeFile() throws Exception {
        put("a@example.com");
        databases.forEach(Database::keepNoneOpen);
        assertThat(folder.toFile().list()).doesNotContain("lists.db-wal");
        put("b@example.com");
        assertThat(find("b@example.com", null)).isNotNull();
        assertThat(folder.toFile().list()).doesNotContain("lists.db-wal");
        Path copy = Files.copy(file(), folder.resolve("copy.db"));
        try (Database copied = Database.sqlite(copy, TIMEOUT)) {
            assertThat(copied.record("vip").count()).isEqualTo(2);
        }
    }

    @AfterEach
    void nothingShouldBeLeftOpen() throws IOException {
        for (Database database : databases) {
            database.close();
        }
        if (Files.exists(file())) {
            assertThat(folder.toFile().list()).doesNotContain("lists.db-wal");
        }
    }

    private static Set<String> senders(ListRecord record) throws IOException {
        return all(record).stream().map(each -> each.key().toString()).collect(Collectors.toSet());
    }

    /** Requires one line that names the file once, and what happened. */
    private static void assertSays(@Nullable Throwable failure, Path file, String part) {
        assertThat(failure)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(part)
                .hasMessageNotContaining("\n");
        assertThat(String.valueOf(failure)).containsOnlyOnce(file.toString());
    }

    @Test
    @Tag("large")
    @EnabledOnOs(OS.LINUX)
    void recordShouldHaveWhatWasAcknowledgedWhenTheDiskIsFull() throws Exception {
        try (Mount disk = Mount.ofSize("4m", folder.resolve("disk"))) {
            Path file = disk.path().resolve("lists.db");
            Set<String> acknowledged = Collections.synchronizedSet(new HashSet<>());
            try (Database database = Database.sqlite(file, TIMEOUT)) {
                record = database.record("vip");
                record.create();
                put("first@example.com");
                Position position = record.last();
                Path ballast = file.resolveSibling("ballast");
                Files.write(ballast, new byte[2_200_000]);
                try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
                    List<Future<IOException>> failures = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        String thread = "t" + i;
                        failures.add(threads.submit(() -> fill(thread, acknowledged)));
                    }
                    for (Future<IOException> failure : failures) {
                        assertSays(failure.get(), file, "the disk is full. Make room");
                    }
                }
                assertThat(acknowledged).hasSizeGreaterThan(10);
                assertThat(find(acknowledged.iterator().next(), null)).isNotNull();
                Files.delete(ballast);
                put("later@example.com");
                acknowledged.add("later@example.com");
                assertThat(record.log(position).changes())
                        .extracting(change -> change.key().toString())
                        .containsAll(acknowledged);
            }
            acknowledged.add("first@example.com");
            try (Database database = Database.sqlite(file, TIMEOUT)) {
                assertThat(senders(database.record("vip"))).isEqualTo(acknowledged);
            }
        }
    }

    /** Puts entries until that fails, and returns why. */
    private IOException fill(String thread, Set<String> acknowledged) {
        for (int i = 0; ; i++) {
            String sender = thread + "n" + i + "@example.com";
            try {
                put(sender + " note=" + "x".repeat(200));
                acknowledged.add(sender);
            } catch (IOException e) {
                return e;
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void openingShouldFailWhereNothingMayBeWritten() throws Exception {
        put("a@example.com");
        closeDatabases();
        try (Mount there = Mount.readOnly(folder, folder.resolve("there"))) {
            for (String name : List.of("lists.db", "missing.db", "missing/lists.db")) {
                assertThatThrownBy(() -> Database.sqlite(there.path().resolve(name), TIMEOUT))
                        .satisfies(failure -> assertSays(failure, there.path(), ""));
            }
        }
        assertThat(senders(open("vip"))).containsExactly("a@example.com");
    }

    /** A file that is not ours. */
    enum Foreign {
        TEXT,
        LOG_FORMAT,
        HALF_A_HEADER,
        SHORTENED,
        OF_ANOTHER_PROGRAM;

        Path make(Path file) throws IOException, SQLException {
            switch (this) {
                case TEXT -> Files.writeString(file, "alice@example.com\n");
                case LOG_FORMAT -> Files.write(file, new byte[] {0x37, 0x7f, 6, (byte) 0x82});
                case HALF_A_HEADER -> Files.writeString(file, "SQLite format 3\0\020\0\2\2");
                case SHORTENED -> {
                    OF_ANOTHER_PROGRAM.make(file);
                    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 5_000));
                }
                case OF_ANOTHER_PROGRAM -> {
                    try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
                        new Session(other).run("create table contacts(name text)");
                        new Session(other).run("insert into contacts values ('alice')");
                    }
                }
            }
            return file;
        }
    }

    @ParameterizedTest
    @EnumSource(Foreign.class)
    void openingShouldNotTouchAFileOfOthers(Foreign foreign) throws Exception {
        Path file = foreign.make(folder.resolve("foreign.db"));
        byte[] before = Files.readAllBytes(file);
        assertThatThrownBy(() -> Database.sqlite(file, TIMEOUT))
                .satisfies(failure -> assertSays(failure, file, ""));
        assertThat(file).hasBinaryContent(before);
        assertThat(folder.resolve("foreign.db-wal")).doesNotExist();
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void recordShouldNotTouchAFileOfOthersThatComesIntoItsPlace() throws Exception {
        put("a@example.com");
        Path other = Foreign.OF_ANOTHER_PROGRAM.make(folder.resolve("other.db"));
        byte[] before = Files.readAllBytes(other);
        Files.move(other, file(), StandardCopyOption.REPLACE_EXISTING);
        Files.delete(Path.of(file() + "-wal"));
        Files.delete(Path.of(file() + "-shm"));
        assertThatThrownBy(() -> put("b@example.com"))
                .satisfies(failure -> assertSays(failure, file(), "another program"));
        assertThat(file()).hasBinaryContent(before);
    }

    /** Another program in the same process, such as another server, can have its own driver. */
    @Test
    void recordShouldWorkBesideACopyOfTheDriverInAnotherClassLoader() throws Exception {
        URL jar = JDBC.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader =
                        new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader());
                Connection other =
                        (Connection)
                                loader.loadClass(JDBC.class.getName())
                                        .getMethod(
                                                "createConnection", String.class, Properties.class)
                                        .invoke(
                                                null,
                                                "jdbc:sqlite:" + folder.resolve("other.db"),
                                                new Properties())) {
            put("alice@example.com");
            new Session(other).run("create table t (x)");
            assertThat(other.getClass().getClassLoader()).isSameAs(loader);
            assertThat(new Session(other).update("insert into t values (1)")).isEqualTo(1);
            assertThat(record.count()).isEqualTo(1);
        }
    }

    /** The folder's owner could swap the library before it is loaded. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void rootShouldLoadNothingFromTheFolderOfAnotherUser() throws Exception {
        assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0), "left out: needs root");
        Path below = Files.createDirectories(folder.resolve("of-another/below"));
        assertThat(SqliteDriver.makeFolder(below)).hasParent(below);
        Files.setAttribute(folder.resolve("of-another"), "unix:uid", 12_345);
        Path elsewhere = SqliteDriver.makeFolder(below);
        Files.delete(elsewhere);
        assertThat(elsewhere.startsWith(folder)).isFalse();
        Files.setAttribute(folder.resolve("of-another"), "unix:uid", 0);
        Files.setPosixFilePermissions(below, PosixFilePermissions.fromString("rwxrwxr-x"));
        Path again = SqliteDriver.makeFolder(below);
        Files.delete(again);
        assertThat(again.startsWith(folder)).isFalse();
        assertThat(below.toFile().list()).hasSize(1);
    }

    private long bytes(String end) throws IOException {
        Path file = Path.of(file() + end);
        return Files.exists(file) ? Files.size(file) : 0;
    }

    /** While entries are changed, of which half are removed, and the list is read. */
    @Test
    @Tag("large")
    void fileAndLogShouldStaySmall() throws Exception {
        int entries = Extent.of(100_000, 1_000_000);
        SplittableRandom random = new SplittableRandom(1);
        Lines.load(record, entries);
        long before = bytes("") + bytes("-wal");
        int[] visited = {0};
        Visitor<Entry> change =
                any -> {
                    if (++visited[0] % 50 == 0) {
                        Entry entry = entry(Lines.line(random.nextInt(entries)) + " note=new");
                        if (random.nextBoolean()) {
                            put(record, entry);
                        } else {
                            remove(record, Target.of(entry));
                        }
                    }
                };
        record.forEach(change, why -> {});
        for (int i = 0; i < 150; i++) {
            // When nobody reads it, SQLite begins the log again.
            change.visit(entry("any@example.com"));
        }
        // Together 1.2 times as much as before, for a million entries.
        long megabyte = 1 << 20;
        assertThat((double) (bytes("") + bytes("-wal")))
                .isLessThanOrEqualTo(1.1 * before + 10 * megabyte);
        assertThat(bytes("-wal")).isLessThanOrEqualTo(8 * megabyte);
    }

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

    private final Set<String> statements = new TreeSet<>();

    @Test
    void statementsShouldReadNoWholeList() throws IOException {
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
        Database database = databases.getFirst();
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
            super(folder.resolve("recorded.db"), Duration.ofSeconds(10));
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
