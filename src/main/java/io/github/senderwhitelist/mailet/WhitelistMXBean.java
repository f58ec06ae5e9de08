package io.github.senderwhitelist.mailet;

/**
 * One list, over JMX: {@code io.github.senderwhitelist:type=Whitelist,name=NAME}. Counts are those
 * since the list was loaded first.
 */
public interface WhitelistMXBean {
    /** The list's file. */
    String getFile();

    /** {@code healthy}, or {@code degraded: } and why. */
    String getHealth();

    /** Entries in force, of both kinds. */
    long getEntries();

    /** When the list in force was built (ISO 8601, UTC). */
    String getBuilt();

    /** Seconds since then. */
    long getAgeSeconds();

    /** Refreshes that came into force, the start included. */
    long getReloadsDone();

    /** Refreshes refused for what the file held. */
    long getReloadsHeldBack();

    /** Refreshes that failed for another reason. */
    long getReloadsFailed();

    /** Addresses of which the filter said: certainly not listed. */
    long getFilterNo();

    /** Addresses of which the filter said: possibly listed. */
    long getFilterMaybe();

    /** Of those, the ones that were not. */
    long getFalsePositives();

    /** The measured false-positive rate; NaN before the first stranger. */
    double getFalsePositiveRate();

    /** The rate to expect. */
    double getExpectedFalsePositiveRate();

    /** Questions answered from memory. */
    long getCacheHits();

    /** Their share of all that the filter let through; NaN before the first. */
    double getCacheHitRate();

    /** Questions put to the exact store. */
    long getLookups();

    /** Questions it could not answer. */
    long getLookupsFailed();

    /**
     * Reads the list's file now, as soon as it stands still, whether it changed or not.
     *
     * @return what became of it, in one line
     */
    String reload();

    /**
     * Asks this list, and no other, for a sender; counts as any question.
     *
     * @return {@code listed}, {@code not-listed} or {@code unavailable}; after a space the entry
     *     that decided, or the reason
     */
    String check(String address);

    /**
     * Tells how this list's answer for a sender comes about: keys, filter, entries, conditions; for
     * nobody in particular, with nothing confirmed. Where mailets use the list with different
     * parameters, by those of the first.
     *
     * @return one line each
     */
    String explain(String address);
}
