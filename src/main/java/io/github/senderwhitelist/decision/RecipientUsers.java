package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** Finds the user of this server that a recipient belongs to. */
@FunctionalInterface
public interface RecipientUsers {
    /** Knows no users, so recipients are compared as they are written. */
    RecipientUsers NONE = recipient -> null;

    /**
     * Returns the address of the user, or null if there is none or it is the recipient itself.
     *
     * @throws IOException if the server cannot tell; entries for that user are then not known
     */
    @Nullable Address userOf(Address recipient) throws IOException;
}
