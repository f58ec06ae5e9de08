package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * The content of a list at one moment: the lines for the key of a sender and for recipients. Ask
 * the filter first. It answers most questions with a "no", which is certain; only after a "maybe"
 * ask {@link #find}. {@link Generation} is that of a file.
 */
public interface SenderLines {
    /**
     * Returns whether there may be lines for a sender; false is certain. Takes no {@link Key}, so
     * that a stranger is answered without making one.
     *
     * @param key the {@linkplain Key#bytes bytes} of a key
     * @param from 0 asks for the address; else where in it the domain begins that is asked for
     */
    boolean mightContain(byte[] key, int from);

    /** Returns the same for a key. */
    default boolean mightContain(Key key) {
        return mightContain(key.bytes(), key.hashedFrom());
    }

    /** Counts addresses of a mail to which the filter said "no", and which nobody asks for. */
    default void countRefused(int addresses) {}

    /**
     * Returns the lines for a sender of which the filter said "maybe", or null if there are none.
     *
     * @param to the recipients that they are for; null asks for those for all recipients, whose
     *     entry has the kinds of others that there are
     * @throws IOException if the list cannot be read
     * @throws RetiredException if the list has other content now; ask {@link SenderList#current()}
     *     again
     */
    @Nullable Entry find(Key key, @Nullable Key to) throws IOException, RetiredException;

    /**
     * Returns why no listing by these lines may be believed, or null if it may. Denials hold in any
     * case.
     */
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
