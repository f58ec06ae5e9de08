package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Objects;

/**
 * {@code export FILE}, {@code export --list NAME}: prints the entries of a snapshot or of a living
 * list as text, in the order of their keys.
 */
@Command(
        name = "export",
        description = "Writes the entries of a snapshot, or of a living list, as a text list.",
        mixinStandardHelpOptions = true)
final class ExportCommand extends Subcommand {
    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            converter = Values.File.class,
            description = "A snapshot (.swl); without it, a living list (--list).")
    private @Nullable Path file;

    @Mixin private final LivingOptions living = new LivingOptions();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = out();
        if (living.any() == (file != null)) {
            throw wrong("a FILE or --list is needed, and not both");
        }
        if (file == null) {
            try (LivingPlace place = living.open()) {
                place.forEachLine(out::println);
            }
            return Main.DONE;
        }
        try (Snapshot snapshot = Snapshot.openStore(Disk.LOCAL, file)) {
            Objects.requireNonNull(snapshot.store())
                    .forEach(entry -> entry.lines().forEach(out::println));
        }
        return Main.DONE;
    }
}
