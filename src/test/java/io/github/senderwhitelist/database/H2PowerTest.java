package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.tools.Extent;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Ends the process while a list in H2 is changed, by a kill or a power cut. After a power cut, what
 * was written since the disk was last told to keep it may be there or not, page by page. Every
 * acknowledged change must be there.
 */
@Tag("large")
class H2PowerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int SENDERS = 300;

    /** How many power cuts are tried at least. */
    private static final int ENOUGH = 50;

    @TempDir private Path folder;

    /** How a process ends. */
    enum End {
        KILL,
        POWER_CUT
    }

    private final SplittableRandom random = new SplittableRandom(1);
    private final int[] versions = new int[SENDERS];
    private int begun = -1;
    private int begunVersion;
    private int states;
    private boolean ending;
    private final List<String> broken = new ArrayList<>();
    private RecordedFiles.@Nullable Recording recording;

    @AfterEach
    void stop() {
        RecordedFiles.stop();
    }

    private static String address(int sender) {
        return "sender" + sender + "@example.com";
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void shouldHaveEveryAcknowledgedChange(End end) throws IOException {
        Path file = folder.resolve("lists");
        recording = RecordedFiles.record(file, () -> endAtTimes(end));
        try (Database database = Database.h2(file, TIMEOUT)) {
            EntryTable table = database.table("vip");
            int changes = Extent.of(150, 2_000);
            // How often H2 writes for a change depends on its own threads.
            for (int change = 1;
                    change <= changes || (states <= ENOUGH && change < 10 * changes);
                    change++) {
                ending = change > 100;
                change(table, change);
            }
        }
        ending = false;
        assertThat(broken).isEmpty();
        assertThat(states).isGreaterThan(ENOUGH);
    }

    /** Space is used again as soon as if changes were rare. */
    @ParameterizedTest
    @EnumSource(End.class)
    void shouldHaveEveryAcknowledgedChangeOfAListThatSeldomChanges(End end) throws IOException {
        Path file = folder.resolve("lists");
        recording = RecordedFiles.record(file, () -> endAtTimes(end));
        int version = 1;
        int rounds = Extent.of(4, 30);
        for (int round = 0; round < rounds || states <= ENOUGH; round++) {
            ending = round > 0;
            try (Database database = Database.h2(file, TIMEOUT)) {
                database.call(
                        "use space again",
                        connection -> {
                            Sql.run(connection, "set retention_time 30");
                            return true;
                        });
                EntryTable table = database.table("vip");
                for (int left = random.nextInt(1, 200); left > 0; left--) {
                    change(table, version++);
                }
            }
        }
        ending = false;
        assertThat(broken).isEmpty();
    }

    /** Nothing is acknowledged then, but the next start must find something that it can open. */
    @ParameterizedTest
    @EnumSource(End.class)
    void shouldOpenWhateverIsLeftOfTheFirstStart(End end) throws IOException {
        Path file = folder.resolve("lists");
        recording = RecordedFiles.record(file, () -> endSomeTimes(end));
        Database.h2(file, TIMEOUT).close();
        assertThat(broken).isEmpty();
        assertThat(states).isGreaterThan(ENOUGH);
    }

    private void endSomeTimes(End end) throws IOException {
        for (int time = 0; time < 5; time++) {
            end(end);
        }
    }

    private void change(EntryTable table, int version) throws IOException {
        begun = random.nextInt(SENDERS);
        if (random.nextInt(4) == 0) {
            begunVersion = 0;
            table.remove(Origin.ADMIN, key(address(begun)), null, "test");
        } else {
            begunVersion = version;
            table.put(entry(address(begun) + " note=" + version), "test");
        }
        versions[begun] = begunVersion;
        begun = -1;
    }

    private void endAtTimes(End end) throws IOException {
        if (ending && random.nextInt(4) == 0) {
            end(end);
        }
    }

    private void end(End end) throws IOException {
        if (recording == null) {
            return;
        }
        states++;
        Path cut = folder.resolve("cut" + states);
        Path file = Path.of(cut + ".mv.db");
        byte[] left = end == End.KILL ? recording.afterKill() : recording.afterPowerCut(random);
        Files.write(file, left);
        try {
            compare(cut);
            Files.delete(file);
        } catch (IOException e) {
            broken.add("state " + states + " after " + begunVersion + ": " + e.getMessage());
        }
    }

    private void compare(Path cut) throws IOException {
        try (Database database = Database.h2(cut, TIMEOUT)) {
            int[] found = new int[SENDERS];
            database.table("vip").forEach(entry -> found[sender(entry)] = version(entry));
            for (int sender = 0; sender < SENDERS; sender++) {
                boolean right =
                        found[sender] == versions[sender]
                                || (sender == begun && found[sender] == begunVersion);
                if (!right) {
                    throw new IOException(
                            address(sender) + " is " + found[sender] + ", not " + versions[sender]);
                }
            }
        }
    }

    private static int sender(Entry entry) {
        String address = entry.key().toString();
        return Integer.parseInt(address.substring("sender".length(), address.indexOf('@')));
    }

    private static int version(Entry entry) {
        return Integer.parseInt(entry.rules().getFirst().note());
    }
}
