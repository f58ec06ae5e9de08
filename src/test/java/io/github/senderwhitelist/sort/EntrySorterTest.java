package io.github.senderwhitelist.sort;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.tools.AllocatedBytes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

    static List<Case> cases() {
        return List.of(
                new Case("none", List.of()),
                new Case("one", List.of(key("a", "b.example"))),
                randomCase("few letters", 20_000, "ab", 20),
                randomCase(USUAL, 250_000, "abcdefghijklmnopqrstuvwxyz0123456789._-+", 14),
                randomCase("any characters", 40_000, "a!#$%&'*?^{|}~/\u00e9\u4e00 \"\\", 9),
                randomCase("long", 30_000, "az", 250),
                randomCase("same again", 50_000, "a", 3));
    }

    @Test
    void shouldGiveEachKeyOnceInOrderWithAllItsRules() throws IOException {
        for (Case example : cases()) {
            for (long memory : new long[] {LITTLE, MUCH}) {
                for (int workers : new int[] {1, 3}) {
                    shouldSort(example, memory, workers);
                }
            }
        }
    }

    /** Joins rules as the format does: attribute 0 without bytes stands between them. */
    private static byte[] joined(Set<byte[]> rules) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int left = rules.size();
        for (byte[] rule : rules) {
            out.writeBytes(rule);
            out.writeBytes(--left > 0 ? new byte[2] : new byte[0]);
        }
        return out.toByteArray();
    }

    /** Requires that entries whose domains have the same number have the same domain. */
    private static final class Numbers {
        private final Map<Integer, byte[]> domains = new HashMap<>();
        int without;

        void add(SortedEntry entry) {
            byte[] key = entry.key();
            int from = SortKey.localLength(key, 0) + 1;
            if (entry.domain() < 0) {
                without++;
                return;
            }
            byte[] domain =
                    domains.computeIfAbsent(
                            entry.domain(),
                            any -> Arrays.copyOfRange(key, from, entry.keyLength()));
            if (!Arrays.equals(key, from, entry.keyLength(), domain, 0, domain.length)) {
                throw new AssertionError(
                        entry.domain() + " is the number of " + new String(domain, UTF_8));
            }
        }
    }

    private void shouldSort(Case example, long memory, int workers) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        TreeMap<byte[], TreeSet<byte[]>> model = new TreeMap<>(Arrays::compareUnsigned);
        Path temporary = Files.createTempDirectory(folder, "sort");
        try (EntrySorter sorter =
                new EntrySorter(memory, workers, new Scratch(Disk.LOCAL, temporary))) {
            for (byte[] key : example.keys) {
                byte[] rules = RULES.get(Math.max(0, random.nextInt(8) - 4));
                model.computeIfAbsent(key, any -> new TreeSet<>(Arrays::compareUnsigned))
                        .add(rules);
                byte[] padded = new byte[key.length + 3];
                System.arraycopy(key, 0, padded, 3, key.length);
                sorter.workers()
                        .get(random.nextInt(sorter.workers().size()))
                        .add(padded, 3, key.length, rules);
            }
            assertThat(sorter.entries()).isGreaterThanOrEqualTo(model.size());
            DistinctEntries sorted = new DistinctEntries(sorter.sorted());
            Numbers numbers = new Numbers();
            for (Map.Entry<byte[], TreeSet<byte[]>> expected : model.entrySet()) {
                SortedEntry entry = Objects.requireNonNull(sorted.next());
                numbers.add(entry);
                // Not an assertion for each of them, which would take most of the time.
                byte[] key = Arrays.copyOf(entry.key(), entry.keyLength());
                if (!Arrays.equals(key, expected.getKey())
                        || !Arrays.equals(entry.rules(), joined(expected.getValue()))) {
                    assertThat(key).as(example.name).isEqualTo(expected.getKey());
                    assertThat(entry.rules()).isEqualTo(joined(expected.getValue()));
                }
            }
            assertThat(sorted.next()).isNull();
            if (example.name.equals(USUAL)) {
                assertThat(sorter.temporaryBytes() > 0).isEqualTo(memory == LITTLE);
            }
            assertThat(sorter.entries() - sorted.duplicates()).isEqualTo(model.size());
            assertThat(numbers.without).isLessThanOrEqualTo(model.size() / 10);
        }
        try (var left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    /** A small list takes little memory, however much it may take. */
    @Test
    void shouldTakeLittleMemoryForFewEntries() throws IOException {
        long before = AllocatedBytes.now();
        try (EntrySorter sorter = new EntrySorter(2L << 30, 2, new Scratch(Disk.LOCAL, folder))) {
            byte[] key = key("a", "b.example");
            sorter.workers().getFirst().add(key, 0, key.length, RulesCodec.PLAIN);
            assertThat(sorter.commonDomains(100)).isEmpty();
            assertThat(sorter.sorted().next()).isNotNull();
        }
        assertThat(AllocatedBytes.now() - before).isLessThan(1 << 20);
    }

    @Test
    void shouldTakeNoFileWhenThereIsRoom() throws IOException {
        Path missing = folder.resolve("missing");
        try (EntrySorter sorter = new EntrySorter(MUCH, 2, new Scratch(Disk.LOCAL, missing))) {
            for (int i = 0; i < 100_000; i++) {
                byte[] key = key("user" + i, "d" + i / 4 + ".example");
                sorter.workers().get(i & 1).add(key, 0, key.length, RulesCodec.PLAIN);
            }
            assertThat(sorter.commonDomains(100_000)).hasSize(25_000);
            SortedEntries sorted = sorter.sorted();
            for (int i = 0; i < 100_000; i++) {
                assertThat(sorted.next()).isNotNull();
            }
            assertThat(sorted.next()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldChooseTheCommonestDomainsHoweverTheyWereCounted(int workers) throws IOException {
        Map<String, Long> counts = new HashMap<>();
        SplittableRandom random = new SplittableRandom(7);
        try (EntrySorter sorter =
                new EntrySorter(LITTLE, workers, new Scratch(Disk.LOCAL, folder))) {
            for (int i = 0; i < 150_000; i++) {
                String domain = "d" + (int) Math.exp(random.nextDouble() * 10.5) + ".example";
                counts.merge(domain, 1L, Long::sum);
                byte[] key = key("u" + i, domain);
                sorter.workers()
                        .get(i % sorter.workers().size())
                        .add(key, 0, key.length, RulesCodec.PLAIN);
            }
            List<String> expected =
                    counts.entrySet().stream()
                            .filter(entry -> entry.getValue() > 1)
                            .sorted(
                                    Map.Entry.<String, Long>comparingByValue()
                                            .reversed()
                                            .thenComparing(Map.Entry.comparingByKey()))
                            .map(Map.Entry::getKey)
                            .toList();
            List<String> chosen =
                    sorter.commonDomains(1 << 20).stream().map(d -> new String(d, UTF_8)).toList();

            assertThat(chosen).isEqualTo(expected);
            assertThat(sorter.commonDomains(100)).hasSizeBetween(50, 100);
            assertThat(sorter.commonDomains(100).stream().map(d -> new String(d, UTF_8)))
                    .isSubsetOf(expected.subList(0, 100));
        }
    }

    @Test
    void shouldPassOnAFailureOfWhatIsFetchedAhead() throws IOException {
        SortedEntries failing =
                new SortedEntries() {
                    private final SortedEntry entry = new SortedEntry();
                    private int left = 3;

                    @Override
                    public SortedEntry next() throws IOException {
                        if (left-- == 0) {
                            throw new IOException("disk gone");
                        }
                        entry.key[0] = (byte) ('c' - left);
                        entry.keyLength = 3;
                        return entry;
                    }
                };
        try (AheadEntries ahead = new AheadEntries(failing)) {
            org.assertj.core.api.Assertions.assertThatThrownBy(
                            () -> {
                                SortedEntry entry = ahead.next();
                                while (entry != null) {
                                    assertThat(entry.keyLength()).isEqualTo(3);
                                    entry = ahead.next();
                                }
                            })
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("disk gone");
        }
    }
}
