package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;
import io.github.senderwhitelist.tools.ChildJava;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** What a list in SQLite does when something happens to its file, its folder or its disk. */
@EnabledOnOs(OS.LINUX)
class SqliteFaultsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir private Path folder;
    private @Nullable Database database;

    /** Has SQLite's library unpacked where it is no part of the test. */
    @BeforeEach
    void load() throws IOException {
        SqliteDriver.load(folder);
    }

    @AfterEach
    void close() throws IOException {
        if (database != null) {
            database.close();
            database = null;
        }
    }

    private Path disk() {
        return folder.resolve("disk");
    }

    private Path file() {
        return disk().resolve("lists.db");
    }

    private Path beside(String end) {
        return Path.of(file() + end);
    }

    private EntryTable open(Path file) throws IOException {
        close();
        database = Database.sqlite(file, TIMEOUT);
        return database.table("vip");
    }

    private static void put(EntryTable table, String sender) throws IOException {
        table.put(entry(sender), "admin");
    }

    private static Set<String> senders(EntryTable table) throws IOException {
        Set<String> senders = new TreeSet<>();
        table.forEach(entry -> senders.add(entry.key().toString()));
        return senders;
    }

    private static boolean has(EntryTable table, String sender) throws IOException {
        return table.find(key(sender), null) != null;
    }

    /** Requires one line that names the file and what happened. */
    private static void assertSays(@Nullable Throwable failure, Path file, String... parts) {
        assertThat(failure)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageNotContaining("\n");
        for (String part : parts) {
            assertThat(failure).hasMessageContaining(part);
        }
    }

    /** The senders of which a process of its own finds entries. */
    private Set<String> sendersForAnother() throws Exception {
        return new TreeSet<>(inAnotherProcess("senders"));
    }

    private List<String> inAnotherProcess(String... arguments) throws Exception {
        List<String> command =
                ChildJava.running(SqliteFaultsTest.class, "--enable-native-access=ALL-UNNAMED");
        command.add(file().toString());
        command.addAll(Arrays.asList(arguments));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<String> said = process.inputReader().lines().toList();
        assertThat(process.waitFor()).isZero();
        return said;
    }

    /**
     * The other process: puts an entry of each sender, or prints those that are there, or why not.
     */
    public static void main(String... arguments) throws IOException {
        try (Database other = Database.sqlite(Path.of(arguments[0]), TIMEOUT)) {
            EntryTable table = other.table("vip");
            if (arguments[1].equals("senders")) {
                senders(table).forEach(System.out::println);
            } else {
                for (int i = 1; i < arguments.length; i++) {
                    put(table, arguments[i]);
                }
            }
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }

    @Test
    @Tag("large")
    void shouldHaveWhatWasAcknowledgedWhenTheDiskIsFullAndGoOnWhenThereIsRoom() throws Exception {
        try (Mount disk = Mount.ofSize("4m", disk())) {
            EntryTable table = open(disk.path().resolve("lists.db"));
            put(table, "first@example.com");
            FeedPosition position = table.position();
            Path ballast = file().resolveSibling("ballast");
            Files.write(ballast, new byte[2_200_000]);
            Set<String> acknowledged = Collections.synchronizedSet(new TreeSet<>());
            try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
                List<Future<IOException>> failures = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    String thread = "t" + i;
                    failures.add(threads.submit(() -> fill(table, thread, acknowledged)));
                }
                for (Future<IOException> failure : failures) {
                    assertSays(failure.get(), file(), "the disk is full. Make room");
                }
            }
            assertThat(acknowledged).hasSizeGreaterThan(10);
            assertThat(has(table, acknowledged.iterator().next())).isTrue();
            Files.delete(ballast);
            put(table, "later@example.com");
            assertThat(Objects.requireNonNull(Feed.of(table, position)).senders())
                    .contains("later@example.com")
                    .containsAll(acknowledged);
            acknowledged.addAll(List.of("first@example.com", "later@example.com"));
            assertThat(sendersForAnother()).isEqualTo(acknowledged);
            close();
            assertThat(senders(open(file()))).isEqualTo(acknowledged);
            close();
        }
    }

    /** Puts entries until that fails, and returns why. */
    private static IOException fill(EntryTable table, String thread, Set<String> acknowledged) {
        for (int i = 0; ; i++) {
            String sender = thread + "n" + i + "@example.com";
            try {
                table.put(entry(sender + " note=" + "x".repeat(200)), "admin");
                acknowledged.add(sender);
            } catch (IOException e) {
                return e;
            }
        }
    }

    @Test
    void shouldReadWhatItMayNotWriteIfAnotherProcessHasItOpen() throws Exception {
        EntryTable table = open(file());
        put(table, "a@example.com");
        try (Mount there = Mount.readOnly(disk(), folder.resolve("there"));
                Database readOnly = Database.sqlite(there.path().resolve("lists.db"), TIMEOUT)) {
            EntryTable same = readOnly.table("vip");
            assertThat(has(same, "a@example.com")).isTrue();
            assertThatThrownBy(() -> put(same, "b@example.com"))
                    .satisfies(
                            failure ->
                                    assertSays(
                                            failure,
                                            there.path().resolve("lists.db"),
                                            "may not write the file"));
            put(table, "c@example.com");
            assertThat(has(same, "c@example.com")).isTrue();
        }
    }

    @Test
    void shouldNotStartWhereNothingMayBeWritten() throws Exception {
        put(open(file()), "a@example.com");
        close();
        try (Mount there = Mount.readOnly(disk(), folder.resolve("there"))) {
            for (String name : List.of("lists.db", "missing.db", "missing/lists.db")) {
                assertThatThrownBy(() -> Database.sqlite(there.path().resolve(name), TIMEOUT))
                        .satisfies(failure -> assertSays(failure, there.path()));
            }
        }
        assertThat(has(open(file()), "a@example.com")).isTrue();
    }

    /** What is done to the files of a running server. */
    enum Fault {
        REPLACED,
        REMOVED,
        LOG_DELETED,
        INDEX_DELETED;

        void happen(Path file) throws IOException {
            switch (this) {
                case REPLACED -> {
                    Files.move(
                            file.resolveSibling("other.db"),
                            file,
                            StandardCopyOption.REPLACE_EXISTING);
                    LOG_DELETED.happen(file);
                    INDEX_DELETED.happen(file);
                }
                case REMOVED -> Files.delete(file);
                case LOG_DELETED -> Files.delete(Path.of(file + "-wal"));
                case INDEX_DELETED -> Files.delete(Path.of(file + "-shm"));
            }
        }
    }

    /** A change is half made when it happens. */
    @ParameterizedTest
    @EnumSource(Fault.class)
    @Tag("large")
    void shouldReportAChangeThatMayNotBeInTheFile(Fault fault) throws Exception {
        put(open(file().resolveSibling("other.db")), "other@example.com");
        EntryTable table = open(file());
        put(table, "a@example.com");
        assertThatThrownBy(
                        () ->
                                table.update(
                                        List.of(Target.of(entry("b@example.com"))),
                                        rules -> {
                                            try {
                                                fault.happen(file());
                                            } catch (IOException e) {
                                                throw new AssertionError(e);
                                            }
                                            return entry("b@example.com").rules();
                                        },
                                        "admin"))
                .satisfies(
                        failure ->
                                assertSays(failure, file(), "replaced or deleted", "may be lost"));
        if (fault == Fault.REMOVED) {
            assertThatThrownBy(() -> put(table, "c@example.com"))
                    .satisfies(failure -> assertSays(failure, file(), "the file is gone"));
            assertThat(file()).doesNotExist();
            return;
        }
        put(table, "c@example.com");
        String before = fault == Fault.REPLACED ? "other@example.com" : "a@example.com";
        assertThat(senders(table)).contains(before, "c@example.com");
        assertThat(sendersForAnother()).isEqualTo(senders(table));
        close();
        assertThat(senders(open(file()))).contains(before, "c@example.com");
    }

    /** SQLite would go on with an index of the deleted log, and damage the file in the end. */
    @ParameterizedTest
    @ValueSource(strings = {"-wal", "-shm"})
    @Tag("large")
    void shouldLoseNothingWhenAFileBesideItIsDeletedWhileTheListIsRead(String end)
            throws Exception {
        EntryTable table = open(file());
        put(table, "a@example.com");
        put(table, "b@example.com");
        table.forEach(
                read -> {
                    try {
                        if (read.key().toString().length() == "a@example.com".length()) {
                            Files.delete(beside(end));
                            put(table, "c" + read);
                        }
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
        Set<String> all =
                Set.of("a@example.com", "b@example.com", "ca@example.com", "cb@example.com");
        assertThat(senders(table)).isEqualTo(all);
        assertThat(sendersForAnother()).isEqualTo(all);
        close();
        assertThat(senders(open(file()))).isEqualTo(all);
    }

    @Test
    @Tag("large")
    void shouldLetNoOtherProcessWriteUntilADeletedIndexOfTheLogIsMadeAgain() throws Exception {
        EntryTable table = open(file());
        put(table, "a@example.com");
        Files.delete(beside("-shm"));
        assertThat(inAnotherProcess("b@example.com"))
                .singleElement(STRING)
                .contains(file().toString(), "End that process");
        put(table, "c@example.com");
        assertThat(inAnotherProcess("d@example.com")).isEmpty();
        put(table, "e@example.com");
        Set<String> all =
                Set.of("a@example.com", "c@example.com", "d@example.com", "e@example.com");
        assertThat(senders(table)).isEqualTo(all);
        assertThat(sendersForAnother()).isEqualTo(all);
    }

    /**
     * SQLite would take the index of the deleted log for that of the new one, and a change could be
     * acknowledged that nobody finds again.
     *
     * @param needed whether the deleted log had pages that a change needs
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("large")
    void shouldNotWriteBesideAProcessThatHasADeletedLogOpen(boolean needed) throws Exception {
        EntryTable table = open(file());
        put(table, "a@example.com");
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file())) {
            if (!needed) {
                Sql.run(other, "pragma wal_checkpoint(truncate)");
            }
            Sql.run(other, "create table other(line text)");
            Files.delete(beside("-wal"));
            assertThatThrownBy(() -> put(table, "b@example.com"))
                    .satisfies(failure -> assertSays(failure, file(), "End that process"));
        }
        put(table, "b@example.com");
        assertThat(sendersForAnother()).containsExactly("a@example.com", "b@example.com");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-wal", "-shm"})
    @Tag("large")
    void shouldWriteToANewLogOnlyWhenNoThreadReadsTheDeletedOne(String end) throws Exception {
        EntryTable table = open(file());
        put(table, "a@example.com");
        AtomicBoolean ended = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(1)) {
            Future<Boolean> endedBefore =
                    Objects.requireNonNull(database)
                            .read(
                                    "read",
                                    connection -> {
                                        Files.delete(beside(end));
                                        Future<Boolean> put =
                                                threads.submit(
                                                        () -> {
                                                            put(table, "b@example.com");
                                                            return ended.get();
                                                        });
                                        giveTime(put);
                                        ended.set(true);
                                        return put;
                                    });
            assertThat(endedBefore.get()).isTrue();
        }
        assertThat(sendersForAnother()).containsExactly("a@example.com", "b@example.com");
    }

    /** Waits for a while, or until it has ended, which it should not. */
    private static void giveTime(Future<?> other) {
        try {
            other.get(300, TimeUnit.MILLISECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            // It is asked for its result later.
        }
    }

    /** The last one that closes the file removes its log, perhaps while another one opens it. */
    @Test
    @Tag("large")
    void shouldOpenWhileOthersOpenAndClose() throws Exception {
        put(open(file()), "first@example.com");
        close();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Boolean>> running = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                String thread = "t" + i;
                running.add(threads.submit(() -> openAndClose(thread)));
            }
            for (Future<Boolean> each : running) {
                assertThat(each.get()).isTrue();
            }
        }
        assertThat(senders(open(file()))).hasSize(1 + 2 * 300);
    }

    private boolean openAndClose(String thread) throws IOException {
        for (int i = 0; i < 300; i++) {
            try (Database opened = Database.sqlite(file(), TIMEOUT)) {
                put(opened.table("vip"), thread + "n" + i + "@example.com");
            }
        }
        return true;
    }

    /** A file that is not ours. */
    enum Foreign {
        TEXT,
        LOG_FORMAT,
        HALF_A_HEADER,
        SHORTENED,
        OF_ANOTHER_PROGRAM;

        void make(Path file) throws IOException, SQLException {
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
                        Sql.run(other, "create table contacts(name text)");
                        Sql.run(other, "insert into contacts values ('alice')");
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Foreign.class)
    void shouldNotTouchAFileOfOthers(Foreign foreign) throws Exception {
        Files.createDirectories(disk());
        foreign.make(file());
        byte[] before = Files.readAllBytes(file());
        assertThatThrownBy(() -> Database.sqlite(file(), TIMEOUT))
                .satisfies(failure -> assertSays(failure, file()));
        assertThat(file()).hasBinaryContent(before);
    }

    @Test
    void shouldNotTouchAFileOfOthersThatComesIntoItsPlace() throws Exception {
        EntryTable table = open(file());
        put(table, "a@example.com");
        Path other = folder.resolve("other.db");
        Foreign.OF_ANOTHER_PROGRAM.make(other);
        byte[] before = Files.readAllBytes(other);
        Files.move(other, file(), StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> put(table, "b@example.com"))
                .satisfies(failure -> assertSays(failure, file(), "Remove the -wal"));
        Files.delete(beside("-wal"));
        Files.delete(beside("-shm"));
        assertThatThrownBy(() -> put(table, "b@example.com"))
                .satisfies(failure -> assertSays(failure, file(), "another program"));
        assertThat(file()).hasBinaryContent(before);
    }

    /** As SQLite takes it, which makes such a file before anything is in it. */
    @Test
    void shouldTakeAnEmptyFileForANewOne() throws Exception {
        Files.createDirectories(disk());
        Files.createFile(file());
        EntryTable table = open(file());
        put(table, "a@example.com");
        close();
        assertThat(senders(open(file()))).containsExactly("a@example.com");
    }

    @Test
    @Tag("large")
    void shouldFollowASymbolicLink() throws Exception {
        EntryTable direct = open(file());
        put(direct, "a@example.com");
        Path link = folder.resolve("link.db");
        Files.createSymbolicLink(link, file());
        EntryTable table = open(link);
        put(table, "b@example.com");
        Files.delete(beside("-wal"));
        put(table, "c@example.com");
        assertThat(sendersForAnother())
                .containsExactly("a@example.com", "b@example.com", "c@example.com");
        Path other = folder.resolve("other.db");
        try (Database another = Database.sqlite(other, TIMEOUT)) {
            put(another.table("vip"), "other@example.com");
        }
        Files.delete(link);
        Files.createSymbolicLink(link, other);
        put(table, "d@example.com");
        assertThat(senders(table)).containsExactly("d@example.com", "other@example.com");
        assertThat(sendersForAnother()).doesNotContain("d@example.com");
    }
}
