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
 * Exact lookups of listed addresses by 1, 16 and 100 threads at once, warm. Options: n (10^7),
 * rounds (5), each of 3 · 2 s.
 */
final class LookupBench {
    private static final String RATE = " lookups/s";
    private static final String PROCESSOR = " processor ns each";
    private static final int[] THREADS = {1, 16, 100};
    private static final int KEYS = 1 << 16;
    private static final long MEASUREMENT = 2_000_000_000L;
    private static final double[] PERCENTS = {50, 99, 99.9};
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final long n = BenchOptions.number("n", 10_000_000);
    private final int rounds = (int) BenchOptions.number("rounds", 5);
    private final RoundTimes figures = new RoundTimes(rounds);
    private final Key[] keys = new Key[KEYS];
    private final BlockStore store;

    private LookupBench(BlockStore store) {
        this.store = store;
        NumberedAddresses generator = BenchOptions.generator();
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
        for (double percent : PERCENTS) {
            rows.add(time(percent));
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

    private static String time(double percent) {
        return " p" + percent + " ns";
    }

    /** How many lookups a thread made, and the times of the last ones. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Asked(int count, double[] last) {}

    private void measure(int threads, int round) throws InterruptedException, ExecutionException {
        CountDownLatch ready = new CountDownLatch(threads + 1);
        List<Future<Asked>> asked = new ArrayList<>();
        long count = 0;
        List<double[]> last = new ArrayList<>();
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
            for (Future<Asked> one : asked) {
                count += one.get().count();
                last.add(one.get().last());
            }
        }
        processor = SYSTEM.getProcessCpuTime() - processor;
        long elapsed = System.nanoTime() - start;
        if (round < 0) {
            return;
        }
        figures.put(threads + RATE, round, count * 1e9 / elapsed);
        figures.put(threads + PROCESSOR, round, (double) processor / count);
        double[] all = last.stream().flatMapToDouble(Arrays::stream).toArray();
        for (double percent : PERCENTS) {
            figures.put(threads + time(percent), round, RoundTimes.percentile(percent, all));
        }
    }

    private Asked ask(int first) throws IOException {
        double[] last = new double[KEYS / 4];
        int count = 0;
        long before = System.nanoTime();
        long end = before + MEASUREMENT;
        while (before < end) {
            if (store.find(keys[(first + count) & (KEYS - 1)], null) == null) {
                throw new IllegalStateException("a listed address was not found");
            }
            long after = System.nanoTime();
            last[count++ & (last.length - 1)] = after - before;
            before = after;
        }
        return new Asked(count, Arrays.copyOf(last, Math.min(count, last.length)));
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        BenchOptions.inFolder(
                folder -> {
                    Path file = folder.resolve("lookups.swl");
                    GeneratedList.build(BenchOptions.number("n", 10_000_000), 8, file);
                    try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
                        new LookupBench(Objects.requireNonNull(snapshot.store())).run();
                    }
                });
    }
}
