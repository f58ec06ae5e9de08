package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.stream.Stream;

/** The options that choose the filter of a snapshot. */
final class FilterOptions {
    private static final FilterSize DEFAULT_SIZE = FilterSize.ofRate(0.001);

    /** The filter that is built when no option is given. */
    static final BuildOptions DEFAULT = new BuildOptions(DEFAULT_SIZE.usualKind(), DEFAULT_SIZE);

    @ArgGroup private @Nullable Size size;

    @Option(
            names = "--filter",
            paramLabel = "KIND",
            completionCandidates = Kinds.class,
            description =
                    "classic, blocked (default), or ribbon (default from 7.25 bits per address).")
    private @Nullable FilterKind kind;

    /** The names of the kinds. */
    static final class Kinds extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        Kinds() {
            super(Stream.of(FilterKind.values()).map(FilterKind::label).toList());
        }
    }

    /** The size, in one of two measures. */
    static final class Size {
        @Option(
                names = "--false-positive-rate",
                paramLabel = "P",
                description = "The share of strangers that cost a lookup (default: 0.001).")
        private @Nullable String rate;

        @Option(
                names = "--bits-per-address",
                paramLabel = "B",
                description = "The filter's size, in place of the rate.")
        private @Nullable String bits;

        private FilterSize parsed(Subcommand command) {
            return rate == null
                    ? command.value("--bits-per-address", String.valueOf(bits), BuildOptions.BITS)
                    : command.value("--false-positive-rate", rate, BuildOptions.RATES);
        }
    }

    /** Returns whether a kind was given, so that no other is of interest. */
    boolean kindIsGiven() {
        return kind != null;
    }

    /** Returns the filter that is built. */
    BuildOptions buildOptions(Subcommand command) {
        try {
            return BuildOptions.of(kind, size == null ? DEFAULT_SIZE : size.parsed(command));
        } catch (IllegalArgumentException e) {
            throw command.wrong("--false-positive-rate: " + e.getMessage());
        }
    }
}
