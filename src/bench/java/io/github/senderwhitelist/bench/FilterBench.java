package io.github.senderwhitelist.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Our filters beside others and beside a bare read of as much memory: latency, throughput,
 * false-positive rate. Properties: n (10^8), bits (8), rounds (11), only (names parted by commas;
 * {@code bare} and {@code blocked} must be among them).
 *
 * <p>Latency: each question is made of the answer before, and half the questions are for members,
 * so that no processor can guess the answer and go on. Throughput: strangers, generated anew each
 * round, back to back, the hash of their bytes included. Members are numbers, strangers of the
 * throughput are addresses. DataSketches takes whole arrays only and pays for a copy of the
 * address.
 */
final class FilterBench {
    private static final int STEPS = 2_000_000;
    private static final int STRANGERS = 2_000_000;
    private static final String BARE = "bare read";

    private final long n = Settings.number("n", 100_000_000);
    private final long bits = Settings.number("bits", 8);
    private final int rounds = (int) Settings.number("rounds", 11);
    private final List<FilterCandidate> candidates = new ArrayList<>();
    private final Rounds latency = new Rounds(rounds);
    private final Rounds throughput = new Rounds(rounds);
    private final Map<String, Long> positives = new TreeMap<>();
    private long blackhole;

    private void add(String name, Supplier<FilterCandidate> maker) {
        if (!Settings.wanted(name)) {
            return;
        }
        long start = System.nanoTime();
        FilterCandidate candidate = maker.get();
        candidates.add(candidate);
        Rounds.line("# %s made in %.1f s", candidate.name(), (System.nanoTime() - start) / 1e9);
    }

    private void run() {
        add("bare", () -> new FilterCandidate.BareRead(n, bits));
        add("blocked", () -> new FilterCandidate.OursBlocked(n, bits));
        add("classic", () -> new FilterCandidate.OursClassic(n, bits));
        add("fastblocked", () -> new FilterCandidate.FastBlocked(n, bits));
        add("fastbloom", () -> new FilterCandidate.FastBloom(n, bits));
        add("guava", () -> new FilterCandidate.Guava(n, bits));
        add("datasketches", () -> new FilterCandidate.DataSketches(n, bits));
        warmUp();
        for (int round = 0; round < rounds; round++) {
            round(round, Addresses.range(n + (long) round * STRANGERS, STRANGERS));
        }
        print();
    }

    private void warmUp() {
        Addresses some = Addresses.range(n, STRANGERS / 10);
        for (int i = 0; i < 20; i++) {
            for (FilterCandidate candidate : candidates) {
                blackhole += candidate.chain(n, i, STEPS / 20);
                blackhole += candidate.count(some);
            }
        }
    }

    private void round(int round, Addresses strangers) {
        for (FilterCandidate candidate : Rounds.rotated(candidates, round)) {
            long t0 = System.nanoTime();
            blackhole += candidate.chain(n, round * STEPS, STEPS);
            long t1 = System.nanoTime();
            latency.put(candidate.name(), round, (t1 - t0) / (double) STEPS);
        }
        for (FilterCandidate candidate : Rounds.rotated(candidates, round)) {
            long t0 = System.nanoTime();
            long count = candidate.count(strangers);
            long t1 = System.nanoTime();
            throughput.put(candidate.name(), round, (t1 - t0) / (double) STRANGERS);
            positives.merge(candidate.name(), count, Long::sum);
        }
    }

    private void print() {
        long asked = (long) rounds * STRANGERS;
        Rounds.line(
                "n = %d, %d bits per address, %d rounds, %d strangers (blackhole %d)",
                n, bits, rounds, asked, blackhole);
        Rounds.line(
                "%-20s %10s %7s %11s %9s %9s",
                "filter", "latency ns", "/ bare", "through. ns", "MB", "rate %");
        for (FilterCandidate candidate : candidates) {
            String name = candidate.name();
            Rounds.line(
                    "%-20s %10.1f %7.3f %11.1f %9.1f %9s",
                    name,
                    latency.median(name),
                    latency.ratio(name, BARE),
                    throughput.median(name),
                    candidate.bytes() / 1e6,
                    name.equals(BARE) ? "-" : rate(name, asked));
        }
        for (FilterCandidate candidate : candidates) {
            Rounds.line(
                    "throughput of %s / ours blocked: %.3f",
                    candidate.name(), throughput.ratio(candidate.name(), "ours blocked"));
        }
    }

    private String rate(String name, long asked) {
        return String.format(
                java.util.Locale.ROOT, "%.4f", 100.0 * positives.getOrDefault(name, 0L) / asked);
    }

    /** Runs it. */
    public static void main(String... arguments) {
        new FilterBench().run();
    }
}
