package io.github.senderwhitelist.it.scanner;

import org.apache.mailet.Mail;
import org.apache.mailet.PerRecipientHeaders.Header;
import org.apache.mailet.base.GenericMailet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * A mailet in the place of one of James' spam scanners, which Maven Central lacks. Each recipient
 * gets the headers that James' own adds, by which {@code IsMarkedAsSpam} knows spam.
 *
 * <p>It runs in James 3.8 and 3.9: it asks for the message by name, because one has {@code
 * javax.mail}, the other {@code jakarta.mail}.
 */
abstract class StandInScanner extends GenericMailet {
    /** What James' scanner would note: whether it is spam, and its figures. */
    record Result(boolean spam, String figures) {}

    /** Returns what the names of the headers begin with. */
    abstract String prefix();

    abstract Result scan(byte[] message) throws IOException;

    @Override
    public final void service(Mail mail) {
        Result result;
        try {
            result = scan(message(mail));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        add(mail, prefix() + ".flag", result.spam() ? "YES" : "NO");
        add(mail, prefix() + ".status", (result.spam() ? "Yes, " : "No, ") + result.figures());
    }

    private static void add(Mail mail, String name, String value) {
        Header header = Header.builder().name(name).value(value).build();
        mail.getRecipients()
                .forEach(recipient -> mail.addSpecificHeaderForRecipient(header, recipient));
    }

    private static byte[] message(Mail mail) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            Object message = Mail.class.getMethod("getMessage").invoke(mail);
            message.getClass().getMethod("writeTo", OutputStream.class).invoke(message, bytes);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }
}
