package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

/** The options that choose the filter of a snapshot. */
final class FilterOptions extends FilterSizeOptions {
    private final Given<FilterKind> kind =
            option(
                    "--filter",
                    "KIND",
                    ValueType.oneOf(FilterKind.class, FilterKind::label),
                    "Kind of filter: classic, blocked (default), counting, scalable, cuckoo, fuse,"
                            + " ribbon (default with --bits-per-address from 7.25).");

    FilterOptions(Options command) {
        super(command);
    }

    /** Returns the kind that is given, or the usual one for a size. */
    FilterKind kind(FilterSize size) {
        return kind.or(size.usualKind());
    }

    boolean kindIsGiven() {
        return kind.isThere();
    }

    BuildOptions buildOptions() {
        FilterSize asked = size();
        try {
            return BuildOptions.of(kind.orNull(), asked == null ? FilterDefaults.SIZE : asked);
        } catch (IllegalArgumentException e) {
            throw wrong(RATE + ": " + e.getMessage());
        }
    }
}
