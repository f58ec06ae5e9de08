package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.EntryTable;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;

/** Cuts the power while entries are loaded, as {@link H2PowerTest} does for single changes. */
@Tag("large")
class H2LoadPowerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir private Path folder;

    private final SplittableRandom random = new SplittableRandom(1);
    private final List<String> broken = new ArrayList<>();
    private RecordedFiles.@Nullable Recording recording;
    private boolean cutting;
    private int states;

    /** Everything below was acknowledged. The next one may be there, too. */
    private int acknowledged;

    @AfterEach
    void stop() {
        RecordedFiles.stop();
    }

    private void cutAtTimes() throws IOException {
        if (!cutting || random.nextInt(4) != 0) {
            return;
        }
        states++;
        Path cut = folder.resolve("cut" + states);
        Path file = Path.of(cut + ".mv.db");
        Files.write(file, Objects.requireNonNull(recording).afterPowerCut(random));
        try (Database left = Database.h2(cut, TIMEOUT)) {
            int counted = entries(left);
            if (counted < acknowledged) {
                broken.add("state " + states + ": " + counted + " and not " + acknowledged);
            }
        } catch (IOException e) {
            broken.add("state " + states + ": " + e.getMessage());
        }
        Files.delete(file);
    }

    @Test
    void shouldHaveEveryPartThatWasLoadedAfterAPowerCut() throws IOException {
        Path file = folder.resolve("lists");
        recording = RecordedFiles.record(file, this::cutAtTimes);
        try (Database database = Database.h2(file, TIMEOUT)) {
            database.table("vip").position();
            try (Loading loading =
                    Objects.requireNonNull(database.load("vip", 1_000_000), "not loaded")) {
                for (int part = 0; part < 40; part++) {
                    cutting = true;
                    loading.putAll(part(part));
                    acknowledged = (part + 1) * 50;
                }
            }
            cutting = false;
        }
        assertThat(broken).isEmpty();
        assertThat(states).isGreaterThan(20);
    }

    private static List<Entry> part(int part) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int number = part * 50 + i;
            entries.add(
                    entry(
                            String.format(
                                    Locale.ROOT,
                                    "s%05d@example.com to=u%d@x.example",
                                    number,
                                    number * 7 % 100)));
        }
        return entries;
    }

    /** Counts the entries, by the index of the recipients, too. */
    private static int entries(Database left) throws IOException {
        EntryTable table = left.table("vip");
        int byRecipient = 0;
        for (int user = 0; user < 100; user++) {
            byRecipient += table.entriesFor(Lines.key("u" + user + "@x.example"), 1_000).size();
        }
        if (byRecipient != table.count()) {
            throw new IOException(byRecipient + " by recipient, and " + table.count());
        }
        return byRecipient;
    }
}
