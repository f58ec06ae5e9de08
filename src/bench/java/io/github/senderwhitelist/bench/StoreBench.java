package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Key;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Our exact store beside others: hits and misses in random order, warm, one thread. Options: n
 * (10^7), addresses, rounds (7), dir (for the files), disk (the most GB to take there, 30), only
 * (names of stores, parted by commas).
 *
 * <p>Each store is given its questions in the form it takes, made ahead. Ours is made of lines in
 * no order, the others of sorted addresses. A store that fails, or for which there is no room, is
 * reported and left out.
 */
final class StoreBench {
    private static final int QUERIES = 200_000;
    private static final String OURS = "ours";
    private static final String BARE = "bare read";

    private final int n = (int) BenchOptions.number("n", 10_000_000);
    private final int rounds = (int) BenchOptions.number("rounds", 7);
    private final RoundTimes hits = new RoundTimes(rounds);
    private final RoundTimes misses = new RoundTimes(rounds);
    private final Map<String, Store> stores = new LinkedHashMap<>();
    private final Map<String, Long> disk = new LinkedHashMap<>();
    private final Map<String, Double> made = new LinkedHashMap<>();

    /** The bytes that came from the disk, and not from memory, while a store was measured. */
    private final Map<String, Long> cold = new LinkedHashMap<>();

    private final long room = BenchOptions.number("disk", 30) * 1_000_000_000;
    private final Path folder;

    private StoreBench(Path folder) {
        this.folder = folder;
    }

    /**
     * Makes a store, unless it is not wanted or would take too much of the disk.
     *
     * @param most the most bytes on disk that an address takes while the store is made
     */
    private void make(String name, int most, SortedAddresses sorted, Store.Maker maker)
            throws IOException {
        if (!BenchOptions.wanted(name)) {
            RoundTimes.line("# %s left out by option only", name);
            return;
        }
        long taken = size(folder);
        if (taken + (long) most * n > room) {
            RoundTimes.line(
                    "# %s left out: it may take %.1f GB, %.1f of disk=%.1f are taken",
                    name, (double) most * n / 1e9, taken / 1e9, room / 1e9);
            return;
        }
        Path place = Files.createDirectory(folder.resolve(name));
        long start = System.nanoTime();
        try {
            Store store = maker.make(sorted, place);
            double seconds = (System.nanoTime() - start) / 1e9;
            stores.put(name, store);
            disk.put(name, size(place) + store.extraBytes());
            made.put(name, seconds);
            RoundTimes.line("# %s made in %.1f s. %s", name, seconds, store.parts());
        } catch (Exception | LinkageError e) {
            RoundTimes.line("# %s does not work here: %s", name, e);
        }
    }

    /** Returns the total length of the files in a folder. */
    private static long size(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            long bytes = 0;
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes += Files.size(file);
            }
            return bytes;
        }
    }

    private void run() throws Exception {
        makeAll();
        SplittableRandom random = new SplittableRandom(1);
        for (int round = -2; round < rounds; round++) {
            Store.Queries members = queries(random.longs(QUERIES, 0, n).toArray());
            Store.Queries strangers = queries(random.longs(QUERIES, n, 2L * n).toArray());
            measure(members, QUERIES, hits, round);
            measure(strangers, 0, misses, round);
        }
        print();
        for (Store store : stores.values()) {
            store.close();
        }
    }

    private void makeAll() throws IOException {
        SortedAddresses sorted = SortedAddresses.make(n, folder);
        make(OURS, 60, sorted, (list, place) -> new Store.Ours(list, place, false, 0));
        Path snapshot = folder.resolve(OURS).resolve("ours.swl");
        make(BARE, 0, sorted, (list, place) -> new Store.BareRead(snapshot));
        make(
                "ours-memory",
                60,
                sorted,
                (list, place) -> new Store.Ours(list, place, false, Long.MAX_VALUE));
        make("ours-filter", 60, sorted, (list, place) -> new Store.Ours(list, place, true, 0));
        make("sparkey", 60, sorted, Store.OfSparkey::new);
        make("rocksdb", 50, sorted, (list, place) -> new Store.OfRocksDb(list, place, false));
        make("rocksdb-bloom", 50, sorted, (list, place) -> new Store.OfRocksDb(list, place, true));
        make("lmdb", 50, sorted, Store.OfLmdb::new);
        make("mvstore", 50, sorted, Store.OfMvStore::new);
        make("sqlite", 50, sorted, Store.OfSqlite::new);
        make("text", 0, sorted, Store.SortedText::new);
    }

    private static Store.Queries queries(long[] numbers) {
        Addresses addresses = Addresses.of(numbers);
        ByteBuffer direct = ByteBuffer.allocateDirect(addresses.bytes.length);
        direct.put(addresses.bytes);
        Key[] keys = new Key[numbers.length];
        byte[][] bytes = new byte[numbers.length][];
        ByteBuffer[] buffers = new ByteBuffer[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            bytes[i] = addresses.copy(i);
            int at = 0;
            while (bytes[i][at] != '@') {
                at++;
            }
            keys[i] =
                    Key.of(
                            Arrays.copyOf(bytes[i], at),
                            Arrays.copyOfRange(bytes[i], at + 1, bytes[i].length));
            buffers[i] = direct.slice(addresses.offsets[i], addresses.length(i));
        }
        return new Store.Queries(keys, bytes, buffers);
    }

    private void measure(Store.Queries queries, int expected, RoundTimes times, int round)
            throws Exception {
        for (String name :
                RoundTimes.rotated(List.copyOf(stores.keySet()), Math.floorMod(round, 1000))) {
            Store store = stores.get(name);
            if (store == null) {
                continue;
            }
            long readBefore = readFromDisk();
            long start = System.nanoTime();
            int count = store.count(queries);
            long time = System.nanoTime() - start;
            if (count != (name.equals(BARE) ? QUERIES : expected)) {
                throw new IllegalStateException(name + " found " + count + " of " + expected);
            }
            if (round >= 0) {
                times.put(name, round, time / (double) QUERIES);
                cold.merge(name, readFromDisk() - readBefore, Long::sum);
            }
        }
    }

    /** Returns the bytes that this process has read from the disk, pages of mapped files, too. */
    private static long readFromDisk() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/io"))) {
            return lines.filter(line -> line.startsWith("read_bytes: "))
                    .mapToLong(line -> Long.parseLong(line.substring(12)))
                    .sum();
        }
    }

    private void print() throws Exception {
        RoundTimes.line("n = %d, %d rounds of %d hits and as many misses", n, rounds, QUERIES);
        RoundTimes.line(
                "%-14s %9s %9s %9s %9s %9s %11s %12s %8s",
                "store",
                "hit ns",
                "ours/it",
                "miss ns",
                "ours/it",
                "B/address",
                "made us/1",
                "memory MB",
                "cold MB");
        for (Map.Entry<String, Store> entry : stores.entrySet()) {
            String name = entry.getKey();
            boolean comparable = hits.has(OURS);
            long memory = entry.getValue().memory();
            RoundTimes.line(
                    "%-14s %9.0f %9.3f %9.0f %9.3f %9.3f %11.2f %12s %8.1f",
                    name,
                    hits.median(name),
                    comparable ? hits.ratio(OURS, name) : Double.NaN,
                    misses.median(name),
                    comparable ? misses.ratio(OURS, name) : Double.NaN,
                    disk.getOrDefault(name, 0L) / (double) n,
                    made.getOrDefault(name, Double.NaN) * 1e6 / n,
                    memory < 0 ? "untold" : String.format(Locale.ROOT, "%.1f", memory / 1e6),
                    cold.getOrDefault(name, 0L) / 1e6);
        }
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        BenchOptions.inFolder(folder -> new StoreBench(folder).run());
    }
}
