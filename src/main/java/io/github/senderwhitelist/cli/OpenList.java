package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.SenderList;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;

/** A list that is open to be read, in a file or in a database. */
interface OpenList extends Closeable {
    /** One entry after the other. */
    @FunctionalInterface
    interface Walk {
        /** Returns the next entry, or null after the last. */
        @Nullable Entry next() throws IOException;
    }

    /**
     * Opens a list.
     *
     * @param filters whether to load filters, which pays only for many questions
     * @param complaints take the lines of a text list that were skipped
     */
    static OpenList open(Place.Named named, boolean filters, Complaints complaints)
            throws IOException {
        // A switch over types takes longer to begin with than a lookup.
        if (named instanceof Place.InDatabase list) {
            return DatabaseList.open(list);
        }
        FileList list = FileList.open(((Place.InFile) named).file(), filters);
        list.complain(complaints);
        return list;
    }

    /** Returns the lines of the list as checks ask for them. */
    SenderList lines();

    /** Returns a walk through what the list has, in the order of {@link Entry#ORDER}. */
    Walk all(@Nullable Key to);

    /**
     * Returns a walk through the entries with rules.
     *
     * @param to the recipient for whom alone entries are wanted, or null
     */
    default Walk entries(@Nullable Key to) {
        Walk all = all(to);
        return () -> {
            Entry entry = all.next();
            while (entry != null
                    && (entry.rules().isEmpty() || (to != null && !to.equals(entry.to())))) {
                entry = all.next();
            }
            return entry;
        };
    }
}
