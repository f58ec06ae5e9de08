package io.github.senderwhitelist.living;

import io.github.senderwhitelist.snapshot.BuildProgress.Phase;

import java.util.List;

/** A listener to the events of a living list, for the log. */
public interface LivingListener {
    /** A base was made of the whole table and is in force. */
    default void built(LivingStatus status) {}

    /**
     * The whole table was read again, compared with the entries in force, and is in force now.
     *
     * @param status the state now, with the number of differences
     * @param first the first of them, for people
     */
    default void compared(LivingStatus status, List<String> first) {}

    /** The base that was kept is in force, and will be with the changes since then. */
    default void resumed(LivingStatus status) {}

    /** The base that was kept cannot be used. The whole table is read instead. */
    default void notResumed(Exception cause) {}

    /** The feed does not continue from where it was read last, so all entries are read again. */
    default void lost() {}

    /** A row of the database cannot be used, and counts as if it were not there. */
    default void unreadable(String why) {}

    /** Reports the progress of making a base. */
    default void progress(Phase phase, long done, long total) {}

    /**
     * Something cannot be done. Reported once until it can be done again.
     *
     * @param what the action that failed
     */
    default void failed(String what, Throwable cause) {}

    /** All is well again. */
    default void recovered() {}
}
