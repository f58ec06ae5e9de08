package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

/** Backups that SQLite makes while several threads change a list as fast as they can. */
@Tag("large")
class SqliteBackupTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int THREADS = 8;
    private static final int COPIES = 5;

    @TempDir private Path folder;
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private volatile boolean ends;

    @ParameterizedTest
    @ValueSource(strings = {"vacuum into '%s'", "backup to '%s'"})
    void backupShouldHaveAllThatWasAcknowledgedBefore(String statement) throws Exception {
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
            for (int i = 0; i < COPIES; i++) {
                Thread.sleep(200);
                Set<String> before = new HashSet<>(acknowledged);
                Path copy = folder.resolve("copy" + i + ".db");
                assertThat(run(file, statement.formatted(copy))).isEmpty();
                assertThat(run(copy, "pragma integrity_check")).containsExactly("ok");
                try (Database copied = Database.sqlite(copy, TIMEOUT)) {
                    Set<String> there = new HashSet<>();
                    copied.record("vip")
                            .forEach(entry -> there.add(entry.key().toString()), why -> {});
                    assertThat(there).containsAll(before);
                }
            }
            ends = true;
            for (Future<Boolean> each : running) {
                assertThat(each.get()).isTrue();
            }
            assertThat(record.count()).isEqualTo(acknowledged.size());
        }
    }

    private boolean put(ListRecord record, String thread) throws Exception {
        for (int i = 0; !ends; i++) {
            String sender = thread + "n" + i + "@example.com";
            record.write(List.of(Edit.put(entry(sender))), "test");
            acknowledged.add(sender);
        }
        return true;
    }

    private static List<String> run(Path file, String sql) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            Session session = new Session(connection);
            if (sql.startsWith("pragma")) {
                return session.query(sql, row -> row.getString(1));
            }
            session.run(sql);
            return List.of();
        }
    }
}
