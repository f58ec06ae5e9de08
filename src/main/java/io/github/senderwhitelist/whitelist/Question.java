package io.github.senderwhitelist.whitelist;

import io.github.senderwhitelist.address.Address;

import java.util.List;

/**
 * What a whitelist is asked: whether it lists this sender.
 *
 * @param sender the sender as written
 * @param recipients the recipients as written; none: nobody in particular
 * @param authentication what is known of where the mail comes from
 */
public record Question(Address sender, List<String> recipients, Authentication authentication) {

    /** The recipients are copied. */
    public Question {
        recipients = List.copyOf(recipients);
    }

    /** The question for a mail of this sender to nobody in particular, with nothing confirmed. */
    public static Question of(Address sender) {
        return new Question(sender, List.of(), Authentication.UNCONFIRMED);
    }
}
