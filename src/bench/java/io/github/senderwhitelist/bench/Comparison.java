package io.github.senderwhitelist.bench;

import com.google.common.math.Quantiles;

import io.github.senderwhitelist.bench.Candidate.Batch;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterFiller;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterMath;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;

import org.fastfilter.bloom.count.CountingBloom;
import org.fastfilter.xor.XorFuse8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The sets that lectures on Bloom filters compare, measured side by side: memory, rate, time,
 * growth, removal. All hold the same addresses, and all filters are asked by the same loop.
 *
 * @param n the addresses
 * @param bits the bits per address that a filter may take, if it lets us choose
 * @param rounds how often each set is asked; the median counts
 */
record Comparison(int n, double bits, int rounds) {
    /** Addresses that are asked, added or removed together. */
    private static final int BATCH = 1 << 14;

    private static final int STRANGERS = 1_000_000;

    /** Members have the numbers below n, strangers those from here on. */
    private static final long FIRST_STRANGER = 1L << 32;

    private static final long FIRST_NEWCOMER = 1L << 33;
    private static final long MEMORY = 1 << 28;
    private static final int COUNTER_BITS = 4;
    private static final int FUSE_BITS = 8;

    /** Addresses that are hashed once for all filters, where no time is measured. */
    private static final class Strangers {
        static final long[] HASHES = Addresses.range(FIRST_STRANGER, STRANGERS).hashes();
    }

    /** Makes a set of addresses, whose hashes are computed already. */
    private interface Maker {
        Candidate make(Addresses addresses, long[] hashes) throws IOException;
    }

    /**
     * What was measured of a set. Times are in nanoseconds; NaN stands for what it cannot do.
     *
     * @param bits its memory per address
     * @param predicted the rate that the formula gives
     * @param measured the rate measured
     * @param grown what becomes of its rate with twice the addresses
     */
    record Row(
            String name,
            int n,
            double bits,
            double predicted,
            double measured,
            double buildNanos,
            double listedNanos,
            double strangerNanos,
            double addNanos,
            double removeNanos,
            String grown) {

        /** Returns how far the measured rate may be from the true one, in 95 of 100 runs. */
        double margin() {
            return 1.96 * Math.sqrt(Math.max(1, measured * STRANGERS)) / STRANGERS;
        }
    }

    /** Returns the names of the sets, in the order in which they are measured. */
    static List<String> names() {
        return List.copyOf(new Comparison(1, 8, 1).makers().keySet());
    }

    private Map<String, Maker> makers() {
        Map<String, Maker> makers = filters();
        makers.put("HashSet", (addresses, hashes) -> Candidate.HashTable.of(addresses));
        makers.put("sorted array", (addresses, hashes) -> new Candidate.SortedArray(addresses));
        return makers;
    }

    private Map<String, Maker> filters() {
        Map<String, Maker> makers = new LinkedHashMap<>();
        for (FilterKind kind : FilterKind.values()) {
            makers.put(kind.label(), (addresses, hashes) -> ours(kind, hashes));
        }
        makers.put("fuse", (addresses, hashes) -> fuse(hashes));
        makers.put("counting", (addresses, hashes) -> counting(hashes));
        makers.put("cuckoo", (addresses, hashes) -> cuckoo(hashes));
        makers.put("scalable", (addresses, hashes) -> scalable(hashes));
        return makers;
    }

    /** Makes a filter of ours in the way snapshots do. */
    private Candidate ours(FilterKind kind, long[] hashes) throws IOException {
        FilterShape shape = FilterSize.ofBitsPerKey(bits).shape(kind, hashes.length);
        Scratch scratch = new Scratch(Disk.LOCAL, Path.of(System.getProperty("java.io.tmpdir")));
        try (FilterFiller filler = new FilterFiller(shape, MEMORY, scratch)) {
            for (long hash : hashes) {
                filler.add(hash);
            }
            Filter filter = filler.finish(done -> {});
            return new Candidate.Hashed(
                    new Ours(filter, shape.bytes() * 8), () -> shape.rate(hashes.length));
        }
    }

    private record Ours(Filter filter, long getBitCount) implements org.fastfilter.Filter {
        @Override
        public boolean mayContain(long hash) {
            return filter.mightContain(hash);
        }

        @Override
        public boolean supportsAdd() {
            return filter.shape().kind() != FilterKind.RIBBON;
        }

        @Override
        public void add(long hash) {
            filter.add(hash);
        }
    }

    private Candidate fuse(long[] hashes) {
        return new Candidate.Hashed(XorFuse8.construct(hashes), () -> Math.pow(2, -FUSE_BITS));
    }

    /** Makes a counting filter of FastFilter: each bit of a classic one has a counter. */
    private Candidate counting(long[] hashes) {
        CountingBloom filter = CountingBloom.construct(hashes, bits / COUNTER_BITS);
        double counters = (double) filter.getBitCount() / COUNTER_BITS;
        // As FastFilter chooses it.
        int k = Math.max(1, (int) Math.round(Math.log(2) * bits / COUNTER_BITS));
        return new Candidate.Hashed(
                filter, () -> FilterMath.classicRate(counters / (double) hashes.length, k));
    }

    private Candidate cuckoo(long[] hashes) {
        CuckooFilter filter = CuckooFilter.of(hashes.length, bits);
        Arrays.stream(hashes).forEach(filter::add);
        return new Candidate.Hashed(filter, filter::rate);
    }

    private Candidate scalable(long[] hashes) {
        ScalableFilter filter = ScalableFilter.of(hashes.length, bits);
        Arrays.stream(hashes).forEach(filter::add);
        return new Candidate.Hashed(filter, filter::rate);
    }

    /** Measures all sets. */
    List<Row> rows() throws IOException {
        Addresses members = Addresses.range(0, n);
        long[] hashes = members.hashes();
        Map<String, Candidate> sets = new LinkedHashMap<>();
        Map<String, double[]> built = new LinkedHashMap<>();
        for (Map.Entry<String, Maker> maker : makers().entrySet()) {
            long start = ThreadTime.nanos();
            sets.put(maker.getKey(), maker.getValue().make(members, hashes));
            times(built, maker.getKey())[0] = (double) (ThreadTime.nanos() - start) / n;
        }
        Map<String, double[]> listed = new LinkedHashMap<>();
        Map<String, double[]> strange = new LinkedHashMap<>();
        // Twice, so that the compiler has seen all sets before what counts.
        for (int time = 0; time < 2; time++) {
            askAll(sets, listed, strange);
        }
        List<Row> rows = new ArrayList<>();
        for (Map.Entry<String, Candidate> each : sets.entrySet()) {
            String name = each.getKey();
            Candidate set = each.getValue();
            // These change the set, so they come last and in this order.
            double setBits = (double) set.bits() / n;
            double predicted = set.predictedRate();
            double measured = rate(set);
            Batch newcomers = Batch.of(Addresses.range(FIRST_NEWCOMER, Math.min(n / 50, BATCH)));
            double added = nanos(newcomers, () -> set.add(newcomers));
            double removed = nanos(newcomers, () -> set.remove(newcomers));
            requireAll(name, set, Batch.of(members));
            rows.add(
                    new Row(
                            name,
                            n,
                            setBits,
                            predicted,
                            measured,
                            times(built, name)[0],
                            Quantiles.median().compute(times(listed, name)),
                            Quantiles.median().compute(times(strange, name)),
                            added,
                            removed,
                            grown(set, Double.isNaN(removed) ? newcomers.count() : 0)));
        }
        return rows;
    }

    /** Measures the rates of the filters alone. */
    List<Row> rates() throws IOException {
        Addresses members = Addresses.range(0, n);
        long[] hashes = members.hashes();
        List<Row> rows = new ArrayList<>();
        for (Map.Entry<String, Maker> maker : filters().entrySet()) {
            Candidate set = maker.getValue().make(members, hashes);
            double none = Double.NaN;
            double size = (double) set.bits() / n;
            rows.add(
                    new Row(
                            maker.getKey(),
                            n,
                            size,
                            set.predictedRate(),
                            rate(set),
                            none,
                            none,
                            none,
                            none,
                            none,
                            "-"));
        }
        return rows;
    }

    /** Asks all sets in turns; each round asks for other addresses and begins with another set. */
    private void askAll(
            Map<String, Candidate> sets,
            Map<String, double[]> listed,
            Map<String, double[]> strange) {
        List<Map.Entry<String, Candidate>> all = List.copyOf(sets.entrySet());
        for (int round = 0; round < rounds; round++) {
            long[] numbers = new long[BATCH];
            long first = (long) round * BATCH;
            Arrays.setAll(numbers, i -> Math.floorMod((first + i) * 7_919_999_983L, n));
            Batch members = Batch.of(Addresses.of(numbers));
            Batch others = Batch.of(Addresses.range(FIRST_STRANGER + first, BATCH));
            for (Map.Entry<String, Candidate> each : RoundTimes.rotated(all, round)) {
                String name = each.getKey();
                Candidate set = each.getValue();
                long start = ThreadTime.nanos();
                int found = set.count(members);
                long middle = ThreadTime.nanos();
                int positives = set.count(others);
                long end = ThreadTime.nanos();
                if (found < members.count() || positives < 0) {
                    throw new IllegalStateException(name + " denies addresses that it holds");
                }
                times(listed, name)[round] = (double) (middle - start) / BATCH;
                times(strange, name)[round] = (double) (end - middle) / BATCH;
            }
        }
    }

    private double[] times(Map<String, double[]> times, String name) {
        return times.computeIfAbsent(name, key -> new double[rounds]);
    }

    private static void requireAll(String name, Candidate set, Batch batch) {
        int found = set.count(batch);
        if (found < batch.count()) {
            throw new IllegalStateException(
                    name + " denies " + (batch.count() - found) + " addresses that it holds");
        }
    }

    private static double nanos(Batch batch, Runnable update) {
        long start = ThreadTime.nanos();
        try {
            update.run();
            return (double) (ThreadTime.nanos() - start) / batch.count();
        } catch (UnsupportedOperationException e) {
            return Double.NaN;
        }
    }

    private static double rate(Candidate set) {
        return set instanceof Candidate.Hashed hashed
                ? (double)
                                Arrays.stream(Strangers.HASHES)
                                        .filter(hashed.filter()::mayContain)
                                        .count()
                        / STRANGERS
                : 0;
    }

    /** Adds as many addresses as the set was made for once more; says what comes of its rate. */
    private String grown(Candidate set, int there) {
        for (long done = there; done < n; done += BATCH) {
            int some = (int) Math.min(BATCH, n - done);
            try {
                set.add(Batch.of(Addresses.range(FIRST_NEWCOMER + done, some)));
            } catch (UnsupportedOperationException e) {
                return "-";
            } catch (IllegalStateException e) {
                return String.valueOf(e.getMessage());
            }
        }
        if (set.predictedRate() == 0) {
            return "exact";
        }
        return String.format(
                Locale.ROOT,
                "%.3g %%, %.1f bits",
                100 * rate(set),
                (double) set.bits() / (2.0 * n));
    }
}
