package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.filter.Filter;

import java.util.Arrays;
import java.util.List;

/**
 * A measured false-positive rate.
 *
 * @param positives the strangers answered with "perhaps"
 * @param strangers the strangers asked for, at least one
 */
public record Rate(long positives, long strangers) {
    /** The fewest strangers asked for, whatever the rate. */
    static final int LEAST_STRANGERS = 1_000_000;

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
     * Measures the rates of filters on the same strangers: 10^6 of them, or more for low rates.
     *
     * @param least the lowest rate expected
     * @param most the most strangers to ask for
     * @return the rates in the order of the filters
     */
    static List<Rate> of(List<Filter> filters, Strangers strangers, double least, long most) {
        long count = (long) Math.clamp(WANTED / least, LEAST_STRANGERS, (double) most);
        long[] positives = new long[filters.size()];
        long[] hashes = new long[AT_A_TIME];
        for (long first = 0; first < count; first += AT_A_TIME) {
            int asked = (int) Math.min(AT_A_TIME, count - first);
            strangers.hashes(first, hashes, asked);
            for (int i = 0; i < positives.length; i++) {
                positives[i] += count(filters.get(i), hashes, asked);
            }
        }
        return Arrays.stream(positives).mapToObj(found -> new Rate(found, count)).toList();
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
