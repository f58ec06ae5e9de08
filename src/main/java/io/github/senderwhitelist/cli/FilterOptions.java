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

    FilterKind kind() {
        return kind == null ? sizeOrUsual().usualKind() : kind;
    }

    boolean kindIsGiven() {
        return kind != null;
    }

    BuildOptions buildOptions() {
        BuildOptions options = new BuildOptions(kind(), sizeOrUsual());
        try {
            options.addressFilter(1);
            return options;
        } catch (IllegalArgumentException e) {
            throw wrong(RATE + ": " + e.getMessage());
        }
    }

    private FilterSize sizeOrUsual() {
        FilterSize wanted = size();
        return wanted == null ? FilterDefaults.OPTIONS.size() : wanted;
    }
}
