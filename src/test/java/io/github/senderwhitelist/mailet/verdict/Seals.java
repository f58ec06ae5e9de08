package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.mailet.settings.HeaderKey;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

/** Verifies the headers of mails that have arrived somewhere. */
public final class Seals {
    private Seals() {}

    /** Returns whether a mail has a header that was sealed with this key, for this recipient. */
    public static boolean verify(byte[] key, byte[] mail, String recipient)
            throws MessagingException {
        return verify(new HeaderSeal(HeaderKey.of(key)), TestServer.message(mail), recipient);
    }

    public static boolean verify(HeaderSeal seal, MimeMessage mail, String recipient)
            throws MessagingException {
        return VerdictHeader.proven(mail, recipient, seal) != null;
    }
}
