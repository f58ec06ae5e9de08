package io.github.senderwhitelist.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Our filters beside others and beside a bare read of as much memory: latency, throughput,
 * false-positive rate. Properties: n (10^8), bits (8), rounds (11).
 *
 * <p>Latency: each question is made of the answer before. A processor may guess the answer and go
 * on, so it is measured a second time with a full memory fence after each question, which ends the
 * guessing and costs every candidate the same. Throughput: strangers, generated anew each round,
 * back to back, the hash of their bytes included. DataSketches takes whole arrays only and pays for
 * a copy of the address.
 */
final class FilterBench {
    private static final int STEPS = 2_000_000;
    private static final int STRANGERS = 2_000_000;
    private static final String BARE = "bare read";

    private final long n = Settings.number("n", 100_000_000);
    private final long bits = Settings.number("bits", 8);
    private final int rounds = (int) Settings.number("rounds", 11);
    private final List<FilterCandidate> candidates = new ArrayList<>();
    private final Rounds chained = new Rounds(rounds);
    private final Rounds fenced = new Rounds(rounds);
    private final Rounds throughput = new Rounds(rounds);
    private final Map<String, Long> positives = new TreeMap<>();
    private long blackhole;

    private void add(Supplier<FilterCandidate> maker) {
        long start = System.nanoTime();
        FilterCandidate candidate = maker.get();
        candidates.add(candidate);
        Rounds.line("# %s made in %.1f s", candidate.name(), (System.nanoTime() - start) / 1e9);
    }

    private void run() {
        add(() -> new FilterCandidate.BareRead(n, bits));
        add(() -> new FilterCandidate.OursBlocked(n, bits));
        add(() -> new FilterCandidate.OursClassic(n, bits));
        add(() -> new FilterCandidate.FastBlocked(n, bits));
        add(() -> new FilterCandidate.FastBloom(n, bits));
        add(() -> new FilterCandidate.Guava(n, bits));
        add(() -> new FilterCandidate.DataSketches(n, bits));
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
                blackhole += candidate.chain(i, STEPS / 20, false);
                blackhole += candidate.chain(i, STEPS / 20, true);
                blackhole += candidate.count(some);
            }
        }
    }

    private void round(int round, Addresses strangers) {
        for (FilterCandidate candidate : Rounds.rotated(candidates, round)) {
            long t0 = System.nanoTime();
            blackhole += candidate.chain(round, STEPS, false);
            long t1 = System.nanoTime();
            chained.put(candidate.name(), round, (t1 - t0) / (double) STEPS);
        }
        for (FilterCandidate candidate : Rounds.rotated(candidates, round)) {
            long t0 = System.nanoTime();
            blackhole += candidate.chain(round, STEPS, true);
            long t1 = System.nanoTime();
            fenced.put(candidate.name(), round, (t1 - t0) / (double) STEPS);
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
                "%-20s %9s %7s %9s %7s %11s %9s %9s",
                "filter",
                "chain ns",
                "/ bare",
                "fenced ns",
                "/ bare",
                "through. ns",
                "MB",
                "rate %");
        for (FilterCandidate candidate : candidates) {
            String name = candidate.name();
            Rounds.line(
                    "%-20s %9.1f %7.3f %9.1f %7.3f %11.1f %9.1f %9s",
                    name,
                    chained.median(name),
                    chained.ratio(name, BARE),
                    fenced.median(name),
                    fenced.ratio(name, BARE),
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
