package io.github.senderwhitelist.mailet.bymail;

import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The mail that answers a mail with commands. It says of itself that it is automatic, so no program
 * answers it. Of the mail itself, only the identifier is in its header.
 */
public final class MailAnswer {
    private static final Pattern IDENTIFIER = Pattern.compile("<[\\x21-\\x7e&&[^<>]]{1,250}>");

    private MailAnswer() {}

    /**
     * Returns the answer.
     *
     * @param from whom the user wrote to
     * @param to the user
     */
    public static MimeMessage to(
            MimeMessage mail,
            MailAddress from,
            MailAddress to,
            String subject,
            List<String> lines,
            Instant now)
            throws MessagingException {
        MimeMessage answer = new MimeMessage((Session) null);
        answer.setFrom(from.toInternetAddress().orElseThrow());
        answer.setRecipient(RecipientType.TO, to.toInternetAddress().orElseThrow());
        answer.setSubject(subject, StandardCharsets.UTF_8.name());
        answer.setSentDate(Date.from(now));
        answer.setHeader("Auto-Submitted", "auto-replied");
        String[] identifiers = mail.getHeader("Message-ID");
        if (identifiers != null && IDENTIFIER.matcher(identifiers[0].strip()).matches()) {
            answer.setHeader("In-Reply-To", identifiers[0].strip());
            answer.setHeader("References", identifiers[0].strip());
        }
        answer.setText(String.join("\r\n", lines) + "\r\n", StandardCharsets.UTF_8.name());
        answer.saveChanges();
        return answer;
    }
}
