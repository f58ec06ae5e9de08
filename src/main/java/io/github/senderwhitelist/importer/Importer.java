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
     * @param in the list, unpacked
     * @param name what messages call it
     */
    ListReader open(InputStream in, String name) throws IOException;

    /** Lines of our list that can be told only when all lists were read. */
    default Iterator<String> rest() {
        return Collections.emptyIterator();
    }

    /** A list being read. */
    @FunctionalInterface
    interface ListReader {
        /** Reads on, a line or a little more; false at the end. */
        boolean next() throws IOException;
    }
}
