package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.util.List;

/**
 * The options that choose the filter of a snapshot: its size in one of two measures, its kind. A
 * server that builds a list itself understands the same values, with the same defaults.
 */
final class FilterOptions {
    private static final ValueType<FilterKind> KINDS =
            ValueType.oneOf(FilterKind::label, List.of(FilterKind.values()));

    private static final FilterSize DEFAULT_SIZE = FilterSize.ofRate(0.001);

    /** The filter that is built when no option is given. */
    static final BuildOptions DEFAULT = new BuildOptions(DEFAULT_SIZE.usualKind(), DEFAULT_SIZE);

    @Option(names = "--false-positive-rate", description = "Of the filter (default: 0.001).")
    private @Nullable String rate;

    @Option(names = "--bits-per-address", description = "The filter's size, in place of the rate.")
    private @Nullable String bits;

    @Option(names = "--filter", description = "classic, blocked, ribbon (default: by the size).")
    @Nullable String kind;

    /** Returns the filter that is built. */
    BuildOptions buildOptions(Subcommand command) {
        if (rate != null && bits != null) {
            throw command.wrong(
                    "both --false-positive-rate and --bits-per-address; allowed: one of the two");
        }
        FilterSize size = DEFAULT_SIZE;
        if (rate != null) {
            size = command.value("--false-positive-rate", rate, BuildOptions.RATES);
        } else if (bits != null) {
            size = command.value("--bits-per-address", bits, BuildOptions.BITS);
        }
        try {
            return BuildOptions.of(
                    kind == null ? null : command.value("--filter", kind, KINDS), size);
        } catch (IllegalArgumentException e) {
            throw command.wrong("--false-positive-rate: " + e.getMessage());
        }
    }
}
