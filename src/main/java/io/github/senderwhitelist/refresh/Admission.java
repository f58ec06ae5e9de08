package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.snapshot.SnapshotHeader;

import java.io.IOException;

/** The check whether a snapshot may replace the one before. */
@FunctionalInterface
interface Admission {
    /**
     * Does nothing if the snapshot may replace the one before.
     *
     * @throws IOException if it may not; the message says why
     */
    void check(SnapshotHeader header) throws IOException;
}
