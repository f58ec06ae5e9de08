package io.github.senderwhitelist.compare;

import org.jspecify.annotations.Nullable;

/**
 * What one set took and gave. Times are in nanoseconds; NaN stands for what does not apply.
 *
 * @param name the label of a kind of filter, or what else it is
 * @param addresses how many it held
 * @param bytes the memory it took
 * @param k of a filter, its {@link io.github.senderwhitelist.filter.FilterShape#k}; else 0
 * @param predictedRate the false-positive rate by the formula
 * @param buildNanos time of making it, per address
 * @param listedNanos time of an answer for a listed address, its hash included
 * @param strangerNanos the same for one that is not listed
 * @param more what is measured of all addresses only, else null
 */
public record Row(
        String name,
        int addresses,
        long bytes,
        int k,
        double predictedRate,
        double buildNanos,
        double listedNanos,
        double strangerNanos,
        @Nullable More more) {

    /**
     * More of it.
     *
     * @param rate the measured false-positive rate of a filter; else null
     * @param addNanos time of adding one more address, its hash included
     * @param removeNanos time of removing it
     * @param growth of a filter that grows, what became of it; else null
     */
    public record More(
            @Nullable Rate rate, double addNanos, double removeNanos, @Nullable Growth growth) {}

    /**
     * A filter that was given twice as many addresses as planned.
     *
     * @param bytes the memory it took then
     * @param predictedRate its rate by the formula
     * @param rate the measured one
     */
    public record Growth(long bytes, double predictedRate, Rate rate) {}

    /** The memory per address. */
    public double bitsPerAddress() {
        return 8.0 * bytes / addresses;
    }

    Row with(More of) {
        return new Row(
                name,
                addresses,
                bytes,
                k,
                predictedRate,
                buildNanos,
                listedNanos,
                strangerNanos,
                of);
    }
}
