package io.github.senderwhitelist.decision;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * The counts of lookups in a list and of their results, since the list was loaded first. Counting
 * takes no lock and allocates nothing.
 */
public final class ListCounters {
    /**
     * What is counted; "filter" alone means that of addresses. A "maybe" that the exact store, or
     * its cached answer, refutes is a false positive.
     */
    public enum Count {
        /** The addresses to which the filter said "no", which is certain. */
        FILTER_NO("filter.no"),
        FILTER_MAYBE("filter.maybe"),
        FALSE_POSITIVES("filter.falsePositives"),
        /** The domains to which their filter said "maybe"; its "no" is not counted. */
        DOMAIN_MAYBE("domainFilter.maybe"),
        DOMAIN_FALSE_POSITIVES("domainFilter.falsePositives"),
        /** The exact questions that the cache answered. */
        CACHE_HITS("cache.hits"),
        /** The questions that were put to the exact store. */
        LOOKUPS("lookups.done"),
        /** The lookups that the exact store could not answer. */
        FAILURES("lookups.failed");

        private final String label;

        Count(String label) {
            this.label = label;
        }

        /** Returns the name in metrics. */
        public String label() {
            return label;
        }
    }

    private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);
    private final Supplier<Runnable> timer;

    /** Makes counters of zero, with what begins to time a lookup and returns what ends it. */
    public ListCounters(Supplier<Runnable> timer) {
        this.timer = timer;
        for (Count each : Count.values()) {
            counts.put(each, new LongAdder());
        }
    }

    /** Makes counters of zero that time nothing. */
    public ListCounters() {
        this(() -> () -> {});
    }

    void add(Count which, int times) {
        counter(which).add(times);
    }

    /** Returns a count. */
    public long get(Count which) {
        return counter(which).sum();
    }

    private LongAdder counter(Count which) {
        return Objects.requireNonNull(counts.get(which));
    }

    /** Counts a lookup and begins to time it; run the result at its end. */
    Runnable lookup() {
        add(Count.LOOKUPS, 1);
        Runnable[] end = {() -> {}};
        run(() -> end[0] = timer.get());
        return () -> run(end[0]);
    }

    /** A failing metric never costs an answer. */
    private static void run(Runnable timing) {
        try {
            timing.run();
        } catch (RuntimeException | Error e) {
            // Only the time of this lookup is missing from the figures.
        }
    }

    /**
     * Returns the measured false-positive rate: of the addresses asked that are not on the list,
     * the share for which the filter said "maybe"; NaN before the first.
     */
    public double falsePositiveRate() {
        return share(Count.FALSE_POSITIVES, Count.FILTER_NO);
    }

    /** Returns the share of exact questions that the cache answered; NaN before one. */
    public double cacheHitRate() {
        return share(Count.CACHE_HITS, Count.LOOKUPS);
    }

    private double share(Count some, Count others) {
        long count = get(some);
        return (double) count / (count + get(others));
    }
}
