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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;

/** The sender in the header From: of a mail; {@link FromHeader} has when it is clear. */
public final class HeaderFrom {
    private static final Logger LOGGER = LoggerFactory.getLogger(HeaderFrom.class);

    private HeaderFrom() {}

    /** Returns the sender in the header From:, who is nobody where {@link #mailbox} is null. */
    public static Sender sender(Mail mail) {
        try {
            Address address = mailbox(mail.getMessage());
            if (address != null) {
                return new Known(address);
            }
        } catch (MessagingException e) {
            LOGGER.debug("mail={}: its header cannot be read", mail.getName(), e);
        }
        return MailFacts.NO_ONE_MAILBOX;
    }

    /** Returns the mailbox in the header From:, or null where it is unclear or missing. */
    public static @Nullable Address mailbox(@Nullable MimeMessage message)
            throws MessagingException {
        String[] headers = message == null ? null : message.getHeader("From");
        return headers == null ? null : FromHeader.mailbox(List.of(headers));
    }
}
