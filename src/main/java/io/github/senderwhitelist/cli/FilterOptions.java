package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that decide the filter of a snapshot. */
final class FilterOptions {
    static final double DEFAULT_RATE = 0.001;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @ArgGroup private @Nullable Size size;

    @Option(
            names = "--filter",
            paramLabel = "KIND",
            description =
                    "Kind of filter: classic, blocked (default), counting, scalable, cuckoo, fuse,"
                            + " ribbon.")
    private @Nullable String kind;

    /** One of the two. */
    static final class Size {
        @Option(
                names = "--false-positive-rate",
                paramLabel = "P",
                description =
                        "The share of strangers the filter lets through to the exact lookup"
                                + " (default: 0.001).")
        private @Nullable Double rate;

        @Option(
                names = "--bits-per-address",
                paramLabel = "B",
                description = "The filter's size in bits per address.")
        private @Nullable Double bits;
    }

    FilterKind kind() {
        return kind == null
                ? FilterKind.BLOCKED
                : FilterKind.of(kind)
                        .orElseThrow(
                                () ->
                                        wrong(
                                                "--filter "
                                                        + kind
                                                        + "; allowed: "
                                                        + FilterKind.labels()));
    }

    boolean kindIsGiven() {
        return kind != null;
    }

    /** The rate or the bits asked for, or null when neither was. */
    @Nullable FilterSize size() {
        try {
            if (size == null) {
                return null;
            }
            return size.rate != null
                    ? FilterSize.ofRate(size.rate)
                    : size.bits == null ? null : FilterSize.ofBitsPerKey(size.bits);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    BuildOptions buildOptions() {
        FilterSize wanted = size();
        BuildOptions options =
                new BuildOptions(kind(), wanted == null ? FilterSize.ofRate(DEFAULT_RATE) : wanted);
        try {
            options.addressFilter(1);
            return options;
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException wrong(String message) {
        CommandLine line = java.util.Objects.requireNonNull(spec).commandLine();
        return new ParameterException(line, message);
    }
}
