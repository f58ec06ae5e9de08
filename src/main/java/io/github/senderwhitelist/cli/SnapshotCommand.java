package io.github.senderwhitelist.cli;

import java.io.IOException;
import java.nio.file.Path;

/** A command whose argument is one snapshot. */
abstract class SnapshotCommand extends Subcommand {
    private final Given<Path> file = argument(0, "FILE", Values.file(), "A snapshot (.swl).");

    SnapshotCommand(String name, String description) {
        super(name, description);
    }

    /** Returns the snapshot's file. */
    final Path file() throws IOException {
        return Lists.existing(file.value());
    }

    @Override
    final boolean leavesNothing() {
        return true;
    }
}
