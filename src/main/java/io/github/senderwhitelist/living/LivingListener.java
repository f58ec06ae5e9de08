package io.github.senderwhitelist.living;

/** Is told what happens to a living list, for the log. */
public interface LivingListener {
    /** The filters were filled with all entries and are in force. */
    void built(LivingStatus status);

    /**
     * The database cannot be read. Told once until it can be read again.
     *
     * @param what what could not be done
     */
    void failed(String what, Throwable cause);

    /** The database can be read again. */
    void recovered();
}
