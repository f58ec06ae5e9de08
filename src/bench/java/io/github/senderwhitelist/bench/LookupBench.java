package io.github.senderwhitelist.bench;

import com.sun.management.OperatingSystemMXBean;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.store.JavaVersion;
import io.github.senderwhitelist.tools.AddressGenerator;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Exact lookups of listed addresses in a store that is mapped and in the same one read by position,
 * as Java 21 and stores too large to be mapped need it; by 1, 16 and 100 threads at once, warm.
 * Properties: n (10^7), rounds (5), each of 6 · 2 s.
 */
final class LookupBench {
    private static final String MAPPED = "mapped";
    private static final String POSITIONAL = "by position";
    private static final int[] THREADS = {1, 16, 100};
    private static final int KEYS = 1 << 16;
    private static final long MEASUREMENT = 2_000_000_000L;
    private static final double[] PERCENTILES = {50, 99, 99.9};
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final long n = Settings.number("n", 10_000_000);
    private final int rounds = (int) Settings.number("rounds", 5);
    private final Rounds figures = new Rounds(rounds);
    private final Key[] keys = new Key[KEYS];
    private final Map<String, BlockStore> stores = new LinkedHashMap<>();

    private LookupBench(Snapshot mapped, Snapshot positional) {
        AddressGenerator generator = new AddressGenerator(Addresses.DOMAINS);
        for (int i = 0; i < KEYS; i++) {
            Address address =
                    Addresses.parse(generator.address(Math.floorMod(i * 7_919_999_983L, n)));
            keys[i] = address.key();
        }
        stores.put(MAPPED, Objects.requireNonNull(mapped.store()));
        stores.put(POSITIONAL, Objects.requireNonNull(positional.store()));
    }

    private void run() throws InterruptedException, ExecutionException {
        for (int round = -1; round < rounds; round++) {
            for (int threads : THREADS) {
                for (String name : Rounds.rotated(List.copyOf(stores.keySet()), round + 1)) {
                    measure(name, threads, round);
                }
            }
        }
        List<String> rows = new ArrayList<>(List.of("lookups/s", "processor ns each"));
        for (double percentile : PERCENTILES) {
            rows.add("p" + percentile + " ns");
        }
        Rounds.line("n = %d, %d rounds", n, rounds);
        Rounds.line("%-28s %14s %14s %8s", "threads, of a lookup", MAPPED, POSITIONAL, "ratio");
        for (int threads : THREADS) {
            for (String row : rows) {
                String name = threads + " " + row;
                Rounds.line(
                        "%-28s %14.0f %14.0f %8.3f",
                        name,
                        figures.median(MAPPED + name),
                        figures.median(POSITIONAL + name),
                        figures.ratio(POSITIONAL + name, MAPPED + name));
            }
        }
    }

    private void measure(String name, int threads, int round)
            throws InterruptedException, ExecutionException {
        BlockStore store = Objects.requireNonNull(stores.get(name));
        CountDownLatch ready = new CountDownLatch(threads + 1);
        List<Future<long[]>> asked = new ArrayList<>();
        long count = 0;
        long[] all = new long[0];
        long processor;
        long start;
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < threads; i++) {
                int first = i * 611;
                asked.add(
                        pool.submit(
                                () -> {
                                    ready.countDown();
                                    ready.await();
                                    return ask(store, first);
                                }));
            }
            processor = SYSTEM.getProcessCpuTime();
            start = System.nanoTime();
            ready.countDown();
            for (Future<long[]> one : asked) {
                long[] nanos = one.get();
                count += nanos[0];
                int from = all.length;
                all = Arrays.copyOf(all, from + nanos.length - 1);
                System.arraycopy(nanos, 1, all, from, nanos.length - 1);
            }
        }
        processor = SYSTEM.getProcessCpuTime() - processor;
        long elapsed = System.nanoTime() - start;
        if (round < 0) {
            return;
        }
        String prefix = name + threads;
        figures.put(prefix + " lookups/s", round, count * 1e9 / elapsed);
        figures.put(prefix + " processor ns each", round, (double) processor / count);
        Arrays.sort(all);
        for (double percentile : PERCENTILES) {
            int at = (int) (percentile / 100 * (all.length - 1));
            figures.put(prefix + " p" + percentile + " ns", round, (double) all[at]);
        }
    }

    /** Returns how many lookups there were, and behind it the times of the last of them. */
    private long[] ask(BlockStore store, int first) throws IOException {
        long[] last = new long[KEYS / 4];
        int count = 0;
        long before = System.nanoTime();
        long end = before + MEASUREMENT;
        while (before < end) {
            if (store.find(keys[(first + count) & (KEYS - 1)]) == null) {
                throw new IllegalStateException("a listed address was not found");
            }
            long after = System.nanoTime();
            last[count++ & (last.length - 1)] = after - before;
            before = after;
        }
        int kept = Math.min(count, last.length);
        long[] result = new long[1 + kept];
        result[0] = count;
        System.arraycopy(last, 0, result, 1, kept);
        return result;
    }

    /** Runs it. */
    public static void main(String... arguments) throws Exception {
        Path folder = Settings.folder();
        Path file = folder.resolve("lookups.swl");
        try {
            GeneratedList.build(Settings.number("n", 10_000_000), 8, file);
            try (Snapshot mapped = Snapshot.open(file)) {
                System.setProperty(JavaVersion.AS_JAVA_21, "true");
                try (Snapshot positional = Snapshot.open(file)) {
                    new LookupBench(mapped, positional).run();
                }
            }
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        }
    }
}
