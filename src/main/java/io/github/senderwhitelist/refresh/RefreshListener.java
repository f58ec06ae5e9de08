package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

/** A listener to the outcome of every refresh of a list, called by the thread that refreshes it. */
public interface RefreshListener {
    /**
     * New content became active.
     *
     * @param report the report of its build, or null when a finished snapshot was loaded
     */
    default void loaded(SnapshotHeader header, @Nullable BuildReport report) {}

    /** Something is wrong with the file that is no reason to refuse it. Says what happens now. */
    default void warned(String warning) {}

    /**
     * The content of the file was not taken, and the active generation stays.
     *
     * @param active a description of the content that stays active, for people
     * @param reason why the content was not taken, and what to do
     */
    default void refused(String active, String reason, @Nullable Throwable cause) {}
}
