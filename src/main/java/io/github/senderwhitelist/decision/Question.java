package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;

import java.util.List;

/**
 * What a whitelist is asked: whether it lists this sender.
 *
 * @param sender the sender
 * @param recipients the recipients as written; none: nobody in particular
 * @param authentication what is known of where the mail comes from
 */
public record Question(Sender sender, List<String> recipients, Authentication authentication) {

    /** Copies the recipients. */
    public Question {
        recipients = List.copyOf(recipients);
    }

    /** Returns the question for a mail to nobody in particular, with nothing confirmed. */
    public static Question of(Sender sender) {
        return new Question(sender, List.of(), Authentication.UNCONFIRMED);
    }

    /** Returns the question for a mail to nobody in particular, with nothing confirmed. */
    public static Question of(Address sender) {
        return of(new Sender.Known(sender));
    }

    /** Returns how many verdicts answer it: one for each recipient, at least one. */
    int verdicts() {
        return Math.max(1, recipients.size());
    }
}
