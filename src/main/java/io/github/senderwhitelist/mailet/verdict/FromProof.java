package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.Organisations;
import io.github.senderwhitelist.decision.SenderIdentity;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The proof, by the header that this server has written into a mail, that the mail came from the
 * mailbox in its header From:.
 *
 * @param seal the seal of this server
 */
public record FromProof(HeaderSeal seal) {
    /**
     * Returns the addresses of the sender that were confirmed when the mail came in: that in From:,
     * and that of the envelope if it is another one and more than a signature has confirmed it.
     * Returns none if nothing proves that the mail came from From:. If only the envelope sender was
     * asked for, it must be the {@linkplain Organisations#areOneSender same sender}: what has
     * confirmed the one confirms the other then.
     *
     * @param from the mailbox in the mail's header From:
     * @param recipient who got the mail
     */
    public List<Address> addresses(MimeMessage mail, Address from, Address recipient)
            throws MessagingException {
        VerdictHeader header = VerdictHeader.proven(mail, recipient.toString(), seal);
        Address envelope = envelope(mail, from);
        if (header == null
                || !header.isConfirmed()
                || (envelope == null && header.sender().equals(SenderIdentity.ENVELOPE.label()))) {
            return List.of();
        }
        return envelope == null
                        || envelope.equals(from)
                        || header.confirmed().equals(Confirmation.DKIM.label())
                ? List.of(from)
                : List.of(from, envelope);
    }

    /** Returns whether the mail has the null sender. */
    public static boolean hasNullSender(MimeMessage mail) throws MessagingException {
        return "<>".equals(returnPath(mail));
    }

    /**
     * Returns the envelope sender in brackets. James writes it into the mail when it delivers it,
     * in place of what others wrote there.
     */
    private static String returnPath(MimeMessage mail) throws MessagingException {
        String[] values = mail.getHeader("Return-Path");
        return values == null || values.length != 1 ? "" : values[0].strip();
    }

    /** Returns the envelope sender if it is the same sender as in From:, or null. */
    private static @Nullable Address envelope(MimeMessage mail, Address from)
            throws MessagingException {
        String path = returnPath(mail);
        return path.startsWith("<")
                        && path.endsWith(">")
                        && AddressSyntax.parse(path.substring(1, path.length() - 1))
                                instanceof Address envelope
                        && Organisations.areOneSender(envelope, from)
                ? envelope
                : null;
    }
}
