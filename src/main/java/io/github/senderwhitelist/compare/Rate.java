package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.filter.Filter;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A measured false-positive rate.
 *
 * @param positives the strangers answered with "perhaps"
 * @param strangers the strangers looked up, at least one
 */
public record Rate(long positives, long strangers) {
    private static final int AT_A_TIME = 1 << 12;

    /** With this many false positives the rate is exact to ten percent in 95 of 100 cases. */
    private static final double WANTED = 400;

    /** Returns the rate. */
    public double value() {
        return (double) positives / strangers;
    }

    /**
     * Returns how far the true rate is from the measured one at most, in 95 of 100 measurements:
     * 1.96 standard deviations. It is never 0, because a measurement without positives does not
     * prove a rate of 0.
     */
    public double margin() {
        return 1.96 * Math.sqrt(Math.max(1, positives * (1 - value()))) / strangers;
    }

    /**
     * Measures the rates of filters on the same strangers. Each filter is queried for as many as
     * its expected rate needs.
     *
     * @param n the number of keys that the filters hold
     * @param least the fewest strangers to look up
     * @param most the most strangers to look up
     * @return the rates in the order of the filters
     */
    static List<Rate> of(List<Filter> filters, Strangers strangers, long n, long least, long most) {
        long[] wanted =
                filters.stream()
                        .mapToLong(
                                filter ->
                                        (long)
                                                Math.clamp(
                                                        WANTED / filter.shape().rate(n),
                                                        (double) least,
                                                        (double) most))
                        .toArray();
        long[] positives = new long[wanted.length];
        long[] hashes = new long[AT_A_TIME];
        long all = Arrays.stream(wanted).max().orElse(0);
        for (long first = 0; first < all; first += AT_A_TIME) {
            strangers.hashes(first, hashes, (int) Math.min(AT_A_TIME, all - first));
            for (int i = 0; i < wanted.length; i++) {
                int asked = Math.clamp(wanted[i] - first, 0, AT_A_TIME);
                positives[i] += count(filters.get(i), hashes, asked);
            }
        }
        List<Rate> rates = new ArrayList<>();
        for (int i = 0; i < wanted.length; i++) {
            rates.add(new Rate(positives[i], wanted[i]));
        }
        return rates;
    }

    private static int count(Filter filter, long[] hashes, int length) {
        int count = 0;
        for (int i = 0; i < length; i++) {
            if (filter.mightContain(hashes[i])) {
                count++;
            }
        }
        return count;
    }
}
