package io.github.senderwhitelist.decision;

import java.util.concurrent.atomic.LongAdder;

/**
 * What was asked of a list and answered since it was loaded first, over all its generations.
 * Counting takes no lock and no memory.
 *
 * <p>Answers of the filter are those of the filter of addresses, which every sender is asked of;
 * the one of domain entries is counted only where it says "maybe".
 */
public final class ListCounters {
    /** Times an exact lookup. */
    @FunctionalInterface
    public interface LookupTimer {
        /** Times nothing. */
        LookupTimer NONE = () -> () -> {};

        /** Begins; what is returned is called at the end. */
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

    /** Counters at zero. */
    public ListCounters(LookupTimer timer) {
        this.timer = timer;
    }

    void addressAnswer(boolean maybe) {
        (maybe ? filterMaybe : filterNo).increment();
    }

    void domainAnsweredMaybe() {
        domainMaybe.increment();
    }

    void falsePositive(boolean domain) {
        (domain ? domainFalsePositives : falsePositives).increment();
    }

    void cacheHit() {
        cacheHits.increment();
    }

    /**
     * Counts a lookup and begins to time it; what is returned is called at its end. A timer that
     * throws is as good as none: no figure is worth an answer.
     */
    Runnable lookup() {
        lookups.increment();
        try {
            Runnable stop = timer.start();
            return () -> stop(stop);
        } catch (RuntimeException | Error e) {
            return () -> {};
        }
    }

    private static void stop(Runnable timed) {
        try {
            timed.run();
        } catch (RuntimeException | Error e) {
            // The time of one lookup is missing among the figures, and nothing else.
        }
    }

    void failure() {
        failures.increment();
    }

    /** Addresses of which the filter said: certainly not listed. */
    public long filterNo() {
        return filterNo.sum();
    }

    /** Addresses of which the filter said: possibly listed. */
    public long filterMaybe() {
        return filterMaybe.sum();
    }

    /** Of those, the ones that the exact store, or its remembered answer, did not know. */
    public long falsePositives() {
        return falsePositives.sum();
    }

    /** Domains of which their filter said: possibly listed. */
    public long domainMaybe() {
        return domainMaybe.sum();
    }

    /** Of those, the ones that the exact store, or its remembered answer, did not know. */
    public long domainFalsePositives() {
        return domainFalsePositives.sum();
    }

    /**
     * The measured false-positive rate: of the addresses asked that are not on the list, the share
     * for which the filter said "possibly". NaN before the first. An address asked twice counts
     * twice.
     */
    public double falsePositiveRate() {
        long wrong = falsePositives();
        return (double) wrong / (wrong + filterNo());
    }

    /** Questions answered from memory. */
    public long cacheHits() {
        return cacheHits.sum();
    }

    /** Questions put to the exact store. */
    public long lookups() {
        return lookups.sum();
    }

    /** The share of the filter's "possibly" that was answered from memory; NaN before the first. */
    public double cacheHitRate() {
        long hits = cacheHits();
        return (double) hits / (hits + lookups());
    }

    /** Lookups that the exact store could not answer. */
    public long failures() {
        return failures.sum();
    }
}
