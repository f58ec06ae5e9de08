package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.Sender.Known;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A question to a whitelist: for which recipients is this sender listed?
 *
 * @param sender the sender, with whom the administrator's lines are compared
 * @param identities the addresses that the mail gives its sender
 * @param recipients the recipients as the mail has them; an empty list asks for nobody in
 *     particular
 * @param authentication what is known about where the mail comes from
 */
public record Question(
        Sender sender,
        Identities identities,
        List<String> recipients,
        Authentication authentication) {

    /** Copies the list. */
    public Question {
        recipients = List.copyOf(recipients);
    }

    /** Makes a question that compares all lines with the sender. */
    public Question(Sender sender, List<String> recipients, Authentication authentication) {
        this(
                sender,
                sender instanceof Known(var address) ? Identities.of(address) : Identities.NONE,
                recipients,
                authentication);
    }

    /** Returns the same question about another address of the mail, without users' lines. */
    Question about(Address other) {
        return new Question(new Known(other), Identities.NONE, recipients, authentication);
    }

    /** Returns the address of the sender, who must be known. */
    Address asked() {
        return ((Known) sender).address();
    }

    /** Returns a recipient as the mail has it, or null for nobody in particular. */
    @Nullable String recipient(int i) {
        return recipients.isEmpty() ? null : recipients.get(i);
    }

    /** Returns the number of verdicts: one for each recipient, and one when there are none. */
    int verdicts() {
        return Math.max(1, recipients.size());
    }
}
