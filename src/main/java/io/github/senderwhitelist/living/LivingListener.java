package io.github.senderwhitelist.living;

import io.github.senderwhitelist.snapshot.BuildProgress.Phase;

import java.util.List;

/** Is told what happens to a living list, for the log. */
public interface LivingListener {
    /** A base was made of the whole table and is in force. */
    void built(LivingStatus status);

    /**
     * The whole table was read again, compared with what was in force, and is in force now.
     *
     * @param status the state now, with the number of differences
     * @param first the first of them, for people
     */
    default void compared(LivingStatus status, List<String> first) {}

    /** The base that was kept is in force, and will be with the changes since then. */
    default void resumed(LivingStatus status) {}

    /** The base that was kept cannot be used. The whole table is read instead. */
    default void notResumed(Exception cause) {}

    /** The changes do not go on from where they were read last, so all entries are read again. */
    default void lost() {}

    /** A row of the database cannot be used, and counts as if it were not there. */
    default void unreadable(String why) {}

    /** Reports how far the making of a base is. */
    default void progress(Phase phase, long done, long total) {}

    /**
     * Something cannot be done. Reported once until it can be done again.
     *
     * @param what what could not be done
     */
    void failed(String what, Throwable cause);

    /** All is well again. */
    void recovered();
}
