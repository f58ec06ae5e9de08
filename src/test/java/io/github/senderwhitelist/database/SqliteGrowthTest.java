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
import java.util.List;
import java.util.SplittableRandom;

/** How much a file of SQLite and its log grow while entries are changed and the list is read. */
@Tag("large")
class SqliteGrowthTest {
    private static final int ENTRIES = Extent.of(300_000, 1_000_000);

    /** How many entries are read between two changes, half of which removes. */
    private static final int READ = 50;

    private static final long MEGABYTE = 1 << 20;

    @TempDir private Path folder;
    private final SplittableRandom random = new SplittableRandom(1);
    private int visited;

    private long bytes(String end) throws IOException {
        Path file = folder.resolve("lists.db" + end);
        return Files.exists(file) ? Files.size(file) : 0;
    }

    @Test
    void fileAndLogShouldStaySmall() throws Exception {
        try (Database database =
                Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(60))) {
            ListRecord record = database.record("vip");
            record.create();
            Lines.load(record, ENTRIES);
            long before = bytes("") + bytes("-wal");
            record.forEach(
                    any -> {
                        if (++visited % READ == 0) {
                            change(record);
                        }
                    },
                    why -> {});
            for (int i = 0; i < 3; i++) {
                // When nobody reads it, SQLite begins the log again.
                change(record);
            }
            // Together 1.2 times as much as before, for a million entries.
            assertThat((double) (bytes("") + bytes("-wal")))
                    .isLessThanOrEqualTo(1.1 * before + 10 * MEGABYTE);
            assertThat(bytes("-wal")).isLessThanOrEqualTo(8 * MEGABYTE);
        }
    }

    private void change(ListRecord record) throws IOException {
        Entry entry = entry(Lines.line(random.nextInt(ENTRIES)) + " note=" + visited);
        Edit edit = random.nextBoolean() ? Edit.put(entry) : Edit.remove(Target.of(entry));
        record.write(List.of(edit), "test");
    }
}
