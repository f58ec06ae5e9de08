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
    /** Returns whether there may be lines for the key of an address; false is certain. */
    boolean mightContainAddress(Key key);

    /**
     * Returns whether there may be lines for the domain {@code bytes[start, bytes.length)}; false
     * is certain. Takes no {@link Key}, so that a stranger is answered without making one.
     */
    boolean mightContainDomain(byte[] bytes, int start);

    /** Returns the same for any key. */
    default boolean mightContain(Key key) {
        return key.isDomain()
                ? mightContainDomain(key.bytes(), key.domainStart())
                : mightContainAddress(key);
    }

    /**
     * Returns the same as {@link #mightContain}. No figure counts the question, since nobody asks
     * further after a "maybe".
     */
    default boolean mayHave(Key key) {
        return mightContain(key);
    }

    /**
     * Returns the lines for a sender of which the filter said "maybe", or null if there are none.
     *
     * @param to the recipients that the lines are for; null asks for the lines for all recipients,
     *     whose entry has the kinds of others that there are
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

    /**
     * Returns where the answer of {@link #find} comes from, for people; null if there is but one
     * place.
     */
    default @Nullable String source(Key key, @Nullable Key to) {
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
