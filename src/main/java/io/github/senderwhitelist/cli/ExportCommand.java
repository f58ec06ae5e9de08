package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;

import picocli.CommandLine.Command;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;

/** {@code export FILE}: prints the entries of a snapshot as text, in the order of their keys. */
@Command(
        name = "export",
        description = "Writes the entries of a snapshot as a text list.",
        mixinStandardHelpOptions = true)
final class ExportCommand extends SnapshotCommand {
    @Override
    public Integer call() throws IOException {
        PrintWriter out = out();
        try (Snapshot snapshot = Snapshot.openStore(Disk.LOCAL, file())) {
            Objects.requireNonNull(snapshot.store())
                    .forEach(entry -> entry.lines().forEach(out::println));
        }
        return Main.DONE;
    }
}
