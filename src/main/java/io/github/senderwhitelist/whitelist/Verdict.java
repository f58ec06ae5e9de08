package io.github.senderwhitelist.whitelist;

import io.github.senderwhitelist.address.Entry;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The outcome for one sender. */
public sealed interface Verdict {

    /**
     * The sender is on a list.
     *
     * @param entry the entry that decided; with the filter alone, the key it answered "maybe" for
     */
    record Listed(Entry entry) implements Verdict {}

    /**
     * The sender is on no list, or a {@code !} entry keeps it off.
     *
     * @param denial the {@code !} entry that decided, or null
     */
    record NotListed(@Nullable Entry denial) implements Verdict {
        /** No entry at all speaks of the sender. */
        public static final NotListed STRANGER = new NotListed(null);
    }

    /**
     * A filter said "maybe" and the exact store could not answer.
     *
     * @param cause why not
     */
    record Unavailable(IOException cause) implements Verdict {}
}
