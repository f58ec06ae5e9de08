package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;

/**
 * How a snapshot is made.
 *
 * @param kind the kind of the address filter
 * @param size its size
 */
public record BuildOptions(FilterKind kind, FilterSize size) {
    /** The domain filter is asked several times for one sender, so its rate is this much lower. */
    private static final double DOMAIN_RATE_SHARE = 0.01;

    /** The shape of the filter of n addresses. */
    public FilterShape addressFilter(long n) {
        return size.shape(kind, n);
    }

    /**
     * The shape of the filter of that many domain entries: classic, because it is small, with a
     * rate far enough below the address filter's that the rate a mail sees is the one asked for.
     */
    public FilterShape domainFilter(long domains) {
        FilterShape forMany = addressFilter(1_000_000);
        double rate = Math.max(FilterSize.MIN_RATE, forMany.rate(1_000_000) * DOMAIN_RATE_SHARE);
        return FilterSize.ofRate(rate).shape(FilterKind.CLASSIC, domains);
    }
}
