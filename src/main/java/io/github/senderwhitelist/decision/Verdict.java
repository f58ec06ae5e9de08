package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The answer to whether a sender is listed for one recipient. */
public sealed interface Verdict {
    /** The words for verdicts, as attributes, headers, commands and WebAdmin have them. */
    String LISTED = "listed";

    String NOT_LISTED = "not-listed";
    String UNAVAILABLE = "unavailable";

    /** Returns the reason. */
    default Reason reason() {
        return Reason.UNAVAILABLE;
    }

    /** Returns the word for it: {@code listed}, {@code not-listed} or {@code unavailable}. */
    default String word() {
        return switch (reason()) {
            case LISTED -> LISTED;
            case UNAVAILABLE -> UNAVAILABLE;
            default -> NOT_LISTED;
        };
    }

    /** Returns the entry that decided, with no rule but the one that counted; null without one. */
    default @Nullable Entry entry() {
        return null;
    }

    /** Returns the number of the list that the entry is in, of those that were asked. */
    default int list() {
        return 0;
    }

    /** Returns the entry if its line lists or denies, so that it was used; else null. */
    default @Nullable Entry used() {
        return reason() == Reason.LISTED || reason() == Reason.DENIED ? entry() : null;
    }

    /** The sender is on a list; where filters alone decide, the entry is a plain one. */
    record Listed(Entry entry, int list) implements Verdict {
        @Override
        public Reason reason() {
            return Reason.LISTED;
        }
    }

    /**
     * The sender is not listed.
     *
     * @param entry the entry that denies, or whose conditions do not hold; null if there is none
     * @param denied the address that is denied, if it is not the one asked for; null otherwise
     */
    record NotListed(Reason reason, @Nullable Entry entry, @Nullable Address denied, int list)
            implements Verdict {
        /** The verdict on a sender whom no entry is about. */
        public static final NotListed STRANGER = new NotListed(Reason.STRANGER, null);

        /** Makes a verdict on the address that was asked for. */
        public NotListed(Reason reason, @Nullable Entry entry) {
            this(reason, entry, null, 0);
        }
    }

    /** A filter said "maybe", and the exact store could not be read. */
    record Unavailable(IOException cause) implements Verdict {}

    /**
     * An error in the program prevented an answer. It never counts as listed, even if unavailable
     * stores do. {@link Whitelist} does not make it, its callers do.
     */
    record Failed(Throwable cause) implements Verdict {}
}
