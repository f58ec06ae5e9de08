package io.github.senderwhitelist.snapshot;

import java.io.IOException;
import java.nio.file.Path;

/** Thrown if a snapshot file cannot be used. The message says which, why, and what to do. */
public final class SnapshotException extends IOException {
    private static final long serialVersionUID = 1L;

    SnapshotException(Path file, String message) {
        super(file + ": " + message);
    }
}
