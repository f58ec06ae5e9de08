package io.github.senderwhitelist.living;

/** A listener to the events of a living list, for the log. */
public interface LivingListener {
    /** All entries were read from the table and are active. */
    default void tableRead(LivingStatus status) {}

    /** The base that was kept is active, and will be with the changes since then. */
    default void resumed(LivingStatus status) {}

    /** The base that was kept cannot be used. The whole table is read instead. */
    default void notResumed(Exception cause) {}

    /** The log does not continue from where it was read last, so the table is read. */
    default void broken() {}

    /** A row of the database cannot be used, and counts as if it were not there. */
    default void unreadable(String why) {}

    /**
     * Something cannot be done. Reported once until it can be done again.
     *
     * @param what the action that failed
     */
    default void failed(String what, Throwable cause) {}

    /** All is well again. */
    default void recovered() {}
}
