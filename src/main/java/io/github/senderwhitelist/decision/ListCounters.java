package io.github.senderwhitelist.decision;

import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of lookups in a list and of their results, over all its generations since the list was
 * loaded first. Counting takes no lock and allocates nothing.
 *
 * <p>"Filter" alone means the filter of addresses, which every sender is looked for in. Of the
 * filter of domain entries only the answer "maybe" is counted. A "maybe" that the exact store, or
 * its cached answer, refutes is a false positive.
 */
public final class ListCounters {
    /** Times lookups in the exact store. */
    @FunctionalInterface
    public interface LookupTimer {
        /** Times nothing. */
        LookupTimer NONE = () -> () -> {};

        /** Begins to time a lookup; run the result at its end. */
        Runnable start();
    }

    private final LongAdder filterNo = new LongAdder();
    private final LongAdder filterMaybe = new LongAdder();
    private final LongAdder falsePositives = new LongAdder();
    private final LongAdder domainMaybe = new LongAdder();
    private final LongAdder domainFalsePositives = new LongAdder();
    private final LongAdder cacheHits = new LongAdder();
    private final LongAdder lookups = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LookupTimer timer;

    /** Makes counters that are all zero. */
    public ListCounters(LookupTimer timer) {
        this.timer = timer;
    }

    void filterAnswer(boolean domain, boolean maybe) {
        if (!domain) {
            (maybe ? filterMaybe : filterNo).increment();
        } else if (maybe) {
            domainMaybe.increment();
        }
    }

    void falsePositive(boolean domain) {
        (domain ? domainFalsePositives : falsePositives).increment();
    }

    void cacheHit() {
        cacheHits.increment();
    }

    void failure() {
        failures.increment();
    }

    /**
     * Counts a lookup and begins to time it; run the result at its end. Exceptions of the timer are
     * swallowed, so that a failing metric never costs an answer.
     */
    Runnable lookup() {
        lookups.increment();
        try {
            Runnable stop = timer.start();
            return () -> {
                try {
                    stop.run();
                } catch (RuntimeException | Error e) {
                    // Only the time of this lookup is missing from the figures.
                }
            };
        } catch (RuntimeException | Error e) {
            return () -> {};
        }
    }

    /** Returns for how many addresses the filter said "no", which is certain. */
    public long filterNo() {
        return filterNo.sum();
    }

    public long filterMaybe() {
        return filterMaybe.sum();
    }

    public long falsePositives() {
        return falsePositives.sum();
    }

    public long domainMaybe() {
        return domainMaybe.sum();
    }

    public long domainFalsePositives() {
        return domainFalsePositives.sum();
    }

    /**
     * Returns the measured false-positive rate, from 0 to 1: of the addresses asked that are not on
     * the list, the share for which the filter said "maybe". An address asked twice counts twice.
     * NaN before the first.
     */
    public double falsePositiveRate() {
        long wrong = falsePositives();
        return (double) wrong / (wrong + filterNo());
    }

    /** Returns how many exact questions the cache answered. */
    public long cacheHits() {
        return cacheHits.sum();
    }

    /** Returns how many questions were put to the exact store. */
    public long lookups() {
        return lookups.sum();
    }

    /** Returns the share of exact questions that the cache answered; NaN before one. */
    public double cacheHitRate() {
        long hits = cacheHits();
        return (double) hits / (hits + lookups());
    }

    /** Returns how many lookups the exact store could not answer. */
    public long failures() {
        return failures.sum();
    }
}
