package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

/** The options that choose the filter of a snapshot. */
final class FilterOptions extends FilterSizeOptions {
    @Option(
            names = "--filter",
            paramLabel = "KIND",
            converter = Values.Kind.class,
            description =
                    "Kind of filter: classic, blocked (default), counting, scalable, cuckoo, fuse,"
                            + " ribbon (default with --bits-per-address from 7.25).")
    private @Nullable FilterKind kind;

    /** Returns the kind that is given, or the usual one for a size. */
    FilterKind kind(FilterSize size) {
        return kind == null ? size.usualKind() : kind;
    }

    boolean kindIsGiven() {
        return kind != null;
    }

    BuildOptions buildOptions() {
        FilterSize asked = size();
        FilterSize size = asked == null ? FilterDefaults.SIZE : asked;
        BuildOptions options = new BuildOptions(kind(size), size);
        try {
            options.addressFilter(1);
            return options;
        } catch (IllegalArgumentException e) {
            throw wrong(RATE + ": " + e.getMessage());
        }
    }
}
