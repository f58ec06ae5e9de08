package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;

import org.fastfilter.bloom.BlockedBloom;
import org.fastfilter.bloom.Bloom;
import org.fastfilter.cuckoo.Cuckoo8;
import org.fastfilter.xor.Xor8;
import org.fastfilter.xor.XorFuse8;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Our filters beside others and beside a bare read of as much memory: latency, throughput,
 * false-positive rate. Options: n (10^8), bits (8), rounds (11), only (names parted by commas).
 *
 * <p>Latency: each question is made of the answer before, and half the questions are for members,
 * so that no processor can guess the answer and go on. Throughput: strangers, generated again each
 * round, back to back, the hash of their bytes included. Members are numbers, strangers of the
 * throughput are addresses. What the hash takes of it is measured, too. DataSketches takes whole
 * arrays only and pays for a copy of the address.
 */
final class FilterBench {
    private static final int STEPS = 2_000_000;
    private static final int STRANGERS = 2_000_000;
    private static final String BARE = "bare read";
    private static final String HASH = "hash";

    private static final Map<String, String> PEERS =
            new TreeMap<>(
                    Map.of("classic", "Bloom", "blocked", "BlockedBloom", "ribbon 7", "XorFuse8"));

    private final long n = BenchOptions.number("n", 100_000_000);
    private final long bits = BenchOptions.number("bits", 8);
    private final int rounds = (int) BenchOptions.number("rounds", 11);
    private final List<TimedFilter> candidates = new ArrayList<>();
    private final RoundTimes latency = new RoundTimes(rounds);
    private final RoundTimes throughput = new RoundTimes(rounds);
    private final RoundTimes hashing = new RoundTimes(rounds);
    private final Map<String, Long> positives = new TreeMap<>();
    private long blackhole;

    private void ours(String name, FilterKind kind, FilterSize size) {
        add(name, () -> TimedFilter.Ours.of(name, kind, size, n));
    }

    private void fast(String name, Function<long[], org.fastfilter.Filter> maker) {
        add(name, () -> TimedFilter.Fast.of(name, maker, n));
    }

    private void add(String name, Supplier<TimedFilter> maker) {
        if (!BenchOptions.wanted(name) && !name.equals(BARE)) {
            return;
        }
        long start = System.nanoTime();
        TimedFilter candidate = maker.get();
        candidates.add(candidate);
        RoundTimes.line("# %s made in %.1f s", candidate.name(), (System.nanoTime() - start) / 1e9);
    }

    private void run() {
        add(BARE, () -> new TimedFilter.BareRead(n, bits));
        ours("classic", FilterKind.CLASSIC, FilterSize.ofBitsPerKey((double) bits));
        fast("Bloom", hashes -> Bloom.construct(hashes, (double) bits));
        ours("blocked", FilterKind.BLOCKED, FilterSize.ofBitsPerKey((double) bits));
        fast("BlockedBloom", hashes -> BlockedBloom.construct(hashes, (int) bits));
        fast("Cuckoo8", Cuckoo8::construct);
        fast("XorFuse8", XorFuse8::construct);
        fast("Xor8", Xor8::construct);
        ours("ribbon", FilterKind.RIBBON, FilterSize.ofBitsPerKey((double) bits));
        ours("ribbon 7", FilterKind.RIBBON, FilterSize.ofRate(1.0 / 128));
        add("Guava", () -> new TimedFilter.Guava(n, bits));
        add("DataSketches", () -> new TimedFilter.DataSketches(n, bits));
        warmUp();
        for (int round = 0; round < rounds; round++) {
            round(round, Addresses.range(n + (long) round * STRANGERS, STRANGERS));
        }
        print();
    }

    private static long hashes(Addresses addresses) {
        long sum = 0;
        for (int i = 0; i < addresses.count(); i++) {
            sum += addresses.hash(i);
        }
        return sum;
    }

    private void warmUp() {
        Addresses some = Addresses.range(n, STRANGERS / 10);
        for (int i = 0; i < 20; i++) {
            blackhole += hashes(some);
            for (TimedFilter candidate : candidates) {
                blackhole += candidate.chain(n, i, STEPS / 20);
                blackhole += candidate.count(some);
            }
        }
    }

    private void round(int round, Addresses strangers) {
        for (TimedFilter candidate : RoundTimes.rotated(candidates, round)) {
            long t0 = System.nanoTime();
            blackhole += candidate.chain(n, round * STEPS, STEPS);
            long t1 = System.nanoTime();
            latency.put(candidate.name(), round, (t1 - t0) / (double) STEPS);
        }
        for (TimedFilter candidate : RoundTimes.rotated(candidates, round)) {
            long t0 = System.nanoTime();
            long count = candidate.count(strangers);
            long t1 = System.nanoTime();
            throughput.put(candidate.name(), round, (t1 - t0) / (double) STRANGERS);
            positives.merge(candidate.name(), count, Long::sum);
        }
        long t0 = System.nanoTime();
        blackhole += hashes(strangers);
        hashing.put(HASH, round, (System.nanoTime() - t0) / (double) STRANGERS);
    }

    private void print() {
        long asked = (long) rounds * STRANGERS;
        RoundTimes.line(
                "n = %d, %d bits per address, %d rounds, %d strangers (blackhole %d)",
                n, bits, rounds, asked, blackhole);
        RoundTimes.line(
                "%-20s %10s %7s %11s %9s %9s %9s %9s",
                "filter",
                "latency ns",
                "/ bare",
                "through. ns",
                "/ blocked",
                "MB",
                "bits/addr",
                "rate %");
        for (TimedFilter candidate : candidates) {
            String name = candidate.name();
            RoundTimes.line(
                    "%-20s %10.1f %7.3f %11.1f %9s %9.1f %9.3f %9s",
                    name,
                    latency.median(name),
                    latency.ratio(name, BARE),
                    throughput.median(name),
                    throughput.has("blocked") ? number(throughput.ratio(name, "blocked")) : "-",
                    candidate.bytes() / 1e6,
                    8.0 * candidate.bytes() / n,
                    name.equals(BARE) ? "-" : rate(name, asked));
        }
        RoundTimes.line("The hash takes %.1f ns of throughput", hashing.median(HASH));
        PEERS.forEach(
                (name, peer) -> {
                    if (latency.has(name) && latency.has(peer)) {
                        RoundTimes.line(
                                "%s / %s: bits %.3f, latency %.3f, throughput %.3f",
                                name,
                                peer,
                                (double) bytes(name) / bytes(peer),
                                latency.ratio(name, peer),
                                throughput.ratio(name, peer));
                    }
                });
    }

    private long bytes(String name) {
        return candidates.stream()
                .filter(candidate -> candidate.name().equals(name))
                .mapToLong(TimedFilter::bytes)
                .sum();
    }

    private static String number(double value) {
        return String.format(java.util.Locale.ROOT, "%.2f", value);
    }

    private String rate(String name, long asked) {
        return String.format(
                java.util.Locale.ROOT, "%.4f", 100.0 * positives.getOrDefault(name, 0L) / asked);
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) {
        new FilterBench().run();
    }
}
