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

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    /** Sets of keys that lead to blocks of different kinds. */
    enum Shape {
        EMPTY {
            @Override
            Key key(SplittableRandom random, int i) {
                throw new IllegalStateException();
            }
        },
        ONE_ADDRESS {
            @Override
            Key key(SplittableRandom random, int i) {
                return StoreFile.key("alice", "example.com");
            }
        },
        ONE_DOMAIN_ENTRY {
            @Override
            Key key(SplittableRandom random, int i) {
                return StoreFile.key("", ".example.com");
            }
        },
        /** Local parts of two letters, many of which are prefixes of others. */
        DENSE {
            @Override
            Key key(SplittableRandom random, int i) {
                return StoreFile.key(
                        letters(random, "ab", 1 + random.nextInt(9)), domain(random, 5));
            }
        },
        /** One local part at so many domains that it fills several blocks. */
        ONE_LOCAL_PART {
            @Override
            Key key(SplittableRandom random, int i) {
                return StoreFile.key("info", domain(random, 5000));
            }
        },
        FEW_LOCAL_PARTS {
            @Override
            Key key(SplittableRandom random, int i) {
                String local = List.of("", "a", "aa", "info", "infoinfoinfoinfoinfo").get(i % 5);
                return StoreFile.key(local, domain(random, 700));
            }
        },
        ONE_DOMAIN {
            @Override
            Key key(SplittableRandom random, int i) {
                return StoreFile.key("user" + random.nextInt(100_000), "example.com");
            }
        },
        ALL_DOMAINS_DISTINCT {
            @Override
            Key key(SplittableRandom random, int i) {
                return StoreFile.key("u" + random.nextInt(50), "d" + i + ".example.com");
            }
        },
        /** Neighbours that differ in their last byte, so that the index needs whole keys. */
        LAST_BYTE {
            @Override
            Key key(SplittableRandom random, int i) {
                return StoreFile.key("info", Integer.toString(46_656 + i, 36));
            }
        },
        /** Local parts and domains up to the longest, so that few fit into a block. */
        LONG {
            @Override
            Key key(SplittableRandom random, int i) {
                String local =
                        "x".repeat(random.nextInt(20) * 12) + letters(random, "xy", 1 + i % 14);
                String domain = "d".repeat(1 + random.nextInt(254));
                return StoreFile.key(local, domain);
            }
        },
        /** Shared and following bytes around 15, the most that the short form can hold. */
        AROUND_FIFTEEN {
            @Override
            Key key(SplittableRandom random, int i) {
                String local = "p".repeat(12 + random.nextInt(6));
                return StoreFile.key(
                        local + letters(random, "qr", random.nextInt(20)), domain(random, 3));
            }
        },
        DOMAIN_ENTRIES {
            @Override
            Key key(SplittableRandom random, int i) {
                return StoreFile.key("", (i % 2 == 0 ? "." : "") + domain(random, 3000));
            }
        },
        /** Bytes above 127, which a signed comparison would sort first. */
        BEYOND_ASCII {
            @Override
            Key key(SplittableRandom random, int i) {
                return StoreFile.key(
                        letters(random, "a~\u00e9\u4e00\u3042\uff41", 1 + random.nextInt(4)),
                        domain(random, 20));
            }
        };

        abstract Key key(SplittableRandom random, int i);

        SortedMap<Key, Boolean> entries(int seed, int count) {
            SplittableRandom random = new SplittableRandom(seed);
            SortedMap<Key, Boolean> entries = new TreeMap<>();
            int wanted =
                    switch (this) {
                        case EMPTY -> 0;
                        case ONE_ADDRESS, ONE_DOMAIN_ENTRY -> 1;
                        default -> count;
                    };
            for (int i = 0; i < wanted; i++) {
                entries.put(key(random, i), random.nextInt(4) == 0);
            }
            return entries;
        }
    }

    private static String letters(SplittableRandom random, String alphabet, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private static String domain(SplittableRandom random, int count) {
        return "d" + random.nextInt(count) + ".org";
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void shouldHoldWhatWasWrittenAndNothingElse(Shape shape, @TempDir Path folder)
            throws IOException {
        for (int seed = 0; seed < 3; seed++) {
            SortedMap<Key, Boolean> entries = shape.entries(seed, seed == 0 ? 40 : 3000);
            // No domains in the dictionary, some, all.
            for (int share : new int[] {0, 2, 1}) {
                List<byte[]> domains = domains(entries, share);
                StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains);
                try (StoreFile.Opened opened = file.open()) {
                    BlockStore store = opened.store();
                    assertSame(store, entries);
                }
            }
        }
    }

    /** Asks the store of one set for the keys of another. */
    @Test
    void shouldAnswerRandomQuestionsLikeATreeMap(@TempDir Path folder) throws IOException {
        for (int seed = 0; seed < 300; seed++) {
            Shape shape = Shape.values()[3 + seed % (Shape.values().length - 3)];
            SortedMap<Key, Boolean> entries = shape.entries(seed, 1 + seed);
            List<byte[]> domains = domains(entries, 1 + seed % 3);
            StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains);
            try (StoreFile.Opened opened = file.open()) {
                BlockStore store = opened.store();
                for (Key key : shape.entries(seed + 1_000_000, 300).keySet()) {
                    assertThat(store.find(key)).isEqualTo(expected(entries, key));
                }
            }
        }
    }

    private static void assertSame(BlockStore store, SortedMap<Key, Boolean> entries)
            throws IOException {
        List<Entry> visited = new ArrayList<>();
        store.forEach(visited::add);
        assertThat(visited)
                .isEqualTo(
                        entries.entrySet().stream()
                                .map(e -> new Entry(e.getKey(), e.getValue()))
                                .toList());
        for (Key key : entries.keySet()) {
            assertThat(store.find(key)).isEqualTo(expected(entries, key));
            for (Key neighbour : neighbours(key)) {
                Entry found = store.find(neighbour);
                if (!Objects.equals(found, expected(entries, neighbour))) {
                    throw new AssertionError(neighbour + " beside " + key + ": found " + found);
                }
            }
        }
        for (Key stranger :
                List.of(key("", "a"), key("\uffff", "z"), key("a", "a"), key("zzzz", "zz"))) {
            assertThat(store.find(stranger)).isEqualTo(expected(entries, stranger));
        }
    }

    private static @Nullable Entry expected(SortedMap<Key, Boolean> entries, Key key) {
        Boolean denied = entries.get(key);
        return denied == null ? null : new Entry(key, denied);
    }

    /** Asks for keys with a byte more, a byte less, or another byte in local part or domain. */
    private static List<Key> neighbours(Key key) {
        byte[] local = Arrays.copyOf(key.bytes(), key.localLength());
        byte[] domain = Arrays.copyOfRange(key.bytes(), key.domainStart(), key.bytes().length);
        List<Key> neighbours = new ArrayList<>();
        for (byte[] other : neighbours(local)) {
            neighbours.add(Key.of(other, domain));
        }
        for (byte[] other : neighbours(domain)) {
            neighbours.add(Key.of(local, other));
        }
        neighbours.add(Key.of(new byte[0], domain));
        return neighbours;
    }

    private static List<byte[]> neighbours(byte[] bytes) {
        List<byte[]> neighbours = new ArrayList<>();
        byte[] more = Arrays.copyOf(bytes, bytes.length + 1);
        more[bytes.length] = 'a';
        neighbours.add(more);
        if (bytes.length > 0) {
            neighbours.add(Arrays.copyOf(bytes, bytes.length - 1));
            for (int change : new int[] {-1, 1}) {
                byte[] last = bytes.clone();
                last[last.length - 1] += (byte) change;
                neighbours.add(last);
                byte[] first = bytes.clone();
                first[0] += (byte) change;
                neighbours.add(first);
            }
        }
        return neighbours;
    }

    /** Returns every share-th of the domains of the entries; none for share 0. */
    private static List<byte[]> domains(SortedMap<Key, Boolean> entries, int share) {
        if (share == 0) {
            return List.of();
        }
        List<String> domains =
                entries.keySet().stream()
                        .map(
                                key ->
                                        new String(
                                                key.bytes(),
                                                key.domainStart(),
                                                key.bytes().length - key.domainStart(),
                                                UTF_8))
                        .distinct()
                        .sorted(Comparator.comparingInt(String::hashCode))
                        .toList();
        return IntStream.range(0, domains.size())
                .filter(i -> i % share == 0)
                .mapToObj(i -> domains.get(i).getBytes(UTF_8))
                .toList();
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
            store.forEach(
                    entry -> {
                        visited.add(new String(SortKey.of(entry.key(), entry.to()), UTF_8));
                        assertThat(store.find(entry.key(), entry.to())).isEqualTo(entry);
                        byte[] key = entry.key().bytes();
                        byte[] other =
                                Arrays.copyOfRange(key, entry.key().domainStart(), key.length);
                        assertThat(store.find(Key.of(new byte[] {'u', '3'}, other))).isNull();
                    });
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
        writer.append("b\0e.org".getBytes(UTF_8), 7, RulesCodec.PLAIN);
        for (String key : List.of("b\0e.org", "a\0e.org", "b\0e.or")) {
            assertThatIllegalStateException()
                    .isThrownBy(
                            () ->
                                    writer.append(
                                            key.getBytes(UTF_8), key.length(), RulesCodec.PLAIN));
        }
    }

    @Test
    void shouldNoticeEveryFlippedBit(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = Shape.DENSE.entries(1, 60);
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains(entries, 2));
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
        SortedMap<Key, Boolean> entries = Shape.ONE_DOMAIN.entries(2, 10_000);
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains(entries, 1));
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
            assertThatThrownBy(() -> store.forEach(entry -> {})).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldNoticeBlocksThatChangedPlaces(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = Shape.ONE_DOMAIN.entries(2, 10_000);
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains(entries, 1));
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
        SortedMap<Key, Boolean> entries = Shape.DENSE.entries(1, 60);
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains(entries, 1));
        StoreFile other =
                StoreFile.write(
                        folder.resolve("other"), Shape.DENSE.entries(2, 60), domains(entries, 1));
        try (StoreFile.Opened opened = file.openWithIndexOf(other)) {
            BlockStore store = opened.store();
            assertThatThrownBy(() -> store.find(entries.firstKey()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("checksum");
            assertThatThrownBy(() -> store.forEach(entry -> {})).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldAnswerManyThreadsAtOnceAlsoInterruptedOnes(@TempDir Path folder) throws Exception {
        int threads = 40;
        SortedMap<Key, Boolean> entries = Shape.ONE_DOMAIN.entries(2, 20_000);
        Map<Key, Boolean> model = new HashMap<>(entries);
        List<Key> keys = new ArrayList<>(entries.keySet());
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains(entries, 1));
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
        SortedMap<Key, Boolean> entries = Shape.DENSE.entries(1, 60);
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains(entries, 1));
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
        SortedMap<Key, Boolean> entries = Shape.ONE_DOMAIN.entries(2, 10_000);
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains(entries, 1));
        BlockStore copy;
        try (StoreFile.Opened opened = file.open()) {
            copy = opened.store().inMemory();
        }
        for (Key key : entries.keySet()) {
            assertThat(copy.find(key)).isEqualTo(expected(entries, key));
        }
    }

    @Test
    void shouldNotTakeADamagedBlockIntoMemory(@TempDir Path folder) throws IOException {
        SortedMap<Key, Boolean> entries = Shape.ONE_DOMAIN.entries(2, 10_000);
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains(entries, 1));
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
        SortedMap<Key, Boolean> entries = Shape.DENSE.entries(1, 60);
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, domains(entries, 1));
        StoreFile.Opened opened = file.open();
        opened.close();
        assertThatThrownBy(() -> opened.store().find(entries.firstKey()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.path() + ": block 0 of its exact store cannot be read")
                .hasMessageContaining("closed");
    }
}
