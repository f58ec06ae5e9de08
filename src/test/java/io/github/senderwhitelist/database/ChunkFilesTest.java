package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.EntryTable;

import org.h2.store.fs.FileUtils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

class ChunkFilesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int ENOUGH = 500;

    @TempDir private Path folder;
    private RecordedFiles.@Nullable Recording recording;
    private int writes;
    private int mostUnforced;

    @AfterEach
    void stop() {
        RecordedFiles.stop();
    }

    /** So a power cut can only ever cut off the last write, as a kill does. */
    @Test
    void shouldWriteNothingBeforeTheDiskKeepsWhatWasWrittenEarlier() throws IOException {
        Path file = folder.resolve("lists");
        recording = RecordedFiles.record(file, this::look);
        for (int round = 0; round < 3; round++) {
            try (Database database = Database.h2(file, TIMEOUT)) {
                EntryTable table = database.table("vip");
                for (int change = 0; change < 150; change++) {
                    table.put(entry("s" + change % 40 + "@x.example note=" + change), "test");
                }
                // H2 writes several chunks in one transaction of so many entries.
                table.putAll(many(round), "test");
            }
        }
        assertThat(writes).isGreaterThan(ENOUGH);
        assertThat(mostUnforced).isOne();
    }

    private void look() {
        writes++;
        mostUnforced = Math.max(mostUnforced, Objects.requireNonNull(recording).unforcedWrites());
    }

    private static List<Entry> many(int round) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            entries.add(entry("r" + round + "-" + i + "@example.com to=u" + i + "@x.example"));
        }
        return entries;
    }

    /** H2 deletes the remains of an unfinished file, which another process may be writing. */
    @Test
    void shouldDeleteOnlyRemainsThatNobodyIsWriting() throws IOException {
        Path remains = Files.writeString(folder.resolve("lists.mv.db.tempFile"), "x");
        String path = ChunkFiles.prefix() + remains;
        try (FileChannel other = FileChannel.open(remains, StandardOpenOption.WRITE);
                FileLock lock = other.lock()) {
            assertThat(lock.isValid()).isTrue();
            FileUtils.delete(path);
            assertThat(remains).exists();
        }
        FileUtils.delete(path);
        assertThat(remains).doesNotExist();
    }
}
