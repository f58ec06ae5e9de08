package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;

/** {@code export FILE}: the entries back as text, one a line, in the order of keys. */
@Command(
        name = "export",
        description = "Writes the entries of a snapshot as a text list.",
        mixinStandardHelpOptions = true)
final class ExportCommand implements Callable<Integer> {
    @Spec private @Nullable CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            converter = Values.File.class,
            description = "A snapshot (.swl).")
    private @Nullable Path file;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        try (Snapshot snapshot = Snapshot.openStore(Disk.LOCAL, Objects.requireNonNull(file))) {
            Objects.requireNonNull(snapshot.store())
                    .forEach(entry -> entry.lines().forEach(out::println));
        }
        return Main.DONE;
    }
}
