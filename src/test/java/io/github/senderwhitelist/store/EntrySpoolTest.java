package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.FaultyDisk.Call;
import io.github.senderwhitelist.disk.FaultyDisk.Fault;
import io.github.senderwhitelist.disk.Scratch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

class EntrySpoolTest {
    private static final DomainDictionary DOMAINS =
            DomainDictionary.of(List.of("d0".getBytes(ISO_8859_1), "d1".getBytes(ISO_8859_1)));

    private static final DomainRanks RANKS = new DomainRanks(DOMAINS);

    /** So many entries that some of their chunks have no room in memory. */
    private static final int MANY = 30_000;

    /** So few that parts begin with all kinds of entries. */
    private static final int PART = 41;

    @TempDir private Path folder;
    private final FaultyDisk disk = new FaultyDisk(Disk.LOCAL);

    private static Set<String> keys(int count) {
        SplittableRandom random = new SplittableRandom(1);
        TreeSet<String> keys = new TreeSet<>();
        while (keys.size() < count) {
            String sender = "u" + random.nextInt(1 << 20) + "\u00ff".repeat(random.nextInt(200));
            sender += "\0d" + random.nextInt(3);
            keys.add(sender);
            for (int i = random.nextInt(4); i > 0; i--) {
                String local = i == 1 ? "" : "r".repeat(1 + random.nextInt(254)) + i;
                String kind = i == 1 ? "\3" : "\1";
                keys.add(sender + "\0" + kind + local + "\0" + "d".repeat(1 + i % 2) + i % 4);
            }
        }
        return keys;
    }

    private static byte[] rules(String key) {
        return new byte[key.length() % 3 == 0 ? 0 : 3 * (key.length() % 300)];
    }

    private static void next(Draft draft, String key, byte[] rules) {
        byte[] bytes = key.getBytes(ISO_8859_1);
        int end = SortKey.senderEnd(bytes, 0, bytes.length);
        int same = draft.shared(bytes, bytes.length);
        draft.next(bytes, same, end, bytes.length, rules, -1, RANKS);
    }

    private static void fill(EntrySpool spool, Iterable<String> keys) throws IOException {
        Draft draft = new Draft();
        for (String key : keys) {
            next(draft, key, rules(key));
            spool.append(draft);
        }
    }

    private EntrySpool spool() {
        return new EntrySpool(new Scratch(disk, folder), DOMAINS, PART);
    }

    private static void requireSame(EntrySpool spool, Set<String> keys) throws IOException {
        List<String> drained = new ArrayList<>();
        Draft expected = new Draft();
        for (EntrySpool.Part part : spool.finish()) {
            assertThat(new String(part.before(), ISO_8859_1))
                    .isEqualTo(drained.isEmpty() ? "" : drained.getLast());
            part.drain(
                    EntrySpool.buffer(),
                    entry -> {
                        String key = new String(entry.key, 0, entry.length, ISO_8859_1);
                        boolean starts = drained.size() % PART == 0;
                        drained.add(key);
                        assertThat(entry.rules).isEqualTo(rules(key));
                        next(expected, key, entry.rules);
                        assertThat(entry.shared).isEqualTo(starts ? 0 : expected.shared);
                        if (!starts) {
                            assertThat(entry.replaced).isEqualTo(expected.replaced);
                        }
                        assertThat(entry.senderLocal).isEqualTo(expected.senderLocal);
                        assertThat(entry.senderRank).isEqualTo(expected.senderRank);
                        assertThat(entry.forSome()).isEqualTo(expected.forSome());
                        if (entry.forSome()) {
                            assertThat(entry.recipientsLocal).isEqualTo(expected.recipientsLocal);
                            assertThat(entry.recipientsRank).isEqualTo(expected.recipientsRank);
                        }
                    });
        }
        assertThat(drained).isEqualTo(List.copyOf(keys));
    }

    /** All blocks of a part are in memory at a time. */
    @Test
    void shouldHaveFewLargeEntriesInAPart() throws IOException {
        Draft draft = new Draft();
        byte[] rules = new byte[900];
        int count = 16_000;
        try (EntrySpool spool = new EntrySpool(new Scratch(disk, folder), DOMAINS, count)) {
            for (int i = 0; i < count; i++) {
                next(draft, "u" + (count + i) + "\0d0", rules);
                spool.append(draft);
            }
            List<EntrySpool.Part> parts = spool.finish();
            assertThat(parts).hasSize(3).allMatch(part -> part.entries() * 900 < 7 << 20);
            assertThat(parts.stream().mapToInt(EntrySpool.Part::entries).sum()).isEqualTo(count);
        }
    }

    @Test
    void shouldKeepFewEntriesInMemory() throws IOException {
        for (int count : new int[] {0, 1, 1000}) {
            Set<String> keys = keys(count);
            try (EntrySpool spool = spool()) {
                fill(spool, keys);
                requireSame(spool, keys);
            }
        }
        assertThat(disk.calls()).isEmpty();
    }

    @Test
    void shouldKeepTheOthersInATemporaryFileAndCloseIt() throws IOException {
        Set<String> keys = keys(MANY);
        try (EntrySpool spool = spool()) {
            fill(spool, keys);
            requireSame(spool, keys);
            assertThat(disk.calls()).contains(Call.WRITE, Call.READ).doesNotContain(Call.CLOSE);
        }
        assertThat(disk.calls()).startsWith(Call.CREATE).endsWith(Call.CLOSE);
        assertThat(Collections.frequency(disk.calls(), Call.CREATE)).isOne();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void shouldSayWhenTheDiskIsFullAndLeaveNothing() throws IOException {
        Set<String> keys = keys(MANY);
        for (int call = 0; call < 2; call++) {
            disk.arm(Fault.FULL, call, true);
            try (EntrySpool spool = spool()) {
                assertThatIOException()
                        .isThrownBy(() -> fill(spool, keys))
                        .withMessageContaining(FaultyDisk.FULL)
                        .withMessageContaining(folder.toString());
            }
            assertThat(disk.calls().contains(Call.CLOSE)).isEqualTo(call > 0);
            disk.disarm();
            assertThat(folder).isEmptyDirectory();
        }
    }
}
