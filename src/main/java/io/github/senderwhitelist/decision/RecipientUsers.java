package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * The mapping of recipients to users, by which an entry for a user also counts for mail to an
 * alias. A decision asks only when a sender has entries for recipients.
 */
@FunctionalInterface
public interface RecipientUsers {
    /** Knows no users, so recipients are compared as written only. */
    RecipientUsers NONE = recipient -> null;

    /**
     * Returns the address of the user to whom a recipient belongs; null when it belongs to no user
     * of this server, or has the user's address.
     *
     * @throws IOException when the server cannot find out. Then there is no verdict: a guess could
     *     list the sender wrongly or miss the user's own denial
     */
    @Nullable Address userOf(Address recipient) throws IOException;
}
