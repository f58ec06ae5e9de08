package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.filter.FilterSize;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.Objects;

/** The options that choose the size of filters. */
class FilterSizeOptions {
    static final String RATE = "--false-positive-rate";

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @ArgGroup private @Nullable Size size;

    /** Two ways to give the size, of which one is allowed. */
    static final class Size {
        @Option(
                names = RATE,
                paramLabel = "P",
                converter = Values.Rate.class,
                description =
                        "The share of strangers the filter lets through to the exact lookup"
                                + " (default: 0.001; compare: 12 bits per address).")
        private @Nullable FilterSize rate;

        @Option(
                names = "--bits-per-address",
                paramLabel = "B",
                converter = Values.Bits.class,
                description = "The filter's size in bits per address.")
        private @Nullable FilterSize bits;
    }

    /** Returns the requested size, or null when no size was requested. */
    final @Nullable FilterSize size() {
        if (size == null) {
            return null;
        }
        return size.rate == null ? size.bits : size.rate;
    }

    final ParameterException wrong(String message) {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        return new ParameterException(line, message);
    }
}
