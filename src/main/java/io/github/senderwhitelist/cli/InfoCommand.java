package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code info FILE}: prints what the header of a snapshot says. Nothing but the header is read. */
@Command(
        name = "info",
        description = "Prints the header of a snapshot.",
        footer = {"  whitelist info whitelist.swl", "  whitelist info --json whitelist.swl"})
final class InfoCommand extends Subcommand {
    @Parameters(paramLabel = "FILE", description = "A snapshot (.swl).")
    private Path file = Path.of("");

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    boolean leavesNothing() {
        return true;
    }

    @Override
    int call() throws IOException {
        SnapshotHeader header = Snapshot.readHeader(Disk.LOCAL, ListFiles.existing(file));
        Table.print(out(), json, values(header));
        return Main.DONE;
    }

    /** Returns the values by name, in the order in which they are printed. */
    private static Map<String, Object> values(SnapshotHeader header) {
        long n = header.addresses();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("formatVersion", SnapshotHeader.VERSION);
        values.put("keyVersion", AddressSyntax.VERSION);
        values.put("addresses", n);
        values.put("domains", header.domains());
        values.put("forSomeRecipients", header.pairs());
        values.put("denied", header.denied());
        values.put("conditional", header.conditional());
        values.put("filter", header.addressFilter().kind().label());
        values.put("m", header.addressFilter().m());
        values.put("k", header.addressFilter().k());
        values.put("bitsPerAddress", ratio(header.addressFilter().m(), n));
        values.put("falsePositiveRate", Json.rounded(header.addressFilter().rate(n)));
        values.put("memoryBytes", header.addressFilter().bytes());
        values.put("domainFilterM", header.domainFilter().m());
        values.put("domainFilterK", header.domainFilter().k());
        values.put("diskBytes", header.fileLength());
        values.put("storeBytes", header.storeBytes());
        values.put("storeInMemory", header.storeBytes() <= Snapshot.EXACT_MEMORY);
        values.put("storeBytesPerEntry", ratio(header.storeBytes(), header.entries()));
        values.put(
                "built",
                header.buildTime() == 0
                        ? "not recorded"
                        : Instant.ofEpochMilli(header.buildTime()).toString());
        values.put("sourceDigest", header.sourceDigest());
        return values;
    }

    private static double ratio(long a, long b) {
        return b == 0 ? 0 : Json.rounded((double) a / (double) b);
    }
}
