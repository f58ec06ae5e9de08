package io.github.senderwhitelist.it.scanner;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.apache.mailet.Mail;
import org.apache.mailet.PerRecipientHeaders.Header;
import org.apache.mailet.base.GenericMailet;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;

/**
 * A spam scanner in the place of James' {@code RspamdScanner}, which Maven Central lacks. A mail
 * with GTUBE in it is spam. Each recipient gets the headers that {@code RspamdScanner} adds, by
 * which {@code IsMarkedAsSpam} knows spam.
 *
 * <p>It runs in James 3.8 and 3.9: it asks for the message by name, because one has {@code
 * javax.mail}, the other {@code jakarta.mail}.
 */
public final class GtubeScanner extends GenericMailet {
    /** What every spam filter takes for spam. */
    public static final String GTUBE =
            "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";

    public static final String STATUS = "org.apache.james.rspamd.status";
    private static final String FLAG = "org.apache.james.rspamd.flag";

    @Override
    public void service(Mail mail) {
        boolean spam = text(mail).contains(GTUBE);
        add(mail, FLAG, spam ? "YES" : "NO");
        add(
                mail,
                STATUS,
                spam
                        ? "Yes, actions=reject score=15.0 requiredScore=14.0"
                        : "No, actions=no action score=0.0 requiredScore=14.0");
    }

    private static void add(Mail mail, String name, String value) {
        Header header = Header.builder().name(name).value(value).build();
        mail.getRecipients()
                .forEach(recipient -> mail.addSpecificHeaderForRecipient(header, recipient));
    }

    private static String text(Mail mail) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            Object message = Mail.class.getMethod("getMessage").invoke(mail);
            message.getClass().getMethod("writeTo", OutputStream.class).invoke(message, bytes);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toString(ISO_8859_1);
    }
}
