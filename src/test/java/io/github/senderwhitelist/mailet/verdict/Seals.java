package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.mailet.settings.HeaderKey;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import java.io.ByteArrayInputStream;
import java.util.List;

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
        VerdictHeader header = values == null ? null : VerdictHeader.parse(List.of(values));
        return header != null && seal.verify(header, HeaderSeal.fingerprint(mail), recipient);
    }
}
