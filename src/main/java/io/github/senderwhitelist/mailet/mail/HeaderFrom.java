package io.github.senderwhitelist.mailet.mail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.FromHeader;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Known;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** The sender in the header From: of a mail; {@link FromHeader} has when it is clear. */
public final class HeaderFrom {
    private HeaderFrom() {}

    /** Returns the sender in the header From:, who is nobody where it is unclear or unreadable. */
    public static Sender sender(Mail mail) {
        try {
            Address address = mailbox(mail.getMessage());
            return address == null ? MailFacts.NO_ONE_MAILBOX : new Known(address);
        } catch (MessagingException e) {
            return MailFacts.NO_ONE_MAILBOX;
        }
    }

    /** Returns the mailbox in the header From:, or null where it is unclear or missing. */
    public static @Nullable Address mailbox(@Nullable MimeMessage message)
            throws MessagingException {
        String[] headers = message == null ? null : message.getHeader("From");
        return headers == null ? null : FromHeader.mailbox(List.of(headers));
    }
}
