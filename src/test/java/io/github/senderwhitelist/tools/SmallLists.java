package io.github.senderwhitelist.tools;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Snapshots of a few lines, and senders to ask them for. */
public final class SmallLists {
    /** So few bits that strangers for whom the filter says "maybe" are soon found. */
    public static final BuildOptions LOOSE =
            new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(1));

    public static final BuildOptions TIGHT =
            new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(1e-4));

    private SmallLists() {}

    /** Builds a snapshot of these lines and opens it. */
    public static Snapshot snapshot(Path folder, BuildOptions options, String... lines)
            throws IOException {
        Path file = folder.resolve("list-" + String.join("", lines).hashCode() + ".swl");
        byte[] text = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
        Builds.of(options, 42).build(text, file);
        return Snapshot.open(Disk.LOCAL, file);
    }

    /** Returns the address that is written so. */
    public static Address address(String text) {
        return (Address) AddressSyntax.parse(text);
    }
}
