package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.Sender.Known;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A question to a whitelist: for which recipients is this sender listed?
 *
 * @param sender the sender, with whom the administrator's lines are compared
 * @param personal the addresses with which users' and learned lines are compared. A denial of any
 *     of them wins
 * @param recipients the recipients as the mail has them; an empty list asks for nobody in
 *     particular
 * @param authentication what is known about where the mail comes from
 */
public record Question(
        Sender sender,
        List<Address> personal,
        List<String> recipients,
        Authentication authentication) {

    /** Copies the lists. */
    public Question {
        personal = List.copyOf(personal);
        recipients = List.copyOf(recipients);
    }

    /** Makes a question that compares all lines with the sender. */
    public Question(Sender sender, List<String> recipients, Authentication authentication) {
        this(
                sender,
                sender instanceof Known(Address address) ? List.of(address) : List.of(),
                recipients,
                authentication);
    }

    /** Returns the question for a mail to nobody in particular, with nothing confirmed. */
    public static Question of(Sender sender) {
        return new Question(sender, List.of(), Authentication.UNCONFIRMED);
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
