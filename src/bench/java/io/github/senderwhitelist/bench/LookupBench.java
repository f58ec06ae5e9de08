package io.github.senderwhitelist.bench;

import com.sun.management.OperatingSystemMXBean;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.tools.NumberedAddresses;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Exact lookups of listed addresses by 1, 16 and 100 threads at once, warm. Properties: n (10^7),
 * rounds (5), each of 3 · 2 s.
 */
final class LookupBench {
    private static final String RATE = " lookups/s";
    private static final String PROCESSOR = " processor ns each";
    private static final int[] THREADS = {1, 16, 100};
    private static final int KEYS = 1 << 16;
    private static final long MEASUREMENT = 2_000_000_000L;
    private static final double[] PERCENTILES = {50, 99, 99.9};
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final long n = BenchProperties.number("n", 10_000_000);
    private final int rounds = (int) BenchProperties.number("rounds", 5);
    private final RoundTimes figures = new RoundTimes(rounds);
    private final Key[] keys = new Key[KEYS];
    private final BlockStore store;

    private LookupBench(BlockStore store) {
        this.store = store;
        NumberedAddresses generator = BenchProperties.generator();
        for (int i = 0; i < KEYS; i++) {
            Address address =
                    Addresses.parse(generator.address(Math.floorMod(i * 7_919_999_983L, n)));
            keys[i] = address.key();
        }
    }

    private void run() throws InterruptedException, ExecutionException {
        for (int round = -1; round < rounds; round++) {
            for (int threads : THREADS) {
                measure(threads, round);
            }
        }
        RoundTimes.line("n = %d, %d rounds", n, rounds);
        RoundTimes.line("%-24s %11d %11d %11d", "of a lookup, threads", 1, 16, 100);
        List<String> rows = new ArrayList<>(List.of(RATE, PROCESSOR));
        for (double percentile : PERCENTILES) {
            rows.add(time(percentile));
        }
        for (String row : rows) {
            RoundTimes.line(
                    "%-24s %11.0f %11.0f %11.0f",
                    row,
                    figures.median(1 + row),
                    figures.median(16 + row),
                    figures.median(100 + row));
        }
    }

    private static String time(double percentile) {
        return " p" + percentile + " ns";
    }

    private void measure(int threads, int round) throws InterruptedException, ExecutionException {
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
                                    return ask(first);
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
        figures.put(threads + RATE, round, count * 1e9 / elapsed);
        figures.put(threads + PROCESSOR, round, (double) processor / count);
        Arrays.sort(all);
        for (double percentile : PERCENTILES) {
            int at = (int) (percentile / 100 * (all.length - 1));
            figures.put(threads + time(percentile), round, (double) all[at]);
        }
    }

    /** Returns the number of lookups, followed by the times of the last ones. */
    private long[] ask(int first) throws IOException {
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

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Path folder = BenchProperties.folder();
        Path file = folder.resolve("lookups.swl");
        try {
            GeneratedList.build(BenchProperties.number("n", 10_000_000), 8, file);
            try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
                new LookupBench(Objects.requireNonNull(snapshot.store())).run();
            }
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        }
    }
}
