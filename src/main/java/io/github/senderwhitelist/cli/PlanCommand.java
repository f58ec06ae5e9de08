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

import java.util.Locale;

/** {@code plan --addresses N}: computes size and false-positive rate of filters for N addresses. */
@Command(
        name = "plan",
        description =
                "Prints m, k, false-positive rate, memory and disk of each kind of filter for a"
                        + " number of addresses.",
        footer = {
            "  whitelist plan --addresses 10^9 --bits-per-address 8",
            "  whitelist plan --addresses 1000000"
        })
final class PlanCommand extends Subcommand {
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
    int call() {
        addresses = value("--addresses", count, ValueType.whole(1, Long.MAX_VALUE));
        BuildOptions options = filter.buildOptions(this);
        try {
            options.addressFilter(addresses);
        } catch (IllegalArgumentException e) {
            throw wrong("--addresses '" + addresses + "': " + e.getMessage());
        }
        long store = MIN_STORE + entryBytes();
        out.println(
                Numbers.count(addresses, "address", "addresses")
                        + "; the exact store takes about "
                        + Numbers.bytes(store)
                        + (store <= Snapshot.EXACT_MEMORY
                                ? ", on disk and in memory (exactMemory)"
                                : ", on disk only"));
        out.println(
                "filter   bits/address            m   k false-positive rate    memory      disk");
        out.println(row(options.kind(), options.size()));
        for (FilterKind kind : FilterKind.values()) {
            if (kind != options.kind() && !filter.kindIsGiven()) {
                out.println(row(kind, options.size()));
            }
        }
        return Main.DONE;
    }

    /** Returns a row of the table. If there is no filter of that size, it says why. */
    private String row(FilterKind kind, FilterSize size) {
        try {
            FilterShape shape = size.shape(kind, addresses);
            return String.format(
                    Locale.ROOT,
                    "%-8s %12.3f %12d %3d %19s %9s %9s",
                    kind.label(),
                    (double) shape.m() / (double) addresses,
                    shape.m(),
                    shape.k(),
                    Numbers.percent(shape.rate(addresses)),
                    Numbers.bytes(shape.bytes()),
                    Numbers.bytes(Snapshot.SMALLEST + entryBytes() + shape.bytes()));
        } catch (IllegalArgumentException e) {
            return String.format(Locale.ROOT, "%-8s %s", kind.label(), e.getMessage());
        }
    }

    private long entryBytes() {
        return (addresses < MANY ? STORE_BYTES : STORE_BYTES_OF_MANY) * addresses;
    }
}
