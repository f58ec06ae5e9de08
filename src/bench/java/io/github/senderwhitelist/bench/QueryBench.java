package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.NumberedAddresses;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A snapshot of generated addresses, numbers 0 to n - 1 of a generator, asked as the mailet asks
 * it: random members, all to be listed, and strangers, none to be. Counts the reads the process
 * makes, from {@code /proc/self/io}, and its resident memory. Options: file, a snapshot; domains
 * (10^6) it was generated with; n (10^7), how many of each to ask.
 */
final class QueryBench {
    private static final String READS = "syscr";
    private static final String RESIDENT = "VmRSS";

    private final Path file = Path.of(BenchOptions.text("file"));
    private final long queries = BenchOptions.number("n", 10_000_000);
    private final NumberedAddresses generator =
            BenchOptions.generator(BenchOptions.number("domains", 1_000_000));
    private long positives;

    private void run() throws IOException {
        long before = proc("status", RESIDENT);
        long start = System.nanoTime();
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
            RoundTimes.line("opened in %.2f s", (System.nanoTime() - start) / 1e9);
            long n = snapshot.header().addresses();
            PlainWhitelist whitelist = Whitelists.of(snapshot, 100_000);
            ask("members", whitelist, snapshot, new SplittableRandom(1), 0, n);
            ask("strangers", whitelist, snapshot, new SplittableRandom(2), n, n + queries);
            RoundTimes.line(
                    "n = %d, measured rate %.4f %%, predicted %.4f %%",
                    n,
                    100.0 * positives / queries,
                    100 * snapshot.header().addressFilter().rate(n));
        }
        RoundTimes.line(
                "resident: %d MB before it was opened, %d MB at the end, the most %d MB",
                before / 1024, proc("status", RESIDENT) / 1024, proc("status", "VmHWM") / 1024);
    }

    private void ask(
            String whom,
            PlainWhitelist whitelist,
            Snapshot snapshot,
            SplittableRandom random,
            long from,
            long to)
            throws IOException {
        long listed = 0;
        positives = 0;
        long reads = proc("io", READS);
        long start = System.nanoTime();
        for (long i = 0; i < queries; i++) {
            var address =
                    (Address) AddressSyntax.parse(generator.address(random.nextLong(from, to)));
            listed += whitelist.check(address) instanceof Listed ? 1 : 0;
            boolean maybe =
                    snapshot.addressFilter().mightContain(snapshot.hasher().hash(address.key()));
            positives += maybe ? 1 : 0;
        }
        RoundTimes.line(
                "%d %s: %d listed, the filter said maybe to %d; %d reads by the process; %.2f µs"
                        + " each, the making of the address included",
                queries,
                whom,
                listed,
                positives,
                proc("io", READS) - reads,
                (System.nanoTime() - start) / 1e3 / queries);
    }

    private static long proc(String name, String field) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self", name))) {
            if (line.startsWith(field + ":")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException("/proc/self/" + name + " has no " + field);
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws IOException {
        new QueryBench().run();
    }
}
