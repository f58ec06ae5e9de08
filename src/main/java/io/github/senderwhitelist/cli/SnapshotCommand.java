package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.Objects;

/** A command whose argument is one snapshot. */
abstract class SnapshotCommand extends Subcommand {
    @Parameters(
            index = "0",
            paramLabel = "FILE",
            converter = Values.File.class,
            description = "A snapshot (.swl).")
    private @Nullable Path file;

    /** Returns the snapshot's file. */
    final Path file() {
        return Objects.requireNonNull(file);
    }
}
