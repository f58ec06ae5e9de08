package io.github.senderwhitelist.importer;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.Iterator;

/** Reads lists of one foreign format, one after the other, into a ledger. */
interface Importer {

    /**
     * Begins to read a list.
     *
     * @param in the unpacked list
     * @param name what messages call the list
     */
    ListReader open(InputStream in, String name) throws IOException;

    /** Returns the lines of our list that are known only when all lists have been read. */
    default Iterator<String> rest() {
        return Collections.emptyIterator();
    }

    /** Reads one list. */
    @FunctionalInterface
    interface ListReader {
        /** Reads a line or a little more. Returns false at the end of the list. */
        boolean next() throws IOException;
    }
}
