package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * How much a file of SQLite and its log grow while entries are changed as fast as they can be, and
 * the list is read from its beginning to its end meanwhile.
 */
@Tag("large")
class SqliteGrowthTest {
    private static final int ENTRIES = Extent.of(300_000, 1_000_000);
    private static final int CHANGES = Extent.of(6_000, 20_000);
    private static final int THREADS = 8;
    private static final long MEGABYTE = 1 << 20;

    @TempDir private Path folder;
    private final AtomicInteger changes = new AtomicInteger();
    private int visited;

    private Path file() {
        return folder.resolve("lists.db");
    }

    private long logLength() throws IOException {
        Path log = Path.of(file() + "-wal");
        return Files.exists(log) ? Files.size(log) : 0;
    }

    @Test
    void shouldStaySmall() throws Exception {
        try (Database database = Database.sqlite(file(), Duration.ofSeconds(60));
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            ListRecord record = database.record("vip");
            load(record);
            long before = Files.size(file()) + logLength();
            List<Future<Boolean>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(i);
                running.add(threads.submit(() -> change(record, random)));
            }
            record.forEach(entry -> visit(), why -> {});
            for (Future<Boolean> each : running) {
                assertThat(each.get()).isTrue();
            }
            for (int i = 0; i < 3; i++) {
                // When nobody reads it, SQLite begins the log again.
                record.write(List.of(Edit.put(entry("last" + i + "@example.com"))), "test");
            }
            long after = Files.size(file()) + logLength();
            // Together 1.2 times as much as before, for a million entries.
            assertThat((double) after).isLessThanOrEqualTo(1.1 * before + 10 * MEGABYTE);
            assertThat(logLength()).isLessThanOrEqualTo(8 * MEGABYTE);
        }
    }

    private static void load(ListRecord record) throws IOException {
        record.create();
        for (int from = 0; from < ENTRIES; from += 10_000) {
            record.load(
                    IntStream.range(from, from + 10_000).mapToObj(i -> entry(line(i))).toList(),
                    false);
        }
        record.endLoad();
    }

    private static String line(int i) {
        return "sender" + (10_000_000 + i) + "@example.com to=u" + i % 1_000 + "@here.org";
    }

    private boolean change(ListRecord record, SplittableRandom random) throws IOException {
        int change = changes.incrementAndGet();
        while (change <= CHANGES) {
            Entry entry = entry(line(random.nextInt(ENTRIES)) + " note=" + change);
            Edit edit = change % 2 == 0 ? Edit.put(entry) : Edit.remove(Target.of(entry));
            record.write(List.of(edit), "test");
            change = changes.incrementAndGet();
        }
        return true;
    }

    /** Waits, so that the reading ends with the changes. */
    private void visit() {
        try {
            long begun = (long) visited++ * CHANGES / ENTRIES;
            while (changes.get() < begun) {
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
