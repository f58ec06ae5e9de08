package io.github.senderwhitelist.snapshot;

import java.io.IOException;
import java.nio.file.Path;

/** Thrown if a snapshot file cannot be used. The message says which, why, and what to do. */
public final class SnapshotException extends IOException {
    private static final long serialVersionUID = 1L;

    SnapshotException(Path file, String message) {
        super(file + ": " + message);
    }

    /** Returns the exception for a file that is not as it was written. */
    static SnapshotException damaged(Path file, String how) {
        return new SnapshotException(
                file, "damaged: " + how + ". Build or copy the snapshot again");
    }
}
