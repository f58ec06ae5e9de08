package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.RecipientKind;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A recipient of a mail, and the keys by which entries can be for it. It is parsed, and its user
 * found, only when a sender has entries for some recipients, which strangers have not. For use by
 * one thread.
 */
final class Recipient {
    /** The recipient as the mail has it, or null for nobody in particular. */
    final @Nullable String written;

    private final Policy policy;

    /** The keys, once they are known. */
    private @Nullable List<Key> keys;

    Recipient(@Nullable String written, Policy policy) {
        this.written = written;
        this.policy = policy;
    }

    /**
     * Returns the keys by which entries can be for the recipient: the address as written, without
     * its tag, and that of its user; the domains of these addresses; the domains above them.
     *
     * @throws IOException if the user cannot be found out
     */
    List<Key> keys() throws IOException {
        if (keys == null) {
            Set<Key> found = new LinkedHashSet<>();
            if (written != null
                    && AddressSyntax.parse(written) instanceof WellFormed(Address address)) {
                found.addAll(address.keys(policy.recipientTags()));
                Address user = policy.users().userOf(address);
                if (user != null) {
                    found.addAll(user.keys(policy.recipientTags()));
                }
            }
            keys = found.stream().sorted(Comparator.comparing(RecipientKind::of)).toList();
        }
        return keys;
    }
}
