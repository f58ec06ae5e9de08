package io.github.senderwhitelist.it.james39;

import io.github.senderwhitelist.it.SmtpClient;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMailet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/**
 * Sends mails by SMTP to the tests' GreenMail, at system property {@code outside.port}, and ends
 * their way through the container.
 */
abstract class Delivery extends GenericMailet {
    /** The address under which the GreenMail keeps the mail. */
    abstract String address(Mail mail, MailAddress recipient);

    @Override
    public void service(Mail mail) throws MessagingException {
        List<String> recipients =
                mail.getRecipients().stream().map(recipient -> address(mail, recipient)).toList();
        try (SmtpClient client = new SmtpClient(Integer.getInteger("outside.port"))) {
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            mail.getMessage().writeTo(message);
            // A GreenMail does not take every sender that a James takes, the null sender first of
            // all; the tests look at the mail alone.
            client.send("container@here.example", recipients, message.toByteArray());
        } catch (IOException e) {
            throw new MessagingException("GreenMail", e);
        }
        mail.setState(Mail.GHOST);
    }
}
