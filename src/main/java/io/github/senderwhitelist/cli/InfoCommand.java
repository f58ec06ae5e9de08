package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * {@code info FILE}: prints what the header of a snapshot says. Nothing but the header is read, so
 * it takes no time on snapshots of any size, and tells nothing of damage behind the header.
 */
@Command(
        description = "Prints the header of a snapshot.",
        footer = {"  whitelist info whitelist.swl", "  whitelist info --json whitelist.swl"})
final class InfoCommand extends Subcommand {
    @Parameters(paramLabel = "FILE", description = "A snapshot (.swl).")
    private Path file = Path.of("");

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** What is printed, in the same order in both forms. */
    private final List<String> lines = new ArrayList<>();

    @Override
    int call() throws IOException {
        SnapshotHeader header = Snapshot.readHeader(Disk.LOCAL, OthersFolders.readable(file));
        FilterShape filter = header.addressFilter();
        long n = header.addresses();
        Instant built = Instant.ofEpochMilli(header.buildTime());
        add("formatVersion", SnapshotHeader.VERSION);
        add("keyVersion", AddressSyntax.VERSION);
        add("addresses", n);
        add("domains", header.domains());
        add("forSomeRecipients", header.pairs());
        add("denied", header.denied());
        add("conditional", header.conditional());
        add("filter", filter.kind().label());
        add("m", filter.m());
        add("k", filter.k());
        BigDecimal rate = new BigDecimal(filter.rate(n)).round(new MathContext(6));
        add("falsePositiveRate", rate.doubleValue());
        add("memoryBytes", filter.bytes());
        add("diskBytes", header.fileLength());
        add("storeBytes", header.storeBytes());
        add("built", header.buildTime() == 0 ? "not recorded" : built.toString());
        add("sourceDigest", header.sourceDigest());
        out.println(json ? "{\n" + String.join(",\n", lines) + "\n}" : String.join("\n", lines));
        return Main.DONE;
    }

    /** Adds a value; texts among them need no escapes. */
    private void add(String name, Object value) {
        String quotes = value instanceof String ? "\"" : "";
        String form = json ? "  \"%1$s\": %3$s%2$s%3$s" : "%-20s%s";
        lines.add(String.format(Locale.ROOT, form, name, value, quotes));
    }
}
