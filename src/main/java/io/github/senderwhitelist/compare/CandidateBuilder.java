package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterFiller;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.UpdatableFilter;

import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;

/** The builder of the sets that are compared, which measures the time of building. */
final class CandidateBuilder {
    private static final int BUILDS = 3;
    private static final int MOST_BUILT_AGAIN = 5_000_000;
    private static final long LEAST_MEMORY = 1 << 20;

    /** Hashes of static filters that take more memory than this go to a temporary file. */
    static final long MOST_MEMORY = 256 << 20;

    /**
     * Copies of a small set are made until they have this many addresses in all, to measure their
     * memory.
     */
    private static final int HEAP_ADDRESSES = 100_000;

    private final ListedAddresses addresses;
    private final Scratch scratch;
    private double stringBytes = Double.NaN;

    CandidateBuilder(ListedAddresses addresses, Scratch scratch) {
        this.addresses = addresses;
        this.scratch = scratch;
    }

    /**
     * A set that was built.
     *
     * @param nanos the time that building took, per address
     */
    record Built(Candidate candidate, double nanos) {}

    @FunctionalInterface
    private interface Maker<T> {
        T make() throws IOException;
    }

    private record Timed<T>(T made, double nanos) {}

    /**
     * Makes something and takes the time: the median of three times, or one time if it is large.
     */
    private static <T> Timed<T> timed(int n, Maker<T> maker) throws IOException {
        double[] nanos = new double[n > MOST_BUILT_AGAIN ? 1 : BUILDS];
        T made = null;
        for (int i = 0; i < nanos.length; i++) {
            made = null;
            long start = ThreadTime.nanos();
            made = maker.make();
            nanos[i] = (double) (ThreadTime.nanos() - start) / n;
        }
        return new Timed<>(Objects.requireNonNull(made), Percentiles.median(nanos));
    }

    /** Builds a filter of the first n addresses in the way snapshots do. */
    Filter filter(FilterShape shape, int n) throws IOException {
        long memory = Math.clamp(64L * n, LEAST_MEMORY, MOST_MEMORY);
        long[] hashes = addresses.hashes();
        try (FilterFiller filler = FilterFiller.of(shape, memory, scratch)) {
            for (int i = 0; i < n; i++) {
                filler.add(hashes[i]);
            }
            return filler.finish(shape);
        }
    }

    Built timedFilter(FilterShape shape, int n) throws IOException {
        Timed<Filter> timed = timed(n, () -> filter(shape, n));
        return new Built(new FilterCandidate(timed.made, addresses.hasher()), timed.nanos);
    }

    /** Builds a filter of that shape with twice the n addresses it is planned for. */
    Filter grown(FilterShape shape, int n) {
        UpdatableFilter filter = (UpdatableFilter) shape.create();
        for (int i = 0; i < n; i++) {
            filter.add(addresses.hashes()[i]);
        }
        for (int i = 0; i < n; i++) {
            filter.add(addresses.hasher().hash(GeneratedAddresses.newcomer(i)));
        }
        return filter;
    }

    Built hashSet(String[] texts, int n) throws IOException {
        var timed = timed(n, () -> HashSetCandidate.build(texts, n));
        long bytes = Heap.bytes(copies(n), () -> HashSetCandidate.build(texts, n));
        return new Built(
                new HashSetCandidate(timed.made, bytes + Math.round(stringBytes() * n)),
                timed.nanos);
    }

    Built sortedArray(String[] texts, int n) throws IOException {
        var timed = timed(n, () -> SortedArrayCandidate.build(texts, n));
        long bytes = Heap.bytes(copies(n), () -> new String[n]);
        return new Built(
                new SortedArrayCandidate(timed.made, bytes + Math.round(stringBytes() * n)),
                timed.nanos);
    }

    private static int copies(int n) {
        return Math.max(1, HEAP_ADDRESSES / n);
    }

    /** Returns the bytes that the text of an address takes, without the reference to it. */
    private double stringBytes() {
        if (Double.isNaN(stringBytes)) {
            int sample = addresses.keys().length;
            int copies = copies(sample);
            long references = Heap.bytes(copies, () -> new String[sample]);
            long all =
                    Heap.bytes(
                            copies,
                            () ->
                                    Arrays.stream(addresses.keys())
                                            .map(ListedAddresses::text)
                                            .toArray(String[]::new));
            stringBytes = (double) (all - references) / sample;
        }
        return stringBytes;
    }
}
