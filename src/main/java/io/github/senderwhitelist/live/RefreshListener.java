package io.github.senderwhitelist.live;

import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/** Is told what becomes of a list; called by the thread that refreshes it. */
public interface RefreshListener {
    /**
     * A generation came into force.
     *
     * @param report of the build, or null when a finished snapshot was loaded
     */
    void loaded(Path list, SnapshotHeader generation, @Nullable BuildReport report);

    /**
     * The file was read and holds what is in force.
     *
     * @param generation what is in force
     */
    default void unchanged(Path list, SnapshotHeader generation) {}

    /**
     * Something is not as it should be, though nothing was refused.
     *
     * @param warning what is wrong with the file, and what happens now
     */
    default void warned(Path list, String warning) {}

    /**
     * A list was not taken; the generation in force stays.
     *
     * @param inForce what stays, for a person to read
     * @param reason why, and what to do
     * @param cause what was thrown, if anything
     */
    void refused(Path list, String inForce, String reason, @Nullable Throwable cause);
}
