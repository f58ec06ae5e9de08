package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.Sender.Known;

import java.util.List;

/**
 * A question to a whitelist: for which recipients is this sender listed?
 *
 * @param sender the sender, with whom the administrator's lines are compared
 * @param all the addresses that the mail gives its sender, in the envelope and in the header From:.
 *     A user's denial of any of them wins. So does an administrator's, where users' or learned
 *     lines list the sender
 * @param listing those of them by which users' and learned lines may list the sender. The first is
 *     what users see, which signatures are for; the envelope's is confirmed by SPF only
 * @param recipients the recipients as the mail has them; an empty list asks for nobody in
 *     particular
 * @param authentication what is known about where the mail comes from
 */
public record Question(
        Sender sender,
        List<Address> all,
        List<Address> listing,
        List<String> recipients,
        Authentication authentication) {
    /** Makes a question that compares all lines with the sender. */
    public Question(Sender sender, List<String> recipients, Authentication authentication) {
        this(sender, addresses(sender), recipients, authentication);
    }

    private Question(
            Sender sender,
            List<Address> all,
            List<String> recipients,
            Authentication authentication) {
        this(sender, all, all, recipients, authentication);
    }

    private static List<Address> addresses(Sender sender) {
        return sender instanceof Known(Address address) ? List.of(address) : List.of();
    }

    /**
     * Returns the question about one of a mail's senders. Users know the sender by the header
     * From:, which they see, and by the envelope if it is {@linkplain Organisations#areOneSender
     * one sender} with it. If From: is unclear they know nobody. They know nobody either if the
     * envelope's sender is no address, because whether the administrator denies it is unclear then.
     */
    static Question of(MailFacts mail, Sender from, Sender asked) {
        // A header that nobody reads, since no list has users' lines, makes no difference.
        List<Address> all = from.equals(Sender.NULL) ? List.of() : addresses(mail.envelope());
        List<Address> listing = List.of();
        if (from instanceof Known(Address seen)) {
            if (all.isEmpty()) {
                all = List.of(seen);
            } else {
                Address envelope = all.getFirst();
                all = envelope.equals(seen) ? all : List.of(seen, envelope);
                listing = Organisations.areOneSender(envelope, seen) ? all : List.of(seen);
            }
        }
        return new Question(asked, all, listing, mail.recipients(), mail.authentication());
    }

    /** Returns the same question about another address of the mail, without users' lines. */
    Question about(Address other) {
        return new Question(new Known(other), List.of(), List.of(), recipients, authentication);
    }

    /** Returns the address of the sender, who must be known. */
    Address asked() {
        return ((Known) sender).address();
    }

    /** Returns the other addresses of the mail; most have none. */
    List<Address> others() {
        return all.size() == 1 && all.getFirst().equals(asked())
                ? List.of()
                : all.stream().filter(each -> !each.equals(asked())).toList();
    }
}
