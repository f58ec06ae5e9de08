package io.github.senderwhitelist.importer;

import java.io.IOException;

/** Reads lists of one foreign format, one after the other, into a {@link Ledger}. */
interface Importer {

    /** Begins to read a list. */
    default void begin(ForeignText text) throws IOException {}

    /** Reads a line or a little more of the list. Returns false at its end. */
    boolean next(ForeignText text) throws IOException;

    /** Writes the lines of our list that are known only when all lists have been read. */
    default void finish() {}
}
