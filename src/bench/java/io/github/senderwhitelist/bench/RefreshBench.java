package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.tools.AllocatedBytes;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.NumberedAddresses;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a running refresh does to checks: percentiles of the time of one check, and bytes allocated
 * for it, while a text list is built and swapped in again and again, and while nothing is. Both in
 * each round, one after the other; ratios are those within a round. Options: n (10^6), rounds (11),
 * each of 2 · 10 s.
 */
final class RefreshBench {
    private static final int SENDERS = 1 << 16;
    private static final long ROUND = 5_000_000_000L;
    private static final int CACHE = 10_000;
    private static final double[] PERCENTS = {50, 99, 99.9};

    private final long n = BenchOptions.number("n", 1_000_000);
    private final int rounds = (int) BenchOptions.number("rounds", 11);
    private final RoundTimes figures = new RoundTimes(rounds);
    private final Path folder;
    private final Path list;
    private final PlainWhitelist whitelist;
    private final Address[] strangers = new Address[SENDERS];
    private final Address[] members = new Address[SENDERS];
    private final double[] nanos = new double[20_000_000];
    private volatile Generation current;
    private volatile boolean refreshing;
    private int refreshes;

    private RefreshBench(Path folder) throws IOException {
        this.folder = folder;
        this.list = folder.resolve("list.txt");
        NumberedAddresses generator = BenchOptions.generator();
        for (int i = 0; i < SENDERS; i++) {
            strangers[i] = parse(generator.address(n + i));
            members[i] = parse(generator.address(Math.floorMod(i * 7_919_999_983L, n)));
        }
        write("even", "even@x.example\n");
        write("odd", "odd@x.example\n");
        put();
        this.current = load();
        this.whitelist =
                new PlainWhitelist(
                        List.of(() -> current), Subaddressing.VALUES.parse("+").orElseThrow());
    }

    private static Address parse(String text) {
        return (Address) AddressSyntax.parse(text);
    }

    private void write(String name, String last) throws IOException {
        NumberedAddresses generator = BenchOptions.generator();
        try (OutputStream out =
                new BufferedOutputStream(Files.newOutputStream(folder.resolve(name)), 1 << 18)) {
            for (long i = 0; i < n; i++) {
                generator.fill(i);
                out.write(generator.bytes(), 0, generator.length());
                out.write('\n');
            }
            out.write(last.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Puts the other list into place. */
    private void put() throws IOException {
        Path link = folder.resolve("link");
        Files.createLink(link, folder.resolve(refreshes++ % 2 == 0 ? "even" : "odd"));
        Files.move(link, list, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Makes a generation as the server does. */
    private Generation load() throws IOException {
        Path target = folder.resolve("list.swl");
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(0.001));
        Builds.of(options, refreshes)
                .in(48L << 20)
                .build(List.of(TextSource.of(Disk.LOCAL, list)), target);
        return Generation.exact(Snapshot.open(Disk.LOCAL, target), CACHE);
    }

    private void refresh() {
        while (refreshing) {
            try {
                put();
                Generation next = load();
                Generation old = current;
                current = next;
                old.retire();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void run() throws InterruptedException {
        int before = refreshes;
        for (int round = -1; round < rounds; round++) {
            measure("without", round);
            refreshing = true;
            Thread refresher = new Thread(this::refresh);
            refresher.start();
            measure("with", round);
            refreshing = false;
            refresher.join();
        }
        RoundTimes.line("n = %d, %d rounds, %d refreshes", n, rounds, refreshes - before);
        RoundTimes.line("%-22s %14s %14s %8s", "one check of", "without", "with", "ratio");
        for (String who : List.of("strangers", "listed")) {
            List<String> rows = new ArrayList<>();
            for (double percent : PERCENTS) {
                rows.add("p" + percent + " ns");
            }
            rows.add("bytes");
            for (String row : rows) {
                String name = who + " " + row;
                RoundTimes.line(
                        "%-22s %14.1f %14.1f %8.3f",
                        name,
                        figures.median("without " + name),
                        figures.median("with " + name),
                        figures.ratio("with " + name, "without " + name));
            }
        }
    }

    private void measure(String state, int round) {
        measure(state + " strangers", round, strangers);
        measure(state + " listed", round, members);
    }

    private void measure(String name, int round, Address[] senders) {
        long end = System.nanoTime() + ROUND;
        long allocated = AllocatedBytes.now();
        int count = 0;
        long before = System.nanoTime();
        while (before < end && count < nanos.length) {
            whitelist.check(senders[count & (SENDERS - 1)]);
            long after = System.nanoTime();
            nanos[count++] = after - before;
            before = after;
        }
        allocated = AllocatedBytes.now() - allocated;
        if (round >= 0) {
            double[] all = Arrays.copyOf(nanos, count);
            for (double percent : PERCENTS) {
                figures.put(
                        name + " p" + percent + " ns", round, RoundTimes.percentile(percent, all));
            }
            figures.put(name + " bytes", round, allocated / (double) count);
        }
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        BenchOptions.inFolder(
                folder -> {
                    RefreshBench bench = new RefreshBench(folder);
                    bench.run();
                    bench.current.retire();
                });
    }
}
