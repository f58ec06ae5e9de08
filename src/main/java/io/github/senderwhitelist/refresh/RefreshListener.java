package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

/**
 * A listener to the outcome of every refresh of a list, called by the thread that refreshes it.
 * Exceptions that it throws are ignored.
 */
public interface RefreshListener {
    /**
     * Reports that new content became active.
     *
     * @param header the header of the active snapshot
     * @param report the report of its build, or null when a finished snapshot was loaded
     */
    default void loaded(SnapshotHeader header, @Nullable BuildReport report) {}

    /**
     * Warns of something wrong with the file that is no reason to refuse it.
     *
     * @param warning what is wrong, and what happens now
     */
    default void warned(String warning) {}

    /**
     * Reports that the content of the file was not taken, and the active generation stays.
     *
     * @param active a description of the content that stays active, for people
     * @param reason why the content was not taken, and what to do
     * @param cause the exception, or null
     */
    default void refused(String active, String reason, @Nullable Throwable cause) {}
}
