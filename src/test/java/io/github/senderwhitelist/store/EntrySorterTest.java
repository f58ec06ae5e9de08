package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.FaultyDisk.Call;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.tools.AllocatedBytes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

class EntrySorterTest {
    /** So little memory that 200,000 entries make many runs. */
    private static final long LITTLE = 4L << 20;

    /** The name of a case that does not fit into little memory. */
    private static final String USUAL = "usual";

    private static final long MUCH = 64L << 20;

    /** The encoded rules of a plain entry, a denial, one with a note, one with a date. */
    private static final List<byte[]> RULES =
            List.of(
                    RulesCodec.PLAIN,
                    new byte[] {1, 0},
                    new byte[] {6, 1, 'x'},
                    new byte[] {3, 8, 0, 0, 0, 0, 0, 0, 0, 0});

    @TempDir Path folder;

    record Case(String name, List<byte[]> keys) {}

    private static byte[] key(String local, String domain) {
        return (local + '\0' + domain).getBytes(UTF_8);
    }

    private static Case randomCase(String name, int count, String alphabet, int longest) {
        SplittableRandom random = new SplittableRandom(name.hashCode());
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder local = new StringBuilder();
            for (int c = random.nextInt(longest + 1); c > 0; c--) {
                local.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            keys.add(key(local.toString(), "d" + random.nextInt(1 + count / 50) + ".example"));
        }
        return new Case(name, keys);
    }

    /** Senders with recipients of all kinds, and without. */
    private static Case pairs() {
        SplittableRandom random = new SplittableRandom(9);
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            String sender = "s" + random.nextInt(5_000) + "\0d" + random.nextInt(3);
            String to = random.nextInt(9) + "\0d" + random.nextInt(9);
            String key =
                    switch (random.nextInt(8)) {
                        case 0 -> sender;
                        case 1 -> sender + "\0\2\0" + to.substring(2);
                        case 2 -> sender + "\0\3\0." + to.substring(2);
                        default -> sender + "\0\1u" + to;
                    };
            keys.add(key.getBytes(UTF_8));
        }
        return new Case("pairs", keys);
    }

    static List<Case> cases() {
        return List.of(
                new Case("none", List.of()),
                new Case("one", List.of(key("a", "b.example"))),
                randomCase("few letters", 20_000, "ab", 20),
                randomCase(USUAL, 250_000, "abcdefghijklmnopqrstuvwxyz0123456789._-+", 14),
                randomCase("any characters", 40_000, "a!#$%&'*?^{|}~/\u00e9\u4e00 \"\\", 9),
                randomCase("long", 30_000, "az", 250),
                randomCase("same again", 50_000, "a", 3),
                pairs());
    }

    /** What the entry of a key must have. */
    private static final class Expected {
        final SortedSet<String> rules = new TreeSet<>();
        int kinds;
    }

    /** Returns bytes as characters, in whose order they are, too. */
    private static String text(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldGiveEachKeyOnceInOrderWithAllItsRules(Case example) throws IOException {
        shouldSort(example, LITTLE);
        shouldSort(example, MUCH);
    }

    private void shouldSort(Case example, long memory) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        SortedMap<String, Expected> model = new TreeMap<>();
        Path temporary = Files.createTempDirectory(folder, "sort");
        FaultyDisk counting = new FaultyDisk(Disk.LOCAL);
        try (EntrySorter sorter = new EntrySorter(memory, new Scratch(counting, temporary))) {
            for (byte[] key : example.keys) {
                byte[] rule = RULES.get(Math.max(0, random.nextInt(8) - 4));
                model.computeIfAbsent(text(key), any -> new Expected()).rules.add(text(rule));
                String[] parts = text(key).split("\0", 4);
                if (parts.length > 2) {
                    String sender = parts[0] + "\0" + parts[1];
                    model.computeIfAbsent(sender, any -> new Expected()).kinds |=
                            RecipientKind.ofCode((byte) parts[2].charAt(0)).bit();
                }
                byte[] padded = new byte[key.length + 3];
                System.arraycopy(key, 0, padded, 3, key.length);
                sorter.add(padded, 3, key.length, rule);
            }
            // They can be read as often as is needed.
            requireSame(model, sorter.sorted(done -> {}));
            requireSame(model, sorter.sorted(done -> {}));
            if (example.name.equals(USUAL)) {
                assertThat(counting.calls().contains(Call.CREATE)).isEqualTo(memory == LITTLE);
            }
            assertThatIllegalStateException()
                    .isThrownBy(() -> sorter.add(key("a", "b"), 0, 3, RulesCodec.PLAIN));
        }
        try (var left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    private static void requireSame(SortedMap<String, Expected> model, SortedEntries sorted)
            throws IOException {
        for (Map.Entry<String, Expected> expected : model.entrySet()) {
            String wanted =
                    expected.getKey() + expected.getValue().kinds + expected.getValue().rules;
            SortedEntries.Encoded entry = Objects.requireNonNull(sorted.next());
            List<String> rules = entry.rules().stream().map(EntrySorterTest::text).toList();
            String found = text(entry.key()) + entry.kinds() + rules;
            // Not an assertion for each of them, which would take most of the time.
            if (!found.equals(wanted)) {
                throw new AssertionError(found + " in place of " + wanted);
            }
        }
        assertThat(sorted.next()).isNull();
    }

    /** A small list takes little memory, however much it may take. */
    @Test
    void shouldTakeLittleMemoryForFewEntries() throws IOException {
        long allocated = Long.MAX_VALUE;
        // Classes are loaded the first time.
        for (int time = 0; time < 2; time++) {
            long before = AllocatedBytes.now();
            try (EntrySorter sorter = new EntrySorter(2L << 30, new Scratch(Disk.LOCAL, folder))) {
                byte[] key = key("a", "b.example");
                sorter.add(key, 0, key.length, RulesCodec.PLAIN);
                assertThat(sorter.sorted(done -> {}).next()).isNotNull();
            }
            allocated = AllocatedBytes.now() - before;
        }
        assertThat(allocated).isLessThan(1 << 20);
    }
}
