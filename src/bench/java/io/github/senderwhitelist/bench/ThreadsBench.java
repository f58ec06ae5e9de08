package io.github.senderwhitelist.bench;

import com.sun.management.OperatingSystemMXBean;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.tools.AddressGenerator;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;

/**
 * Exact lookups by many threads at once, warm: how many a second, and the processor time of the
 * whole process for each. Properties: file, a snapshot of generated addresses; domains (10^5) it
 * was generated with; n (10^6), how many lookups a round; rounds (7).
 */
final class ThreadsBench {
    private static final int[] THREADS = {1, 16, 100};
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final Path file = Path.of(Settings.text("file"));
    private final int lookups = (int) Settings.number("n", 1_000_000);
    private final int rounds = (int) Settings.number("rounds", 7);
    private final Rounds wall = new Rounds(rounds);
    private final Rounds processor = new Rounds(rounds);

    private void run() throws Exception {
        try (Snapshot mapped = Snapshot.open(Disk.LOCAL, file);
                Snapshot positional = Snapshot.openStore(Disk.LOCAL.openShared(file), file)) {
            Map<String, BlockStore> stores = new LinkedHashMap<>();
            stores.put("mapped", Objects.requireNonNull(mapped.store()));
            stores.put("positional", Objects.requireNonNull(positional.store()));
            Key[] keys = keys(mapped.header().addresses());
            for (int round = -2; round < rounds; round++) {
                for (int threads : THREADS) {
                    for (String name : stores.keySet()) {
                        measure(name + " " + threads, stores.get(name), keys, threads, round);
                    }
                }
            }
            print(mapped.header().addresses(), stores);
        }
    }

    private Key[] keys(long n) {
        AddressGenerator generator =
                new AddressGenerator(Settings.number("domains", Addresses.DOMAINS));
        SplittableRandom random = new SplittableRandom(1);
        Key[] keys = new Key[lookups];
        for (int i = 0; i < lookups; i++) {
            keys[i] = Addresses.parse(generator.address(random.nextLong(n))).key();
        }
        return keys;
    }

    private void measure(String name, BlockStore store, Key[] keys, int threads, int round)
            throws Exception {
        long[] began = new long[2];
        // The last thread to come takes the time, before any goes on.
        CyclicBarrier start =
                new CyclicBarrier(
                        threads,
                        () -> {
                            began[0] = System.nanoTime();
                            began[1] = SYSTEM.getProcessCpuTime();
                        });
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            int first = thread;
            Callable<Integer> asking = () -> ask(store, keys, first, threads, start);
            tasks.add(new FutureTask<>(asking));
            new Thread(tasks.getLast()).start();
        }
        int found = 0;
        for (FutureTask<Integer> task : tasks) {
            found += task.get();
        }
        long cpu = SYSTEM.getProcessCpuTime() - began[1];
        long time = System.nanoTime() - began[0];
        if (found != keys.length) {
            throw new IllegalStateException(name + " found " + found + " of " + keys.length);
        }
        if (round >= 0) {
            wall.put(name, round, time / (double) keys.length);
            processor.put(name, round, cpu / (double) keys.length);
        }
    }

    private static int ask(BlockStore store, Key[] keys, int first, int step, CyclicBarrier start)
            throws Exception {
        start.await();
        int found = 0;
        for (int i = first; i < keys.length; i += step) {
            found += store.find(keys[i]) == null ? 0 : 1;
        }
        return found;
    }

    private void print(long n, Map<String, BlockStore> stores) {
        Rounds.line("n = %d, %d rounds of %d lookups", n, rounds, lookups);
        Rounds.line("%-16s %14s %20s", "store, threads", "lookups/s", "processor ns each");
        for (String store : stores.keySet()) {
            for (int threads : THREADS) {
                String name = store + " " + threads;
                Rounds.line(
                        "%-16s %14.0f %20.0f",
                        name, 1e9 / wall.median(name), processor.median(name));
            }
        }
    }

    /** Runs it. */
    public static void main(String... arguments) throws Exception {
        new ThreadsBench().run();
    }
}
