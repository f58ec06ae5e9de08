package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * What a list holds at one moment, as a decision asks for it: the lines for a sender's key and the
 * recipients of a mail. A filter answers first, and most senders are settled by its no.
 */
public interface SenderLines {
    /** Returns whether the address of that key may be listed; false is certain. */
    boolean mightContainAddress(Key key);

    /** Returns whether the domain {@code bytes[start, bytes.length)} may be; false is certain. */
    boolean mightContainDomain(byte[] bytes, int start);

    /**
     * Returns the lines for a key of which the filter said "maybe", or null when there are none.
     *
     * @param recipients whom the mail is for; lines that can count for none of them may be left out
     * @throws IOException when the list cannot tell
     * @throws RetiredException when this is no longer what the list holds; the question is for what
     *     it holds now
     */
    @Nullable Entry find(Key key, Recipients recipients) throws IOException, RetiredException;

    /** Returns what is held, in a line for people. */
    String describe();

    /** It was taken out of force while it was asked. */
    final class RetiredException extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
