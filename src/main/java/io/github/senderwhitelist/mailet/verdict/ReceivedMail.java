package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.mailet.mail.HeaderFrom;
import io.github.senderwhitelist.mailet.mail.MailAuthentication;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A mail of somebody who is listed, and is confirmed as the one whom its header From: names.
 *
 * @param sender the mailbox in the header From:
 * @param recipients the recipients, as written, without a tag, and the users they belong to
 */
public record ReceivedMail(Address sender, List<Key> recipients) {
    /**
     * Returns what a mail is, or null if its sender is not listed or nothing confirms it.
     *
     * @param isLocal returns whether a domain is one of this server's
     * @throws IOException when the server cannot find a recipient's user
     */
    public static @Nullable ReceivedMail of(
            Mail mail, Predicate<String> isLocal, RecipientUsers users)
            throws MessagingException, IOException {
        if (!Marks.isListed(mail)) {
            return null;
        }
        Address sender = HeaderFrom.mailbox(mail.getMessage());
        if (sender == null
                || !new MailAuthentication(mail, isLocal).meets(AuthRequirement.ANY, sender)) {
            return null;
        }
        Set<Key> recipients = new LinkedHashSet<>();
        for (MailAddress recipient : mail.getRecipients()) {
            if (AddressSyntax.parse(recipient.asString()) instanceof WellFormed(Address address)) {
                recipients.add(address.key());
                Address user = users.userOf(address);
                add(recipients, user == null ? null : user.key());
            }
        }
        return new ReceivedMail(sender, List.copyOf(recipients));
    }

    private static void add(Set<Key> recipients, @Nullable Key key) {
        if (key != null) {
            recipients.add(key);
        }
    }
}
