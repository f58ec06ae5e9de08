package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * The content of a list at one moment: the lines for the key of a sender and for recipients. Ask
 * the filter first, whose "no" is certain, and {@link #find} only after its "maybe".
 */
public interface SenderLines {
    /** Returns whether there may be lines for any key of an address; false is certain. */
    default boolean mightContain(Address address, Subaddressing subaddressing) {
        return true;
    }

    /** Returns whether there may be lines for a key; false is certain. */
    default boolean mightContain(Key key) {
        return true;
    }

    /** Counts addresses of a mail to which the filter said "no", and which nobody asks for. */
    default void countRefused(int addresses) {}

    /**
     * Returns the lines for a sender of which the filter said "maybe", or null if there are none.
     *
     * @param to the recipients that they are for; null asks for those for all recipients, whose
     *     entry has the kinds of others that there are
     * @throws IOException if the list cannot be read
     * @throws RetiredException if the list has other content now; ask {@link SenderList} again
     */
    @Nullable Entry find(Key key, @Nullable Key to) throws IOException, RetiredException;

    /** Returns why no listing by these lines may be believed, or null. Denials hold in any case. */
    default @Nullable IOException doubt() {
        return null;
    }

    /** Returns whether there are lines that are a user's, or learned. */
    boolean hasPersonal();

    /** Describes the content in one line for people. */
    String describe();

    /** Signals that the content was replaced, or its list closed, during a lookup. */
    final class RetiredException extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
