package io.github.senderwhitelist.mailet.mail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.Domain;
import org.apache.james.core.MailAddress;
import org.apache.mailet.AttributeUtils;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A mail that somebody sends, and whether a user of this server has written it by hand to people.
 *
 * <p>Automatic mail is recognised by the headers that RFC 3834 and mailing lists use, by a part
 * that a calendar has written, and by having no text. A program that sends something else for a
 * user cannot be distinguished from the user.
 *
 * @param isLocal returns whether a domain is one of this server's
 */
public record SentMail(Mail mail, Predicate<Domain> isLocal) {
    /** What an address has in it that leaves a list of mailings when somebody writes to it. */
    private static final Pattern LEAVES =
            Pattern.compile(
                    "(.*[-_.+=])?(unsub(scribe)?|leave|optout|opt-out|remove)([-_.+=].*)?",
                    Pattern.CASE_INSENSITIVE);

    /** Returns the address of the user who has logged in, if it is on this server. */
    public @Nullable Address user() {
        String name =
                AttributeUtils.getValueAndCastFromMail(mail, Mail.SMTP_AUTH_USER, String.class)
                        .or(
                                () ->
                                        AttributeUtils.getValueAndCastFromMail(
                                                mail, MailAuthentication.JMAP_USER, String.class))
                        .orElse("");
        return AddressSyntax.parse(name) instanceof WellFormed(Address address) && isLocal(address)
                ? address
                : null;
    }

    private boolean isLocal(Address address) {
        return isLocal.test(Domain.of(address.domain()));
    }

    /** Returns why the header says that nobody wrote the mail by hand, or null. */
    public @Nullable String whyAutomatic() throws MessagingException {
        MimeMessage message = mail.getMessage();
        if (mail.getMaybeSender().isNullSender()) {
            return "it has the null sender";
        }
        if (mail.getAttribute(Mail.SENT_BY_MAILET_ATTRIBUTE.getName()).isPresent()) {
            return "a mailet has made it";
        }
        if (message == null) {
            return "it has no content";
        }
        if (first(message, "Auto-Submitted").matches("(?s)(?!no).+")) {
            return "it says Auto-Submitted";
        }
        if (first(message, "Precedence").matches("bulk|list|junk|auto_reply")) {
            return "it says Precedence";
        }
        if (hasHeader("list-")) {
            return "it is of a mailing list";
        }
        if (first(message, "Content-Type")
                .matches("(?s)(multipart/report|message/disposition).*")) {
            return "it is a report or a read receipt";
        }
        return first(message, "Subject").equals("unsubscribe")
                ? "a program has written it for the user"
                : null;
    }

    /** Returns why the header or the content says that nobody wrote it by hand, or null. */
    public @Nullable String whyNotWritten() throws MessagingException, IOException {
        String automatic = whyAutomatic();
        if (automatic != null) {
            return automatic;
        }
        MailContent content = MailContent.of(mail.getMessage());
        if (content.hasCalendar()) {
            return "a calendar has written it";
        }
        return content.isEmpty() && first(mail.getMessage(), "In-Reply-To").isEmpty()
                ? "it has no text, as what an Unsubscribe button sends"
                : null;
    }

    /** Returns whether a user has redirected the mail, which somebody else has written then. */
    public boolean isRedirected() throws MessagingException {
        return hasHeader("resent-");
    }

    private boolean hasHeader(String beginning) throws MessagingException {
        return Collections.list(mail.getMessage().getAllHeaderLines()).stream()
                .anyMatch(line -> line.regionMatches(true, 0, beginning, 0, beginning.length()));
    }

    /** Returns the first value of a header, on one line and in lower case. */
    private static String first(MimeMessage message, String header) throws MessagingException {
        String[] values = message.getHeader(header);
        return values == null || values.length == 0
                ? ""
                : values[0].replaceAll("\\s+", " ").strip().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the recipients that are people for a user to know.
     *
     * @param withLocal whether recipients on this server are
     */
    public List<Address> people(Address user, boolean withLocal) {
        List<Address> people = new ArrayList<>();
        for (MailAddress recipient : mail.getRecipients()) {
            if (AddressSyntax.parse(recipient.asString()) instanceof WellFormed(Address address)
                    && !address.equals(user)
                    && (withLocal || !isLocal(address))
                    && !LEAVES.matcher(address.local()).matches()) {
                people.add(address);
            }
        }
        return people;
    }
}
