package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * {@code plan --addresses N}: what a filter of so many addresses takes and gives, by the formulas.
 */
@Command(
        name = "plan",
        description = "Prints m, k, p and sizes for a number of addresses, over bits per address.",
        mixinStandardHelpOptions = true)
final class PlanCommand implements Callable<Integer> {
    private static final double[] USUAL_BITS = {4, 5, 6, 8, 10, 12, 14, 16, 20, 24};

    /** Measured on generated addresses of 23 bytes; see the README. */
    private static final double STORE_BYTES = 8;

    @Spec private @Nullable CommandSpec spec;

    @Option(
            names = "--addresses",
            required = true,
            paramLabel = "N",
            converter = Numbers.Count.class,
            description = "How many addresses: 1000000, 10^9, 1e9.")
    private long addresses;

    @Mixin private final FilterOptions filter = new FilterOptions();

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec);
        if (addresses < 1) {
            throw new ParameterException(
                    command.commandLine(), "--addresses " + addresses + "; allowed: from 1");
        }
        PrintWriter out = command.commandLine().getOut();
        FilterKind kind = filter.kind();
        FilterSize asked = filter.size();
        out.printf(
                Locale.ROOT,
                "n = %d addresses; filter %s; the exact store takes about %s on disk%n",
                addresses,
                kind.label(),
                Numbers.bytes((long) (STORE_BYTES * addresses)));
        out.printf(
                Locale.ROOT,
                "%10s %16s %4s %12s %12s %12s%n",
                "bits/addr",
                "m",
                "k",
                "p",
                "memory",
                "p classic");
        try {
            for (FilterSize size : sizes(asked)) {
                print(out, new BuildOptions(kind, size).addressFilter(addresses));
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()));
        }
        out.flush();
        return Main.DONE;
    }

    private static List<FilterSize> sizes(@Nullable FilterSize asked) {
        if (asked != null) {
            return List.of(asked);
        }
        List<FilterSize> sizes = new ArrayList<>();
        for (double bits : USUAL_BITS) {
            sizes.add(FilterSize.ofBitsPerKey(bits));
        }
        return sizes;
    }

    private void print(PrintWriter out, FilterShape shape) {
        double bits = (double) shape.m() / (double) addresses;
        FilterShape classic =
                FilterSize.ofBitsPerKey(Math.clamp(bits, FilterSize.MIN_BITS, FilterSize.MAX_BITS))
                        .shape(FilterKind.CLASSIC, addresses);
        out.printf(
                Locale.ROOT,
                "%10.3f %16d %4d %12s %12s %12s%n",
                bits,
                shape.m(),
                shape.k(),
                Numbers.percent(shape.rate(addresses)),
                Numbers.bytes(shape.bytes()),
                Numbers.percent(classic.rate(addresses)));
    }
}
