package io.github.senderwhitelist.living;

/**
 * What base and changes lack that the log does not bring, and only a reading of the table does.
 * Changes that are logged afterwards apply all the same.
 */
enum Owing {
    /** They lack nothing. */
    NOTHING,

    /** The entries of a bulk, which the log does not name. */
    BULK,

    /**
     * Perhaps anything, since the log does not continue from where it was read: the list is behind.
     */
    BREAK;

    /** Returns what is owed by who owes this and that. */
    Owing and(Owing other) {
        return compareTo(other) < 0 ? other : this;
    }
}
