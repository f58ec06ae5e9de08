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
 * In the place of James' mailet of this name: sends by SMTP to the tests' GreenMail, at system
 * property {@code outside.port}.
 */
public final class RemoteDelivery extends GenericMailet {
    @Override
    public void service(Mail mail) throws MessagingException {
        List<String> recipients = mail.getRecipients().stream().map(MailAddress::asString).toList();
        try (SmtpClient client = new SmtpClient(Integer.getInteger("outside.port"))) {
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            mail.getMessage().writeTo(message);
            client.send(mail.getMaybeSender().asString(""), recipients, message.toByteArray());
        } catch (IOException e) {
            throw new MessagingException("GreenMail", e);
        }
        mail.setState(Mail.GHOST);
    }
}
