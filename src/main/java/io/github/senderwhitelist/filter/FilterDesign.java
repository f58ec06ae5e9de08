package io.github.senderwhitelist.filter;

/**
 * The arithmetic of one kind of filter: its size for n keys, its false-positive rate, and the
 * shapes that it can have. Each filter class holds the design of its kind.
 */
interface FilterDesign {
    /**
     * Returns the shape of a filter for n keys.
     *
     * @throws IllegalArgumentException if this kind cannot have that size
     */
    FilterShape plan(FilterSize size, long n);

    /** Returns the false-positive rate to expect with n keys, at least one. */
    double rate(double n, FilterShape shape);

    /** Creates an empty filter. */
    Filter create(FilterShape shape);

    /** Returns the limit that these numbers break, in words, or an empty text if they keep all. */
    default String brokenLimit(long m, int k, int rows) {
        return rows == 1 ? "" : "one row";
    }
}
