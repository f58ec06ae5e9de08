package io.github.senderwhitelist.it.james39;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.AttributeUtils;
import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMailet;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
                String name = "%08d".formatted(number.incrementAndGet());
                Path unfinished = directory.resolve(name + ".tmp");
                try (OutputStream out = Files.newOutputStream(unfinished)) {
                    mail.getMessage().writeTo(out);
                }
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
}
