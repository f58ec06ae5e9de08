package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.cli.BuildCommand.FilterOptions;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code plan --addresses N}: computes size and false-positive rate of the filter that {@code
 * build} would make for N addresses with the same options.
 *
 * <p>Of the filter all is exact, by the formulas that a build uses. What the exact store takes
 * depends on the addresses, so that is only about right.
 */
@Command(
        description = "Prints m, k, false-positive rate, memory and disk of a filter.",
        footer = {
            "  whitelist plan --addresses 10^9 --bits-per-address 8",
            "  whitelist plan --addresses 1000000 --filter classic"
        })
final class PlanCommand extends Subcommand {
    private static final ValueType<Long> COUNT = ValueType.whole(1, Long.MAX_VALUE);

    /**
     * The bytes that the exact store takes for an address. Measured: 8.0 and 10.5 at 10^6 for
     * addresses as people have them and for generated ones, 9.1 at 10^7; see the manual.
     */
    private static final int STORE_BYTES = 10;

    private static final int STORE_BYTES_OF_MANY = 9;
    private static final long MANY = 5_000_000;

    /** The bytes that an exact store takes whatever it holds: part of a block, and its tables. */
    private static final long MIN_STORE = 2_080;

    @Option(names = "--addresses", required = true, description = "How many: 1000000, 10^9, 1e9.")
    private String count = "";

    @Mixin private FilterOptions filter = new FilterOptions();

    @Override
    int call() {
        long n = value("--addresses", count, COUNT);
        BuildOptions options = filter.buildOptions(this);
        FilterShape shape;
        try {
            shape = options.addressFilter(n);
        } catch (IllegalArgumentException e) {
            throw wrong("--addresses '" + n + "': " + e.getMessage());
        }
        long entries = (n < MANY ? STORE_BYTES : STORE_BYTES_OF_MANY) * n;
        long store = MIN_STORE + entries;
        say(
                "%s; the exact store takes about %s, on disk %s",
                Numbers.count(n, "address", "addresses"),
                Numbers.bytes(store),
                store <= Snapshot.EXACT_MEMORY ? "and in memory (exactMemory)" : "only");
        say("filter   bits/address            m   k false-positive rate    memory      disk");
        say(
                "%-8s %12.3f %12d %3d %19s %9s %9s",
                options.kind().label(),
                (double) shape.m() / (double) n,
                shape.m(),
                shape.k(),
                Numbers.percent(shape.rate(n)),
                Numbers.bytes(shape.bytes()),
                Numbers.bytes(Snapshot.SMALLEST + entries + shape.bytes()));
        return Main.DONE;
    }
}
