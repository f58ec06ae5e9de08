package io.github.senderwhitelist.compare;

import org.jspecify.annotations.Nullable;

/**
 * The measurements of one set. Times are in nanoseconds; NaN stands for what does not apply.
 *
 * @param name the name of the set; for a filter the label of its kind
 * @param addresses the number of addresses it held
 * @param bytes the memory it took
 * @param k the {@link io.github.senderwhitelist.filter.FilterShape#k} of a filter, else 0
 * @param predictedRate the false-positive rate that the formula gives
 * @param buildNanos the time of building it, per address
 * @param listedNanos the time of an answer for a listed address, hashing included
 * @param strangerNanos the time of an answer for a stranger, hashing included
 * @param more what is measured of sets of all addresses only, else null
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
     * What is measured of sets of all addresses only.
     *
     * @param rate the measured false-positive rate of a filter, else null
     * @param addNanos the time of adding an address, hashing included
     * @param removeNanos the time of removing an address, hashing included
     * @param growth the measurements of a growing filter with twice the addresses, else null
     */
    public record More(
            @Nullable Rate rate, double addNanos, double removeNanos, @Nullable Growth growth) {}

    /**
     * A filter that was given twice as many addresses as planned.
     *
     * @param bytes the memory it took then
     * @param predictedRate the rate that the formula gives
     * @param rate the measured rate
     */
    public record Growth(long bytes, double predictedRate, Rate rate) {}

    /** Returns the memory per address. */
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
