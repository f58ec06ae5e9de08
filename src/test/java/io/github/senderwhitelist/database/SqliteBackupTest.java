package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** Backups that SQLite makes while several threads change a list as fast as they can. */
@Tag("large")
class SqliteBackupTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int THREADS = 8;

    @TempDir private Path folder;
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean ends = new AtomicBoolean();

    @ParameterizedTest
    @ValueSource(strings = {"vacuum into '%s'", "backup to '%s'"})
    void shouldHaveAllThatWasAcknowledgedBefore(String statement) throws Exception {
        Path file = folder.resolve("lists.db");
        try (Database database = Database.sqlite(file, TIMEOUT);
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            ListRecord record = database.record("vip");
            record.create();
            List<Future<Boolean>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                String thread = "t" + i;
                running.add(threads.submit(() -> put(record, thread)));
            }
            long begin = System.nanoTime();
            for (int i = 0; i < 5; i++) {
                Thread.sleep(300);
                backUp(file, folder.resolve("copy" + i + ".db"), statement);
            }
            double seconds = (System.nanoTime() - begin) / 1e9;
            ends.set(true);
            for (Future<Boolean> each : running) {
                assertThat(each.get()).isTrue();
            }
            System.out.printf(
                    "%.0f changes a second beside %s%n", acknowledged.size() / seconds, statement);
            assertThat(record.count()).isEqualTo(acknowledged.size());
        }
    }

    private boolean put(ListRecord record, String thread) throws Exception {
        for (int i = 0; !ends.get(); i++) {
            String sender = thread + "n" + i + "@example.com";
            put(record, entry(sender));
            acknowledged.add(sender);
        }
        return true;
    }

    private static void put(ListRecord record, Entry entry) throws IOException {
        record.write(List.of(Edit.put(entry)), "test");
    }

    private void backUp(Path file, Path copy, String statement) throws Exception {
        Set<String> before = new HashSet<>(acknowledged);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            new Session(connection).run(statement.formatted(copy));
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + copy)) {
            assertThat(
                            new Session(connection)
                                    .query("pragma integrity_check", row -> row.getString(1)))
                    .containsExactly("ok");
        }
        try (Database database = Database.sqlite(copy, TIMEOUT)) {
            ListRecord record = database.record("vip");
            Set<String> there = new HashSet<>();
            record.forEach(entry -> there.add(entry.key().toString()), why -> {});
            assertThat(there).containsAll(before);
            put(record, entry("later@example.com"));
        }
    }
}
