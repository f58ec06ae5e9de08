package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.OptionSpec;

/** The options that choose the size of filters. */
class FilterSizeOptions extends Options {
    static final String RATE = "--false-positive-rate";

    private final OptionSpec rate =
            builder(
                            RATE,
                            "P",
                            BuildOptions.RATES,
                            "The share of strangers the filter lets through to the exact lookup"
                                    + " (default: 0.001; compare: 12 bits per address).")
                    .build();

    private final OptionSpec bits =
            builder(
                            "--bits-per-address",
                            "B",
                            BuildOptions.BITS,
                            "The filter's size in bits per address.")
                    .build();

    FilterSizeOptions(Options command) {
        super(command);
        either(rate, bits);
    }

    /** Returns the requested size, or null when no size was requested. */
    final @Nullable FilterSize size() {
        return rate.getValue() == null ? bits.getValue() : rate.getValue();
    }
}
