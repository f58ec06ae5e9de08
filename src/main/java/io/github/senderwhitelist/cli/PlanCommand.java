package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** {@code plan --addresses N}: computes size and false-positive rate of filters for N addresses. */
@Command(
        name = "plan",
        description =
                "Prints m, k, false-positive rate and sizes for a number of addresses, over bits"
                        + " per address.",
        footer = {
            "  whitelist plan --addresses 10^9 --bits-per-address 8",
            "  whitelist plan --addresses 1000000"
        })
final class PlanCommand extends Subcommand {
    private static final List<Double> USUAL_BITS =
            List.of(4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 24.0);

    /**
     * The bytes that the exact store takes for an address. Measured: 8.0 and 10.5 at 10^6 for
     * addresses as people have them and for generated ones, 9.1 at 10^7 for generated ones; see the
     * manual.
     */
    private static final int STORE_BYTES = 10;

    /** The same for many addresses, which are closer to each other in their order. */
    private static final int STORE_BYTES_OF_MANY = 9;

    private static final long MANY = 5_000_000;

    /** The bytes that an exact store takes whatever it holds: part of a block, and its tables. */
    private static final long MIN_STORE = 2_080;

    @Option(
            names = "--addresses",
            required = true,
            paramLabel = "N",
            description = "How many addresses: 1000000, 10^9, 1e9.")
    private String count = "";

    @Mixin private FilterOptions filter = new FilterOptions();

    private long addresses;

    @Override
    boolean leavesNothing() {
        return true;
    }

    @Override
    int call() {
        addresses = value("--addresses", count, ValueType.whole(1, Long.MAX_VALUE));
        // Where not even the smallest filter can be made, all rows would say so.
        row(new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(FilterSize.MIN_BITS)));
        BuildOptions options = filter.buildOptions(this);
        FilterSize asked = filter.size(this);
        List<String> rows =
                asked == null ? USUAL_BITS.stream().map(this::row).toList() : List.of(row(options));
        long store = MIN_STORE + entryBytes();
        out().println(
                        Numbers.count(addresses, "address", "addresses")
                                + "; the exact store takes about "
                                + Numbers.bytes(store)
                                + (store <= Snapshot.EXACT_MEMORY
                                        ? ", on disk and in memory (exactMemory)"
                                        : ", on disk only"));
        String heading =
                String.format(
                        Locale.ROOT,
                        "%-8s %12s %12s %3s %19s %9s %9s",
                        "filter",
                        "bits/address",
                        "m",
                        "k",
                        "false-positive rate",
                        "memory",
                        "disk");
        out().println(heading);
        rows.forEach(out()::println);
        if (!filter.kindIsGiven()) {
            printOtherKinds(asked == null ? FilterOptions.DEFAULT_SIZE : asked);
        }
        return Main.DONE;
    }

    /** Prints what the kinds would be that are not taken, the textbook's filter first. */
    private void printOtherKinds(FilterSize size) {
        out().printf("%nother kinds of that %s%n", size.byRate() ? "rate" : "size");
        Arrays.stream(FilterKind.values())
                .filter(kind -> kind != filter.kind(size))
                .map(kind -> row(kind, size))
                .forEach(out()::println);
    }

    /** Returns a row of the kind that is built when so many bits are asked for. */
    private String row(double bits) {
        FilterSize size = FilterSize.ofBitsPerKey(bits);
        return row(filter.kind(size), size);
    }

    /** Returns a row of the table. If there is no filter of that size, it says why. */
    private String row(FilterKind kind, FilterSize size) {
        try {
            return row(new BuildOptions(kind, size).addressFilter(addresses));
        } catch (IllegalArgumentException e) {
            return String.format(Locale.ROOT, "%-8s %s", kind.label(), e.getMessage());
        }
    }

    private String row(BuildOptions options) {
        try {
            return row(options.addressFilter(addresses));
        } catch (IllegalArgumentException e) {
            throw wrong("--addresses '" + addresses + "': " + e.getMessage());
        }
    }

    private String row(FilterShape shape) {
        return String.format(
                Locale.ROOT,
                "%-8s %12.3f %12d %3d %19s %9s %9s",
                shape.kind().label(),
                (double) shape.m() / (double) addresses,
                shape.m(),
                shape.k(),
                Numbers.percent(shape.rate(addresses)),
                Numbers.bytes(shape.bytes()),
                Numbers.bytes(Snapshot.SMALLEST + entryBytes() + shape.bytes()));
    }

    private long entryBytes() {
        return (addresses < MANY ? STORE_BYTES : STORE_BYTES_OF_MANY) * addresses;
    }
}
