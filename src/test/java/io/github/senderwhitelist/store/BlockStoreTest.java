package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.StoreFile.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
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
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/** Compares the store with a TreeMap of the same entries. */
class BlockStoreTest {
    private static final int BLOCK = BlockStore.BLOCK;

    /** Local parts of two letters, many of which are prefixes of others, in one block. */
    private static SortedMap<Key, Boolean> dense(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        SortedMap<Key, Boolean> entries = new TreeMap<>();
        for (int i = 0; i < 60; i++) {
            String local = Integer.toBinaryString(random.nextInt(1, 1 << 9));
            entries.put(key(local, "d" + random.nextInt(5) + ".org"), random.nextInt(4) == 0);
        }
        return entries;
    }

    private static SortedMap<Key, Boolean> ofManyBlocks(int count) {
        SortedMap<Key, Boolean> entries = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            entries.put(key("user" + 7919 * i % 100_000, "example.com"), i % 4 == 0);
        }
        return entries;
    }

    private static StoreFile write(Path folder, SortedMap<Key, Boolean> entries)
            throws IOException {
        return StoreFile.write(
                folder.resolve("store"),
                entries,
                List.of("example.com".getBytes(UTF_8), "d1.org".getBytes(UTF_8)));
    }

    private static void assertSame(BlockStore store, SortedMap<Key, Boolean> entries)
            throws IOException {
        List<Entry> expected = new ArrayList<>();
        entries.forEach((key, denied) -> expected.add(new Entry(key, denied)));
        assertThat(Builds.entries(store)).isEqualTo(expected);
        for (Entry entry : expected) {
            assertThat(store.find(entry.key())).isEqualTo(entry);
        }
    }

    /** Ranks on both sides of each change of their length, and one domain without. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64, 65, 3_392, 3_393, 27_712, 27_713, 289_856})
    void findShouldKnowDomainsOfEveryRank(int size, @TempDir Path folder) throws IOException {
        List<byte[]> domains = IntStream.range(0, size).mapToObj(BlockStoreTest::domain).toList();
        SortedMap<String, byte[]> entries = new TreeMap<>();
        for (int rank :
                new int[] {
                    0, 1, 63, 64, 319, 320, 3_391, 3_392, 27_711, 27_712, 93_247, 93_248, 289_855,
                    289_856
                }) {
            // The rank after the last one stands for a domain that is not in the dictionary.
            if (rank <= size) {
                String key = "u" + rank % 3 + "\0" + new String(domain(rank), UTF_8);
                entries.put(key, RulesCodec.PLAIN);
                entries.put(key + "\0\1" + key, RulesCodec.PLAIN);
            }
        }
        StoreFile file = StoreFile.writeEncoded(folder.resolve("store"), entries, domains);
        try (StoreFile.Opened opened = file.open()) {
            BlockStore store = opened.store();
            List<String> visited = new ArrayList<>();
            for (Entry entry : Builds.entries(store)) {
                visited.add(new String(SortKey.of(entry.key(), entry.to()), UTF_8));
                assertThat(store.find(entry.key(), entry.to())).isEqualTo(entry);
                byte[] key = entry.key().bytes();
                byte[] other = Arrays.copyOfRange(key, entry.key().domainStart(), key.length);
                assertThat(store.find(Key.of(new byte[] {'u', '3'}, other))).isNull();
            }
            assertThat(visited).containsExactlyElementsOf(entries.keySet());
        }
    }

    private static byte[] domain(int rank) {
        return Integer.toString(rank, 36).getBytes(UTF_8);
    }

    /** Pins the format of the blocks, byte by byte. */
    @Test
    void shouldKeepItsFormat(@TempDir Path folder) throws IOException {
        SortedMap<String, byte[]> entries = new TreeMap<>();
        String sender = "noreply\0example.com";
        entries.put("\0.example.com", RulesCodec.PLAIN);
        entries.put("alice\0example.com", RulesCodec.PLAIN);
        entries.put("alicia\0example.com", RulesCodec.encode(Rule.DENIES));
        entries.put("averyveryveryverylonglocalpart\0a.org", RulesCodec.PLAIN);
        entries.put("averyveryveryverylonglocalpart+1\0b.org", RulesCodec.PLAIN);
        entries.put(sender, RulesCodec.onlyKind(RecipientKind.ADDRESS));
        entries.put(sender + "\0\1sam\0b.org", RulesCodec.PLAIN);
        entries.put(sender + "\0\1samuel\0b.org", RulesCodec.PLAIN);
        entries.put(sender + "\0\2\0b.org", RulesCodec.encode(Rule.DENIES));
        StoreFile file =
                StoreFile.writeEncoded(
                        folder.resolve("store"),
                        entries,
                        List.of("example.com".getBytes(UTF_8), "b.org".getBytes(UTF_8)));
        byte[] written = file.blocks();
        String expected =
                ("00b0" + "0c" + hex(".example.com"))
                        + ("0500" + hex("alice"))
                        + ("42fe0200" + hex("ia"))
                        + ("1fb0" + "05" + hex("a.org") + "1d")
                        + hex("veryveryveryverylonglocalpart")
                        + ("f2011e" + hex("+1"))
                        + ("07feff" + "0400" + "00070109" + "00" + hex("noreply"))
                        + ("03b2" + hex("sam"))
                        + ("33b2" + hex("uel"))
                        + "00fe0301";
        assertThat(HexFormat.of().formatHex(written, 0, expected.length() / 2)).isEqualTo(expected);
        assertThat(Arrays.copyOfRange(written, expected.length() / 2, BLOCK - 2)).containsOnly(0);
        assertThat(HexFormat.of().formatHex(written, BLOCK - 2, BLOCK))
                .isEqualTo(HexFormat.of().toHexDigits((byte) (expected.length() / 2)) + "00");
        CRC32C crc = new CRC32C();
        crc.update(written);
        assertThat(ByteBuffer.wrap(file.index()).order(LITTLE_ENDIAN).getInt())
                .isEqualTo((int) crc.getValue());
        assertThat(HexFormat.of().formatHex(file.index(), 4, file.index().length))
                .isEqualTo("0000");
        assertThat(HexFormat.of().formatHex(file.ranks()))
                .isEqualTo(
                        ("02000000" + "0b" + hex("example.com") + "05" + hex("b.org"))
                                + ("04000000" + "0100" + "0101" + "03000100" + "03020100"));
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(UTF_8));
    }

    @Test
    void shouldRefuseKeysOutOfOrderOrTwice() throws IOException {
        Ranks none = Ranks.of(List.of());
        BlockWriter writer = new BlockWriter(OutputStream.nullOutputStream(), none, none);
        writer.append("b\0e.org".getBytes(UTF_8), RulesCodec.PLAIN);
        for (String key : List.of("b\0e.org", "a\0e.org", "b\0e.or")) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> writer.append(key.getBytes(UTF_8), RulesCodec.PLAIN));
        }
    }

    @Test
    void shouldNoticeEveryFlippedBit(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = dense(1);
        StoreFile file = write(folder, entries);
        assertThat(file.blockCount()).isEqualTo(1);
        Key listed = entries.firstKey();
        Key stranger = key("nobody", "nowhere.org");
        try (StoreFile.Opened opened = file.open();
                RandomAccessFile disk = new RandomAccessFile(file.path().toFile(), "rw")) {
            BlockStore store = opened.store();
            for (int bit = 0; bit < BLOCK * 8; bit++) {
                flip(disk, StoreFile.START + bit / 8, bit % 8);
                Key key = bit % 2 == 0 ? listed : stranger;
                assertDamaged(store, key);
                flip(disk, StoreFile.START + bit / 8, bit % 8);
            }
            assertSame(store, entries);
        }
    }

    private static void assertDamaged(BlockStore store, Key key) {
        try {
            Entry found = store.find(key);
            throw new AssertionError("answered from a damaged block: " + found);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("block 0").hasMessageContaining("store");
        }
    }

    private static void flip(RandomAccessFile disk, long at, int bit) throws IOException {
        disk.seek(at);
        int value = disk.read();
        disk.seek(at);
        disk.write(value ^ 1 << bit);
    }

    @Test
    void shouldNoticeAFileCutShortAndAnswerFromWhatIsLeft(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = ofManyBlocks(10_000);
        StoreFile file = write(folder, entries);
        assertThat(file.blockCount()).isGreaterThan(5);
        try (StoreFile.Opened opened = file.open();
                RandomAccessFile disk = new RandomAccessFile(file.path().toFile(), "rw")) {
            BlockStore store = opened.store();
            long end = disk.length();
            for (long length = end - 1; length > end - 3L * BLOCK; length -= 500) {
                disk.setLength(length);
                assertThatThrownBy(() -> store.find(entries.lastKey()))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("block " + (file.blockCount() - 1));
                assertThat(store.find(entries.firstKey())).isNotNull();
            }
            assertThatThrownBy(() -> Builds.entries(store)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldNoticeBlocksThatChangedPlaces(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = ofManyBlocks(10_000);
        StoreFile file = write(folder, entries);
        try (StoreFile.Opened opened = file.open();
                RandomAccessFile disk = new RandomAccessFile(file.path().toFile(), "rw")) {
            BlockStore store = opened.store();
            disk.seek(StoreFile.START);
            disk.write(file.blocks(), BLOCK, BLOCK);
            disk.write(file.blocks(), 0, BLOCK);
            assertThatThrownBy(() -> store.find(entries.firstKey()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("checksum");
            assertThat(store.find(entries.lastKey())).isNotNull();
        }
    }

    @Test
    void shouldNoticeBlocksOfAnotherSnapshot(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = dense(1);
        StoreFile file = write(folder, entries);
        StoreFile other = StoreFile.write(folder.resolve("other"), dense(2), List.of());
        try (StoreFile.Opened opened = file.openWithIndexOf(other)) {
            BlockStore store = opened.store();
            assertThatThrownBy(() -> store.find(entries.firstKey()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("checksum");
            assertThatThrownBy(() -> Builds.entries(store)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldAnswerManyThreadsAtOnceAlsoInterruptedOnes(@TempDir Path folder) throws Exception {
        int threads = 40;
        SortedMap<Key, Boolean> entries = ofManyBlocks(20_000);
        Map<Key, Boolean> model = new HashMap<>(entries);
        List<Key> keys = new ArrayList<>(entries.keySet());
        StoreFile file = write(folder, entries);
        CyclicBarrier start = new CyclicBarrier(threads);
        try (StoreFile.Opened opened = file.open();
                ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            BlockStore store = opened.store();
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
                                Entry found = store.find(key);
                                Entry other = store.find(key(i + "nobody", "example.com"));
                                boolean right =
                                        other == null
                                                && found != null
                                                && found.key().equals(key)
                                                && Boolean.valueOf(found.denied())
                                                        .equals(model.get(key));
                                wrong += right ? 0 : 1;
                            }
                            return wrong;
                        });
            }
            for (Future<Integer> asker : pool.invokeAll(askers)) {
                assertThat(asker.get()).isZero();
            }
        }
    }

    /** An open store keeps its file when another one is renamed into its place. */
    @Test
    void shouldStayOnItsFile(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = dense(1);
        StoreFile file = write(folder, entries);
        try (StoreFile.Opened opened = file.open()) {
            BlockStore store = opened.store();
            StoreFile other =
                    StoreFile.write(
                            folder.resolve("other"),
                            new TreeMap<>(Map.of(key("x", "y"), true)),
                            List.of());
            Files.move(other.path(), file.path(), StandardCopyOption.REPLACE_EXISTING);
            assertSame(store, entries);
        }
    }

    @Test
    void shouldGoOnInMemoryWhateverHappensToTheFile(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = ofManyBlocks(10_000);
        StoreFile file = write(folder, entries);
        BlockStore copy;
        try (StoreFile.Opened opened = file.open()) {
            copy = opened.store().inMemory();
        }
        assertSame(copy, entries);
    }

    @Test
    void shouldNotTakeADamagedBlockIntoMemory(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = ofManyBlocks(10_000);
        StoreFile file = write(folder, entries);
        try (StoreFile.Opened opened = file.open();
                RandomAccessFile disk = new RandomAccessFile(file.path().toFile(), "rw")) {
            int last = file.blockCount() - 1;
            flip(disk, StoreFile.START + (long) last * BLOCK + 5, 1);
            String message =
                    file.path()
                            + ": block "
                            + last
                            + " of its exact store has a wrong checksum: damaged or overwritten"
                            + " since it was opened";
            assertThatThrownBy(() -> opened.store().inMemory()).hasMessage(message);
            assertThatThrownBy(() -> opened.store().verify()).hasMessage(message);
        }
    }

    @Test
    void shouldSayWhatCannotBeReadWhenClosed(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = dense(1);
        StoreFile file = write(folder, entries);
        StoreFile.Opened opened = file.open();
        opened.close();
        assertThatThrownBy(() -> opened.store().find(entries.firstKey()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.path() + ": block 0 of its exact store cannot be read")
                .hasMessageContaining("closed");
    }
}
