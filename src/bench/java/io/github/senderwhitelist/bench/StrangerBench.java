package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.Generation.Overlay;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.Merges;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.tools.NumberedAddresses;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a stranger costs in all, with {@code blocked} and with {@code ribbon}: the filter's answer,
 * and at the false-positive rate a lookup, of which nothing is cached; and with {@code blocked}
 * below the changes of a living list. Warm: the file is in memory. Cold: the system was asked
 * before each round to forget the file, with {@code dd}'s {@code nocache}. Options: n (10^7),
 * rounds (9), dir.
 */
final class StrangerBench {
    private static final int WARM = 1_000_000;
    private static final int COLD = 20_000;
    private static final int WARM_UP = 3;
    private static final List<Integer> CHANGES = List.of(0, 10_000, 100_000);
    private static final double RATE = 0.001;
    private static final double BITS = 8;
    private static final String COLD_NAME = "cold ";

    private final long n = BenchOptions.number("n", 10_000_000);
    private final int rounds = (int) BenchOptions.number("rounds", 9);
    private final RoundTimes nanos = new RoundTimes(rounds);
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<Address> strangers = new ArrayList<>();
    private long listed;

    /**
     * A snapshot with one kind of filter.
     *
     * @param beside the name of the candidate that it is compared with
     */
    private record Candidate(
            String name, String beside, Path file, Snapshot snapshot, PlainWhitelist whitelist) {}

    private void add(String name, String beside, FilterKind kind, FilterSize size, Path folder)
            throws IOException {
        Path file = folder.resolve(candidates.size() + ".swl");
        GeneratedList.build(n, new BuildOptions(kind, size), file);
        Snapshot snapshot = Snapshot.open(Disk.LOCAL, file);
        candidates.add(new Candidate(name, beside, file, snapshot, Whitelists.of(snapshot, 0)));
    }

    /** Adds a list with the snapshot of the last one, and changes over it. */
    private void addChanges(Path folder) throws IOException {
        Candidate base = candidates.getLast();
        for (int each : CHANGES) {
            Path file = folder.resolve(candidates.size() + ".swl");
            Files.copy(base.file, file);
            Snapshot snapshot = Snapshot.open(Disk.LOCAL, file);
            Overlay changes = Merges.changes(each, snapshot);
            candidates.add(
                    new Candidate(
                            String.format(Locale.ROOT, "blocked, %,d changes", each),
                            base.name,
                            file,
                            snapshot,
                            Whitelists.of(snapshot, changes)));
        }
    }

    private double bits(Candidate candidate) {
        return candidate.snapshot.header().addressFilter().m() / (double) n;
    }

    private void run(Path folder) throws IOException, InterruptedException {
        String few = "blocked, 8 bits";
        String usual = "blocked, 0.1 %";
        add(few, few, FilterKind.BLOCKED, FilterSize.ofBitsPerKey(BITS), folder);
        add("ribbon, 8 bits", few, FilterKind.RIBBON, FilterSize.ofBitsPerKey(BITS), folder);
        add(usual, usual, FilterKind.BLOCKED, FilterSize.ofRate(RATE), folder);
        double much = bits(candidates.getLast());
        addChanges(folder);
        add("ribbon, 0.1 %", usual, FilterKind.RIBBON, FilterSize.ofRate(RATE), folder);
        add(
                "ribbon, bits as blocked's",
                usual,
                FilterKind.RIBBON,
                FilterSize.ofBitsPerKey(much),
                folder);
        NumberedAddresses generator = BenchOptions.generator();
        for (int i = 0; i < WARM; i++) {
            strangers.add(Addresses.parse(generator.address(n + i)));
        }
        for (int round = -WARM_UP; round < rounds; round++) {
            for (Candidate candidate : RoundTimes.rotated(candidates, round + WARM_UP)) {
                double warm = time(candidate.whitelist, strangers);
                forget(candidate.file);
                double cold = time(candidate.whitelist, strangers.subList(0, COLD));
                // The next round is warm again.
                Files.copy(candidate.file, OutputStream.nullOutputStream());
                if (round >= 0) {
                    nanos.put(candidate.name, round, warm);
                    nanos.put(COLD_NAME + candidate.name, round, cold);
                }
            }
        }
        print();
    }

    private double time(PlainWhitelist whitelist, List<Address> senders) {
        long start = System.nanoTime();
        for (Address sender : senders) {
            listed += whitelist.check(sender) instanceof Listed ? 1 : 0;
        }
        return (System.nanoTime() - start) / (double) senders.size();
    }

    /** Lets the system drop the pages of a file that it holds in memory. */
    private static void forget(Path file) throws IOException, InterruptedException {
        Process dd =
                new ProcessBuilder("dd", "of=" + file, "oflag=nocache", "conv=notrunc", "count=0")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        if (dd.waitFor() != 0) {
            throw new IOException("dd cannot make the system forget " + file);
        }
    }

    private void print() {
        RoundTimes.line("n = %d, %d rounds (listed %d)", n, rounds, listed);
        RoundTimes.line(
                "%-26s %7s %9s %9s %8s %9s %8s",
                "a stranger", "bits", "rate", "warm ns", "ratio", "cold ns", "ratio");
        for (Candidate candidate : candidates) {
            SnapshotHeader header = candidate.snapshot.header();
            String cold = COLD_NAME + candidate.name;
            RoundTimes.line(
                    "%-26s %7.3f %8.4f%% %9.1f %8.2f %9.1f %8.2f",
                    candidate.name,
                    bits(candidate),
                    100 * header.addressFilter().rate(n),
                    nanos.median(candidate.name),
                    nanos.ratio(candidate.name, candidate.beside),
                    nanos.median(cold),
                    nanos.ratio(cold, COLD_NAME + candidate.beside));
        }
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        BenchOptions.inFolder(
                folder -> {
                    StrangerBench bench = new StrangerBench();
                    bench.run(folder);
                    for (Candidate candidate : bench.candidates) {
                        candidate.snapshot.close();
                    }
                });
    }
}
