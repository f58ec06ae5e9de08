package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Function;

/** The kind and the size of the address filter that a snapshot is built with. */
public record BuildOptions(FilterKind kind, FilterSize size) {
    public static final ValueType<FilterKind> KINDS =
            ValueType.oneOf(FilterKind::label, List.of(FilterKind.values()));

    /** The sizes of filters that people may choose by their false-positive rate. */
    public static final ValueType<FilterSize> RATES =
            sizes(ValueType.decimal(FilterSize.MIN_RATE, FilterSize.MAX_RATE), FilterSize::ofRate);

    /** The sizes of filters that people may choose by their bits per address. */
    public static final ValueType<FilterSize> BITS =
            sizes(
                    ValueType.decimal(FilterSize.MIN_BITS, FilterSize.MAX_BITS),
                    FilterSize::ofBitsPerKey);

    /**
     * Returns the filters of a wanted kind, or if it is null of the usual one, and size.
     *
     * @throws IllegalArgumentException if that kind has no such size
     */
    public static BuildOptions of(@Nullable FilterKind kind, FilterSize size) {
        BuildOptions options = new BuildOptions(kind == null ? size.usualKind() : kind, size);
        options.addressFilter(1);
        return options;
    }

    private static ValueType<FilterSize> sizes(
            ValueType<Double> numbers, Function<Double, FilterSize> size) {
        return new ValueType<>(text -> numbers.parse(text).map(size), numbers.allowed());
    }

    /** Returns the shape of the filter of n addresses. */
    public FilterShape addressFilter(long n) {
        return size.shape(kind, n);
    }

    /**
     * Returns the shape of the filter of so many domain entries: a classic one, as it is small. It
     * is queried several times for a sender, so its rate is a hundredth of the other filter's.
     */
    public FilterShape domainFilter(long domains) {
        FilterShape forMany = addressFilter(1_000_000);
        double rate = Math.max(FilterSize.MIN_RATE, forMany.rate(1_000_000) * 0.01);
        return FilterSize.ofRate(rate).shape(FilterKind.CLASSIC, domains);
    }
}
