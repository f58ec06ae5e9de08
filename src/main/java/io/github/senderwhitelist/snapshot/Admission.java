package io.github.senderwhitelist.snapshot;

import java.io.IOException;

/** The check whether a snapshot may replace the one before. */
@FunctionalInterface
public interface Admission {
    /** Admits every snapshot. */
    Admission ALL = header -> {};

    /**
     * Does nothing if the snapshot may replace the one before.
     *
     * @throws IOException if it may not; the message says why
     */
    void check(SnapshotHeader header) throws IOException;
}
