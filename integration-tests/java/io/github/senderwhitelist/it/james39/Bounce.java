package io.github.senderwhitelist.it.james39;

import jakarta.mail.MessagingException;

import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMailet;

/**
 * In the place of James' mailet of this name: the container's own bounce, through the spool, with
 * the null sender.
 */
public final class Bounce extends GenericMailet {
    @Override
    public void service(Mail mail) throws MessagingException {
        getMailetContext().bounce(mail, "The mail could not be delivered.");
    }
}
