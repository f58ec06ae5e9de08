package io.github.senderwhitelist.it.james39;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.james.core.MaybeSender;
import org.apache.james.queue.api.MailQueue;
import org.apache.james.queue.api.MailQueueFactory;
import org.apache.james.server.core.MailImpl;
import org.apache.james.server.core.MimeMessageInputStreamSource;
import org.apache.james.server.core.MimeMessageWrapper;
import org.apache.james.transport.matchers.SMTPIsAuthNetwork;
import org.subethamail.smtp.MessageHandler;
import org.subethamail.smtp.RejectException;
import org.subethamail.smtp.server.SMTPServer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The SMTP server before the container: takes mails from this machine and puts them in the spool,
 * as James' own does.
 */
final class FrontDoor implements MessageHandler {
    private final MailQueue spool;
    private MaybeSender sender = MaybeSender.nullSender();
    private final List<MailAddress> recipients = new ArrayList<>();

    private FrontDoor(MailQueue spool) {
        this.spool = spool;
    }

    /** Opens the server and returns its port. */
    static int open(Spools spools) throws IOException {
        MailQueue spool = spools.createQueue(MailQueueFactory.SPOOL);
        SMTPServer server =
                new SMTPServer.Builder()
                        .bindAddress(InetAddress.getLoopbackAddress())
                        .port(0)
                        .fromAddressValidator(address -> true)
                        .messageHandlerFactory(context -> new FrontDoor(spool))
                        .build();
        server.start();
        return server.getPortAllocated();
    }

    @Override
    public void from(String address) throws RejectException {
        try {
            sender =
                    address.isEmpty()
                            ? MaybeSender.nullSender()
                            : MaybeSender.of(new MailAddress(address));
        } catch (MessagingException e) {
            throw new RejectException(553, e.getMessage());
        }
    }

    @Override
    public void recipient(String address) throws RejectException {
        try {
            recipients.add(new MailAddress(address));
        } catch (MessagingException e) {
            throw new RejectException(553, e.getMessage());
        }
    }

    @Override
    public String data(InputStream data) throws IOException {
        try {
            String name = MailImpl.getId();
            MimeMessageWrapper message =
                    new MimeMessageWrapper(MimeMessageInputStreamSource.create(name, data));
            MailImpl mail =
                    MailImpl.builder()
                            .name(name)
                            .sender(sender)
                            .addRecipients(recipients)
                            .mimeMessage(message)
                            .addAttribute(SMTPIsAuthNetwork.makeAttribute(true))
                            .remoteAddr("127.0.0.1")
                            .remoteHost("localhost")
                            .build();
            spool.enQueue(mail);
            mail.dispose();
            message.dispose();
            return "2.0.0 " + name;
        } catch (MessagingException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }

    @Override
    public void done() {
        recipients.clear();
    }
}
