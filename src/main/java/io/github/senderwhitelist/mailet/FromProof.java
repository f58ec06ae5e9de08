package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;

/**
 * Tells by the header that this server has written into a mail whether the mail came from the
 * mailbox in its header From:.
 *
 * @param seal the seal of this server
 */
record FromProof(HeaderSeal seal) {
    private static final String RETURN_PATH = "Return-Path";

    /**
     * Returns whether the mailbox in From: was confirmed when the mail came in. If only the
     * envelope sender was, it must be of the same organisation. What has confirmed the one confirms
     * the other then.
     *
     * @param from the mailbox in the mail's header From:
     * @param recipient who got the mail
     */
    boolean holds(MimeMessage mail, Address from, Address recipient) throws MessagingException {
        String[] values = mail.getHeader(VerdictHeader.NAME);
        Optional<VerdictHeader> header =
                values == null ? Optional.empty() : VerdictHeader.parse(List.of(values));
        if (header.isEmpty()
                || !header.get().isConfirmed()
                || !seal.verify(header.get(), Fingerprint.of(mail), recipient.toString())) {
            return false;
        }
        SenderIdentity asked = SenderIdentity.of(header.get().sender()).orElse(null);
        return switch (asked) {
            case null -> false;
            case FROM, EITHER, BOTH -> true;
            case ENVELOPE -> isAligned(returnPath(mail), from);
        };
    }

    /** Returns whether the mail has the null sender. */
    static boolean hasNullSender(MimeMessage mail) throws MessagingException {
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

    private static boolean isAligned(@Nullable String path, Address from) {
        return path != null
                && path.startsWith("<")
                && path.endsWith(">")
                && AddressSyntax.parse(path.substring(1, path.length() - 1))
                        instanceof WellFormed(Address envelope)
                && PublicSuffixes.aligned(envelope.domain(), from.domain());
    }
}
