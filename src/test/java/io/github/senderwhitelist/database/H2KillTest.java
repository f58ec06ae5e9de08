package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.tools.Extent;

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
import java.util.SplittableRandom;

/**
 * Kills one process after the other that changes a list in H2, each after some write to the file,
 * also while the file is opened or closed. The next one goes on with what was left, and must find
 * every acknowledged change. Space is used again as soon as if changes were rare.
 *
 * <p>No chunk may be in the file twice, because H2 might take the copy of an old one for the
 * newest.
 */
@Tag("large")
class H2KillTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int SENDERS = 300;

    @TempDir private Path folder;

    private final SplittableRandom random = new SplittableRandom(1);
    private int lastVersion;
    private volatile State state = new State(new int[SENDERS], -1, 0);

    /** What was left by the process that was killed, once that is so. */
    private volatile byte @Nullable [] left;

    private volatile State whenKilled = state;

    private RecordedFiles.@Nullable Recording recording;
    private int writesLeft;

    /**
     * The version of each sender's entry, 0 for none, and the change that is not acknowledged yet.
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record State(int[] versions, int begun, int begunVersion) {
        State begin(int sender, int version) {
            return new State(versions, sender, version);
        }

        State end() {
            int[] after = versions.clone();
            after[begun] = begunVersion;
            return new State(after, -1, 0);
        }
    }

    @AfterEach
    void stop() {
        RecordedFiles.stop();
    }

    @Test
    void shouldHaveEveryAcknowledgedChangeAfterManyKills() throws IOException {
        byte[] bytes = {};
        int rounds = Extent.of(25, 1_000);
        for (int round = 0; round < rounds; round++) {
            Path file = folder.resolve("lists" + round);
            Path real = Path.of(file + ".mv.db");
            if (round > 0) {
                Files.write(real, bytes);
            }
            left = null;
            // The first ones are killed while they make the tables.
            writesLeft = random.nextInt(1, round < 10 ? 3 + 10 * round : 700);
            recording = RecordedFiles.record(file, bytes, this::killAtLast);
            byte[] found = null;
            while (found == null) {
                work(file, round);
                found = left;
            }
            RecordedFiles.stop();
            Files.delete(real);
            bytes = found;
            state = whenKilled;
            assertThat(wholeChunks(bytes)).doesNotHaveDuplicates();
        }
        assertThat(lastVersion).isGreaterThan(rounds);
    }

    private void killAtLast() {
        if (left == null && recording != null && --writesLeft == 0) {
            whenKilled = state;
            left = recording.afterKill();
        }
    }

    /** Returns the beginnings of all chunks that have an end. */
    private static List<String> wholeChunks(byte[] bytes) {
        List<String> chunks = new ArrayList<>();
        for (int at = 0; at + ChunkFiles.BLOCK <= bytes.length; at += ChunkFiles.BLOCK) {
            String head = new String(bytes, at, 100, ISO_8859_1).replaceAll("\\v", " ");
            if (head.startsWith("chunk:")) {
                String id = head.substring(0, head.indexOf(','));
                int blocks =
                        Integer.parseInt(head.replaceFirst(".*?,len:(\\p{XDigit}+),.*", "$1"), 16);
                int end = at + blocks * ChunkFiles.BLOCK;
                if (end <= bytes.length
                        && new String(bytes, end - 128, 128, ISO_8859_1).startsWith(id + ",")) {
                    chunks.add(id);
                }
            }
        }
        return chunks;
    }

    /** Opens the database, compares it, changes it for a while, and closes it. */
    private void work(Path file, int round) throws IOException {
        try (Database database = Database.h2(file, TIMEOUT)) {
            database.call(
                    "use space again",
                    connection -> {
                        Sql.run(connection, "set retention_time 30");
                        return true;
                    });
            EntryTable table = database.table("vip");
            int[] versions = versions(table);
            for (int sender = 0; sender < SENDERS; sender++) {
                boolean begun = sender == state.begun && versions[sender] == state.begunVersion;
                assertThat(begun ? state.versions[sender] : versions[sender])
                        .as("%s in round %d", address(sender), round)
                        .isEqualTo(state.versions[sender]);
            }
            state = new State(versions, -1, 0);
            for (int left = random.nextInt(1, 60); left > 0; left--) {
                change(table);
            }
        }
    }

    private static int[] versions(EntryTable table) throws IOException {
        int[] versions = new int[SENDERS];
        table.forEach(
                entry -> {
                    String address = entry.key().toString();
                    String number = address.substring("sender".length(), address.indexOf('@'));
                    versions[Integer.parseInt(number)] =
                            Integer.parseInt(entry.rules().getFirst().note());
                });
        return versions;
    }

    private void change(EntryTable table) throws IOException {
        int sender = random.nextInt(SENDERS);
        lastVersion++;
        if (random.nextInt(4) == 0) {
            state = state.begin(sender, 0);
            table.remove(Origin.ADMIN, key(address(sender)), null, "test");
        } else {
            state = state.begin(sender, lastVersion);
            table.put(entry(address(sender) + " note=" + lastVersion), "test");
        }
        state = state.end();
    }

    private static String address(int sender) {
        return "sender" + sender + "@example.com";
    }
}
