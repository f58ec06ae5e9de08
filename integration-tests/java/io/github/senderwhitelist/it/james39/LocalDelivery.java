package io.github.senderwhitelist.it.james39;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.apache.james.server.core.MimeMessageInputStream;
import org.apache.mailet.AttributeUtils;
import org.apache.mailet.Mail;
import org.apache.mailet.PerRecipientHeaders.Header;
import org.apache.mailet.base.GenericMailet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * In the place of James' mailet of this name: a mail becomes a file {@code
 * mailboxes/user/folder/number.eml} in the working directory, byte by byte, and is there at once or
 * not at all.
 */
public final class LocalDelivery extends GenericMailet {
    private static final Path MAILBOXES =
            Path.of(System.getProperty("working.directory", "."), "mailboxes");

    private final AtomicInteger number = new AtomicInteger();

    @Override
    public void service(Mail mail) throws MessagingException {
        String folder =
                AttributeUtils.getValueAndCastFromMail(
                                mail, WithStorageDirective.FOLDER, String.class)
                        .orElse("INBOX");
        try {
            for (MailAddress recipient : mail.getRecipients()) {
                Path directory =
                        Files.createDirectories(
                                MAILBOXES.resolve(recipient.asString()).resolve(folder));
                String name = String.format(Locale.ROOT, "%08d", number.incrementAndGet());
                Path unfinished = directory.resolve(name + ".tmp");
                write(mail, recipient, unfinished);
                Files.move(
                        unfinished,
                        directory.resolve(name + ".eml"),
                        StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            throw new MessagingException("mailbox", e);
        }
        mail.setState(Mail.GHOST);
    }

    /** Writes the mail with the headers of this recipient, in the way that James does. */
    private static void write(Mail mail, MailAddress recipient, Path file)
            throws MessagingException, IOException {
        MimeMessage message = mail.getMessage();
        Collection<Header> headers =
                mail.getPerRecipientSpecificHeaders().getHeadersForRecipient(recipient);
        for (Header header : headers) {
            message.addHeader(header.getName(), header.getValue());
        }
        try (InputStream in = new MimeMessageInputStream(message)) {
            Files.copy(in, file);
        } finally {
            for (Header header : headers) {
                message.removeHeader(header.getName());
            }
        }
    }
}
