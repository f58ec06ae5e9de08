package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.Sender.Nobody;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The facts about a mail on which a {@link Whitelist} decides.
 *
 * @param envelope the envelope sender
 * @param from returns the sender in the header From:, which most questions do not need
 * @param recipients the recipients as the mail has them
 * @param authentication what is known about where the mail comes from
 */
public record MailFacts(
        Sender envelope,
        Supplier<Sender> from,
        List<String> recipients,
        Authentication authentication) {
    /** A header From: that is not one mailbox. */
    public static final Sender NO_ONE_MAILBOX =
            new Nobody(Reason.AMBIGUOUS_FROM, "its header From: does not name one mailbox");

    /** Makes the facts about a mail whose header From: has its envelope sender. */
    public MailFacts(Sender sender, List<String> recipients, Authentication authentication) {
        this(sender, () -> sender, recipients, authentication);
    }

    /**
     * Parses a mail that people describe in words.
     *
     * @param from the mailbox in the header From:; null is the same as in the envelope
     * @param confirmed what {@link Evidence#parse} takes
     * @throws IllegalArgumentException if what is confirmed cannot be understood
     */
    public static MailFacts parse(
            String envelope,
            @Nullable String from,
            List<String> recipients,
            String confirmed,
            Predicate<String> isLocal) {
        Sender sent = Sender.parse(HiddenCharacters.strip(envelope));
        Sender seen = from == null ? sent : Sender.parse(HiddenCharacters.strip(from));
        Sender shown = seen instanceof Known ? seen : NO_ONE_MAILBOX;
        return new MailFacts(
                sent,
                () -> shown,
                recipients.stream().map(HiddenCharacters::strip).toList(),
                Evidence.parse(confirmed, sent, shown, isLocal));
    }
}
