package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.mailet.server.RecipientAliases;

import org.apache.james.core.MailAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The addresses that a recipient can have become when James delivers the mail: the recipient
 * without its tag, and the user it belongs to. These are the addresses that entries for the
 * recipient are compared with.
 *
 * @param tags which character begins a tag that James itself does not take off
 * @param users finds the users that recipients belong to
 */
public record Destinations(Subaddressing tags, RecipientUsers users) {
    private static final Logger LOGGER = LoggerFactory.getLogger(Destinations.class);

    /** Returns the other addresses; none when the recipient stays what it is. */
    Set<MailAddress> of(MailAddress recipient) {
        Set<MailAddress> others = new LinkedHashSet<>();
        if (AddressSyntax.parse(recipient.asString()) instanceof WellFormed(Address address)) {
            add(others, address.keyWithoutTag(tags));
            Address user = userOf(address);
            if (user != null) {
                add(others, user.key());
                add(others, user.keyWithoutTag(tags));
            }
        }
        others.remove(recipient);
        return others;
    }

    private @Nullable Address userOf(Address recipient) {
        try {
            return users.userOf(recipient);
        } catch (IOException e) {
            LOGGER.debug("The user of recipient {} is not known", recipient, e);
            return null;
        }
    }

    private static void add(Set<MailAddress> others, @Nullable Key key) {
        MailAddress address = key == null ? null : RecipientAliases.mailAddress(key.toString());
        if (address != null) {
            others.add(address);
        }
    }
}
