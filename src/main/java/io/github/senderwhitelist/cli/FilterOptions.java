package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.OptionSpec;

/** The options that choose the filter of a snapshot. */
final class FilterOptions extends Options {
    private static final String RATE = "--false-positive-rate";

    private final OptionSpec rate =
            builder(
                            RATE,
                            "P",
                            BuildOptions.RATES,
                            "The share of strangers the filter lets through to the exact lookup"
                                    + " (default: 0.001).")
                    .build();

    private final OptionSpec bits =
            builder(
                            "--bits-per-address",
                            "B",
                            BuildOptions.BITS,
                            "The filter's size in bits per address.")
                    .build();

    private final Given<FilterKind> kind =
            option(
                    "--filter",
                    "KIND",
                    ValueType.oneOf(FilterKind.class, FilterKind::label),
                    "Kind of filter: classic, blocked (default), ribbon (default with"
                            + " --bits-per-address from 7.25).");

    FilterOptions(Options command) {
        super(command);
        either(rate, bits);
    }

    /** Returns the requested size, or null when no size was requested. */
    @Nullable FilterSize size() {
        return rate.getValue() == null ? bits.getValue() : rate.getValue();
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
