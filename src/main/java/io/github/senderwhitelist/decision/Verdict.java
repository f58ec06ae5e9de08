package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Entry;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The outcome for one sender and one recipient. */
public sealed interface Verdict {

    /** Why. */
    Reason reason();

    /** The entry it rests on, with the one rule that counted, or null. */
    @Nullable Entry entry();

    /**
     * The sender is on a list.
     *
     * @param entry the entry that decided; with the filter alone, the key it answered "maybe" for
     */
    record Listed(Entry entry) implements Verdict {
        @Override
        public Reason reason() {
            return Reason.LISTED;
        }
    }

    /**
     * The sender is on no list, or a {@code !} entry keeps it off, or conditions do not hold.
     *
     * @param entry the {@code !} entry that decided, or the entry whose conditions do not hold, or
     *     null
     */
    record NotListed(Reason reason, @Nullable Entry entry) implements Verdict {
        /** No entry at all speaks of the sender. */
        public static final NotListed STRANGER = new NotListed(Reason.STRANGER, null);
    }

    /**
     * A filter said "maybe" and the exact store could not answer.
     *
     * @param cause why not
     */
    record Unavailable(IOException cause) implements Verdict {
        @Override
        public Reason reason() {
            return Reason.UNAVAILABLE;
        }

        @Override
        public @Nullable Entry entry() {
            return null;
        }
    }

    /**
     * An error in the program kept the question from being answered. It never counts as listed,
     * whatever is configured for stores that cannot answer; made by those who ask.
     *
     * @param cause the error
     */
    record Failed(Throwable cause) implements Verdict {
        @Override
        public Reason reason() {
            return Reason.UNAVAILABLE;
        }

        @Override
        public @Nullable Entry entry() {
            return null;
        }
    }
}
