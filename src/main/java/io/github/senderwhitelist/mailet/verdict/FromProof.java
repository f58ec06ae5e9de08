package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
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
    private static final String RETURN_PATH = "Return-Path";

    /**
     * Returns whether the mailbox in From: was confirmed when the mail came in. If only the
     * envelope sender was, it must be the {@linkplain SameSender same sender}. What has confirmed
     * the one confirms the other then.
     *
     * @param from the mailbox in the mail's header From:
     * @param recipient who got the mail
     */
    public boolean holds(MimeMessage mail, Address from, Address recipient)
            throws MessagingException {
        VerdictHeader header = header(mail, recipient);
        SenderIdentity asked =
                header == null ? null : SenderIdentity.VALUES.parse(header.sender()).orElse(null);
        return switch (asked) {
            case null -> false;
            case FROM, EITHER, BOTH -> true;
            case ENVELOPE -> envelope(mail, from) != null;
        };
    }

    /**
     * Returns the envelope sender, if it is another address of the sender in From:, and more than a
     * signature has confirmed it when the mail came in. Else returns null.
     *
     * @param from the mailbox in the mail's header From:
     * @param recipient who got the mail
     */
    public @Nullable Address otherEnvelope(MimeMessage mail, Address from, Address recipient)
            throws MessagingException {
        VerdictHeader header = header(mail, recipient);
        Address envelope = envelope(mail, from);
        return header == null
                        || header.confirmed().equals(Confirmation.DKIM.label())
                        || from.equals(envelope)
                ? null
                : envelope;
    }

    /** Returns this server's header for a recipient of a mail that was confirmed, or null. */
    private @Nullable VerdictHeader header(MimeMessage mail, Address recipient)
            throws MessagingException {
        String[] values = mail.getHeader(VerdictHeader.NAME);
        VerdictHeader header =
                values == null ? null : VerdictHeader.parse(List.of(values)).orElse(null);
        return header != null
                        && header.isConfirmed()
                        && seal.verify(header, HeaderSeal.fingerprint(mail), recipient.toString())
                ? header
                : null;
    }

    /** Returns whether the mail has the null sender. */
    public static boolean hasNullSender(MimeMessage mail) throws MessagingException {
        return "<>".equals(returnPath(mail));
    }

    /**
     * Returns the envelope sender. James writes it into the mail when it delivers it, in place of
     * what others wrote there.
     */
    private static @Nullable String returnPath(MimeMessage mail) throws MessagingException {
        String[] values = mail.getHeader(RETURN_PATH);
        return values == null || values.length != 1 ? null : values[0].strip();
    }

    /** Returns the envelope sender if it is the same sender as in From:, or null. */
    private static @Nullable Address envelope(MimeMessage mail, Address from)
            throws MessagingException {
        String path = returnPath(mail);
        return path != null
                        && path.startsWith("<")
                        && path.endsWith(">")
                        && AddressSyntax.parse(path.substring(1, path.length() - 1))
                                instanceof WellFormed(Address envelope)
                        && Organisations.areOneSender(envelope, from)
                ? envelope
                : null;
    }
}
