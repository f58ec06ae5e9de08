package io.github.senderwhitelist.living;

import java.io.IOException;

/** Is told what happens to a living list, for the log. */
public interface LivingListener {
    /** The filters were filled with all entries and are in force. */
    void built(LivingStatus status);

    /** The filters that were kept were read, and will be in force with the changes since then. */
    default void resumed() {}

    /** The changes do not go on from where they were read last, so all entries are read again. */
    default void lost() {}

    /**
     * The filters cannot be kept in their file, or those that were kept cannot be used. The list is
     * in force all the same; the next start takes longer.
     */
    default void notKept(IOException cause) {}

    /**
     * The database cannot be read. Told once until it can be read again.
     *
     * @param what what could not be done
     */
    void failed(String what, Throwable cause);

    /** The database can be read again. */
    void recovered();
}
