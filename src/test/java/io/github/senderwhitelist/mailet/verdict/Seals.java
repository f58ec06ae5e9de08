package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.mailet.settings.HeaderKey;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Optional;

/** Verifies the headers of mails that have arrived somewhere. */
public final class Seals {
    private Seals() {}

    /** Returns whether a mail has a header that was sealed with this key, for this recipient. */
    public static boolean verify(byte[] key, byte[] mail, String recipient)
            throws MessagingException {
        return verify(
                new HeaderSeal(HeaderKey.of(key)),
                new MimeMessage((Session) null, new ByteArrayInputStream(mail)),
                recipient);
    }

    public static boolean verify(HeaderSeal seal, MimeMessage mail, String recipient)
            throws MessagingException {
        String[] values = mail.getHeader(VerdictHeader.NAME);
        Optional<VerdictHeader> header =
                VerdictHeader.parse(values == null ? List.of() : List.of(values));
        return header.isPresent()
                && seal.verify(header.get(), HeaderSeal.fingerprint(mail), recipient);
    }
}
