package io.github.senderwhitelist.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Loading the filters of a snapshot, checksums included, beside {@code dd} of as many bytes of the
 * same file, both from the page cache. Options: file, a snapshot; or n (10^7) and bits (64) of one
 * to build; rounds (11).
 *
 * <p>The time of dd is its own word, without the start of its process.
 */
final class LoadBench {
    private static final long MEBI = 1 << 20;
    private static final Pattern SECONDS = Pattern.compile("copied, ([0-9.e+-]+) s");

    private LoadBench() {}

    private static void run(Path file) throws IOException, InterruptedException {
        int rounds = (int) BenchOptions.number("rounds", 11);
        RoundTimes times = new RoundTimes(rounds);
        long bits = 0;
        long bytes = 0;
        for (int round = -2; round < rounds; round++) {
            long start = System.nanoTime();
            try (Snapshot snapshot = Snapshot.openFilters(Disk.LOCAL.open(file), file)) {
                long time = System.nanoTime() - start;
                bits += snapshot.addressFilter().mightContain(bits) ? 1 : 0;
                bytes =
                        snapshot.header().addressFilter().bytes()
                                + snapshot.header().domainFilter().bytes();
                if (round >= 0) {
                    times.put("load", round, (double) time);
                }
            }
            double dd = dd(file, (bytes + MEBI - 1) / MEBI);
            if (round >= 0) {
                times.put("dd", round, dd);
            }
        }
        RoundTimes.line("%s, filters of %.1f MB (blackhole %d)", file, bytes / 1e6, bits);
        RoundTimes.line("%-12s %9s %9s %7s", "", "ms", "GB/s", "/ dd");
        for (String name : new String[] {"load", "dd"}) {
            double time = times.median(name);
            RoundTimes.line(
                    "%-12s %9.2f %9.2f %7.3f",
                    name, time / 1e6, bytes / time, times.ratio(name, "dd"));
        }
    }

    private static double dd(Path file, long count) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder("dd", "if=" + file, "of=/dev/null", "bs=1M", "count=" + count);
        builder.environment().put("LC_ALL", "C");
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        Matcher seconds = SECONDS.matcher(said);
        if (!seconds.find()) {
            throw new IOException("dd said: " + said);
        }
        return Double.parseDouble(seconds.group(1)) * 1e9;
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        if (!BenchOptions.text("file").isEmpty()) {
            run(Path.of(BenchOptions.text("file")));
            return;
        }
        BenchOptions.inFolder(
                folder -> {
                    Path file = folder.resolve("load.swl");
                    GeneratedList.build(
                            BenchOptions.number("n", 10_000_000),
                            (double) BenchOptions.number("bits", 64),
                            file);
                    run(file);
                });
    }
}
