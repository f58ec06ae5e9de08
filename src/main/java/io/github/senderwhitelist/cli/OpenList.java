package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.EntryWalk;
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
    /** Returns the lines of the list as checks ask for them. */
    SenderList lines();

    /**
     * Returns a walk through the entries, which have rules. Commands that compare lists walk
     * through two at a time.
     *
     * @param to the recipient for whom alone entries are wanted, or null
     */
    EntryWalk walk(@Nullable Key to) throws IOException;
}
