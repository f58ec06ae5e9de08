package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.filter.Filter;

import java.util.ArrayList;
import java.util.List;

/**
 * A measured false-positive rate.
 *
 * @param positives strangers answered "perhaps"
 * @param strangers all that were asked for, at least one
 */
public record Rate(long positives, long strangers) {
    private static final int AT_A_TIME = 1 << 12;
    private static final long LEAST_STRANGERS = 1_000_000;

    /** So many false positives tell the rate to a tenth, in 95 of 100 cases. */
    private static final double WANTED = 400;

    /** The rate. */
    public double value() {
        return (double) positives / strangers;
    }

    /**
     * How far the true rate may be from it, in 95 of 100 measurements: 1.96 standard deviations of
     * the count. Never 0: no positives at all prove no rate of 0.
     */
    public double margin() {
        return 1.96 * Math.sqrt(Math.max(1, positives * (1 - value()))) / strangers;
    }

    /**
     * The rates of filters, in their order, on the same strangers: 10^6, or more for low rates.
     *
     * @param least the least rate that is expected
     * @param most of strangers
     */
    static List<Rate> of(List<Filter> filters, KeyHasher hasher, double least, long most) {
        long strangers = (long) Math.clamp(WANTED / least, LEAST_STRANGERS, (double) most);
        long[] positives = new long[filters.size()];
        long[] hashes = new long[AT_A_TIME];
        for (long first = 0; first < strangers; first += AT_A_TIME) {
            int count = (int) Math.min(AT_A_TIME, strangers - first);
            for (int i = 0; i < count; i++) {
                hashes[i] = hasher.hash(GeneratedAddresses.stranger(first + i));
            }
            for (int i = 0; i < positives.length; i++) {
                positives[i] += count(filters.get(i), hashes, count);
            }
        }
        List<Rate> rates = new ArrayList<>();
        for (long count : positives) {
            rates.add(new Rate(count, strangers));
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
