package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.SenderList;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;

/**
 * A list that is open to be read, in a {@linkplain FileList file} or in a {@linkplain DatabaseList
 * database}. Commands that only read do not know which.
 */
interface OpenList extends Closeable {
    /** One entry after the other. Commands that compare lists walk through two at a time. */
    @FunctionalInterface
    interface Walk {
        /** Returns the next entry, or null after the last. */
        @Nullable Entry next() throws IOException;
    }

    /** Returns the lines of the list as checks ask for them. */
    SenderList lines();

    /**
     * Returns a walk through the entries, which have rules, in the order of {@link Entry#ORDER}.
     *
     * @param to the recipient for whom alone entries are wanted, or null
     */
    Walk walk(@Nullable Key to) throws IOException;
}
