package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.StoreFile.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.tools.Builds;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Tests what is said when blocks are not as they were written, and who may ask at once. */
class BlockStoreTest {
    private static final int BLOCK = BlockStore.BLOCK;

    private static SortedMap<Key, Boolean> ofManyBlocks(int count) {
        SortedMap<Key, Boolean> entries = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            entries.put(key("user" + 7919 * i % 100_000, "example.com"), i % 4 == 0);
        }
        return entries;
    }

    private static StoreFile write(Path path, SortedMap<Key, Boolean> entries, String... domains)
            throws IOException {
        SortedMap<String, byte[]> encoded = new TreeMap<>();
        entries.forEach(
                (key, denied) ->
                        encoded.put(
                                new String(key.bytes(), UTF_8),
                                RulesCodec.encode(denied ? Rule.DENIES : Rule.LISTS)));
        return StoreFile.write(
                path, encoded, Stream.of(domains).map(domain -> domain.getBytes(UTF_8)).toList());
    }

    /** Ranks on both sides of each change of their length, and one domain without. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64, 65, 3_392, 3_393, 26_688, 26_689, 550_976})
    void findShouldKnowDomainsOfEveryRank(int size, @TempDir Path folder) throws IOException {
        List<byte[]> domains = IntStream.range(0, size).mapToObj(BlockStoreTest::domain).toList();
        SortedMap<String, byte[]> entries = new TreeMap<>();
        for (int rank :
                new int[] {
                    0, 1, 63, 64, 319, 320, 3_391, 3_392, 26_687, 26_688, 92_223, 92_224, 550_975,
                    550_976
                }) {
            // The rank after the last one stands for a domain that is not in the dictionary.
            if (rank <= size) {
                String key = "u" + rank % 3 + "\0" + new String(domain(rank), UTF_8);
                entries.put(key, RulesCodec.PLAIN);
                entries.put(key + "\0\1" + key, RulesCodec.PLAIN);
            }
        }
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains);
        try (StoreFile.Opened opened = file.open()) {
            BlockStore store = opened.store();
            List<String> visited = new ArrayList<>();
            for (Entry entry : Builds.entries(store)) {
                visited.add(new String(SortKey.of(entry.key(), entry.to()), UTF_8));
                assertThat(store.find(entry.key(), entry.to())).isEqualTo(entry);
                byte[] key = entry.key().bytes();
                byte[] other = Arrays.copyOfRange(key, entry.key().domainStart(), key.length);
                assertThat(store.find(Key.of(new byte[] {'u', '3'}, other), null)).isNull();
            }
            assertThat(visited).containsExactlyElementsOf(entries.keySet());
        }
    }

    /** Rules with and without a rank, of all lengths, and names on both sides of half a byte. */
    @Test
    void findShouldKnowEveryFormAndLengthOfName(@TempDir Path folder) throws IOException {
        SortedMap<String, byte[]> entries = new TreeMap<>();
        for (int i = 0; i < 600; i++) {
            Rule noted = new Rule(false, null, null, null, Origin.ADMIN, "n".repeat(i % 60) + i);
            String key = "x".repeat(i % 35) + i + "\0example.com";
            entries.put(key, RulesCodec.encode(noted));
            entries.put(
                    key + "\0\1" + "y".repeat(1 + i % 33) + "\0here.example",
                    RulesCodec.encode(noted));
        }
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, List.of());
        try (StoreFile.Opened opened = file.open()) {
            List<String> found = new ArrayList<>();
            for (Entry entry : Builds.entries(opened.store())) {
                String key = new String(SortKey.of(entry.key(), entry.to()), UTF_8);
                found.add(key);
                assertThat(RulesCodec.encode(entry.rules().getFirst())).isEqualTo(entries.get(key));
                assertThat(opened.store().find(entry.key(), entry.to())).isEqualTo(entry);
                byte[] longer = ("x" + key.substring(0, key.indexOf(0))).getBytes(UTF_8);
                assertThat(opened.store().find(Key.of(longer, new byte[] {'o'}), null)).isNull();
            }
            assertThat(found).containsExactlyElementsOf(entries.keySet());
        }
    }

    private static byte[] domain(int rank) {
        return Integer.toString(rank, 36).getBytes(UTF_8);
    }

    @Test
    void shouldRefuseKeysOutOfOrderOrTwice() throws IOException {
        BlockWriter writer = new BlockWriter(OutputStream.nullOutputStream());
        writer.append("b\0e.org".getBytes(UTF_8), RulesCodec.PLAIN);
        for (String key : List.of("b\0e.org", "a\0e.org", "b\0e.or")) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> writer.append(key.getBytes(UTF_8), RulesCodec.PLAIN));
        }
    }

    @Test
    void shouldNoticeAFileCutShortAndAnswerFromWhatIsLeft(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = ofManyBlocks(10_000);
        StoreFile file = write(folder.resolve("store"), entries, "example.com");
        assertThat(file.blockCount()).isGreaterThan(5);
        try (StoreFile.Opened opened = file.open();
                RandomAccessFile disk = new RandomAccessFile(file.path().toFile(), "rw")) {
            BlockStore store = opened.store();
            long end = disk.length();
            for (long length = end - 1; length > end - 3L * BLOCK; length -= 500) {
                disk.setLength(length);
                assertThatThrownBy(() -> store.find(entries.lastKey(), null))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("block " + (file.blockCount() - 1));
                assertThat(store.find(entries.firstKey(), null)).isNotNull();
            }
            assertThatThrownBy(() -> Builds.entries(store)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldNoticeBlocksThatChangedPlacesOrAreOfAnotherSnapshot(@TempDir Path folder)
            throws IOException {
        SortedMap<Key, Boolean> entries = ofManyBlocks(10_000);
        StoreFile file = write(folder.resolve("store"), entries, "example.com");
        byte[] swapped = Files.readAllBytes(file.path());
        System.arraycopy(file.blocks(), 0, swapped, StoreFile.START + BLOCK, BLOCK);
        System.arraycopy(file.blocks(), BLOCK, swapped, StoreFile.START, BLOCK);
        StoreFile other = write(folder.resolve("other"), ofManyBlocks(9_000));
        try (StoreFile.Opened opened = file.open();
                StoreFile.Opened mixed = file.openWithIndexOf(other)) {
            Files.write(file.path(), swapped);
            for (BlockStore store : List.of(opened.store(), mixed.store())) {
                assertThatThrownBy(() -> store.find(entries.firstKey(), null))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("block 0 of its exact store has a wrong checksum");
                assertThatThrownBy(() -> Builds.entries(store)).isInstanceOf(IOException.class);
            }
            assertThat(opened.store().find(entries.lastKey(), null)).isNotNull();
        }
    }

    @Test
    void shouldAnswerManyThreadsAtOnceAlsoInterruptedOnes(@TempDir Path folder) throws Exception {
        int threads = 40;
        SortedMap<Key, Boolean> entries = ofManyBlocks(20_000);
        List<Key> keys = new ArrayList<>(entries.keySet());
        StoreFile file = write(folder.resolve("store"), entries, "example.com");
        CyclicBarrier start = new CyclicBarrier(threads);
        try (StoreFile.Opened opened = file.open();
                ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Callable<Integer>> askers = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                SplittableRandom random = new SplittableRandom(thread);
                boolean interrupted = thread % 4 == 0;
                askers.add(
                        () -> {
                            start.await();
                            int wrong = 0;
                            for (int i = 0; i < 5000; i++) {
                                if (interrupted) {
                                    Thread.currentThread().interrupt();
                                }
                                Key key = keys.get(random.nextInt(keys.size()));
                                Entry right =
                                        new Entry(
                                                key,
                                                null,
                                                List.of(
                                                        entries.getOrDefault(key, false)
                                                                ? Rule.DENIES
                                                                : Rule.LISTS));
                                Key stranger = key(i + "nobody", "example.com");
                                wrong += right.equals(opened.store().find(key, null)) ? 0 : 1;
                                wrong += opened.store().find(stranger, null) == null ? 0 : 1;
                            }
                            return wrong;
                        });
            }
            for (Future<Integer> asker : pool.invokeAll(askers)) {
                assertThat(asker.get()).isZero();
            }
        }
    }

    @Test
    void shouldSayWhatCannotBeReadWhenClosed(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = ofManyBlocks(10);
        StoreFile file = write(folder.resolve("store"), entries, "example.com");
        StoreFile.Opened opened = file.open();
        opened.close();
        assertThatThrownBy(() -> opened.store().find(entries.firstKey(), null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.path() + ": block 0 of its exact store cannot be read")
                .hasMessageContaining("closed");
    }
}
