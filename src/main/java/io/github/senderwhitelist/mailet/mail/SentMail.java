package io.github.senderwhitelist.mailet.mail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;

import jakarta.mail.MessagingException;

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
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A mail that somebody sends, and whether a user of this server has written it by hand to people.
 *
 * <p>Automatic mail is recognised by the headers that RFC 3834 and mailing lists use, by a part
 * that a calendar has written, and by having no text. A program that sends something else for a
 * user cannot be distinguished from the user.
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
                Stream.of(Mail.SMTP_AUTH_USER, MailAuthentication.JMAP_USER)
                        .map(
                                each ->
                                        AttributeUtils.getValueAndCastFromMail(
                                                mail, each, String.class))
                        .flatMap(Optional::stream)
                        .findFirst()
                        .orElse("");
        return AddressSyntax.parse(name) instanceof Address address && isLocal(address)
                ? address
                : null;
    }

    private boolean isLocal(Address address) {
        return isLocal.test(Domain.of(address.domain()));
    }

    /** Returns why the header says that nobody wrote the mail by hand, or null. */
    public @Nullable String whyAutomatic() throws MessagingException {
        if (mail.getMaybeSender().isNullSender()) {
            return "it has the null sender";
        }
        if (mail.getAttribute(Mail.SENT_BY_MAILET_ATTRIBUTE.getName()).isPresent()) {
            return "a mailet has made it";
        }
        if (mail.getMessage() == null) {
            return "it has no content";
        }
        if (hasHeader("Auto-Submitted", "(?!no\\b).+")) {
            return "it says Auto-Submitted";
        }
        if (hasHeader("Precedence", "bulk|list|junk|auto_reply")) {
            return "it says Precedence";
        }
        if (hasHeaders("list-")) {
            return "it is of a mailing list";
        }
        if (hasHeader("Content-Type", "(multipart/report|message/disposition).*")) {
            return "it is a report or a read receipt";
        }
        return hasHeader("Subject", "unsubscribe") ? "a program has written it for the user" : null;
    }

    /** Returns why header or content say that nobody wrote it by hand, or null. */
    public @Nullable String whyNotWritten() throws MessagingException, IOException {
        String automatic = whyAutomatic();
        if (automatic != null) {
            return automatic;
        }
        MailContent content = MailContent.of(mail.getMessage());
        if (content.hasCalendar()) {
            return "a calendar has written it";
        }
        return content.isEmpty() && !hasHeader("In-Reply-To", ".+")
                ? "it has no text, as what an Unsubscribe button sends"
                : null;
    }

    /** Returns whether a user has redirected the mail, which somebody else has written then. */
    public boolean isRedirected() throws MessagingException {
        return hasHeaders("resent-");
    }

    /** Returns whether there is a header whose name begins so, in lower case. */
    private boolean hasHeaders(String beginning) throws MessagingException {
        return Collections.list(mail.getMessage().getAllHeaderLines()).stream()
                .anyMatch(line -> line.regionMatches(true, 0, beginning, 0, beginning.length()));
    }

    /** Returns whether there is a header of this form, on one line and in lower case. */
    private boolean hasHeader(String name, String form) throws MessagingException {
        String[] values = mail.getMessage().getHeader(name);
        return values != null
                && Stream.of(values)
                        .map(each -> each.replaceAll("\\s+", " ").strip().toLowerCase(Locale.ROOT))
                        .anyMatch(each -> each.matches("(?s)" + form));
    }

    /** Returns the recipients that are people for a user to know, perhaps on this server, too. */
    public List<Key> people(Address user, boolean withLocal) {
        List<Key> people = new ArrayList<>();
        for (MailAddress recipient : mail.getRecipients()) {
            if (AddressSyntax.parse(recipient.asString()) instanceof Address address
                    && !address.equals(user)
                    && (withLocal || !isLocal(address))
                    && !LEAVES.matcher(address.local()).matches()) {
                people.add(address.key());
            }
        }
        return people;
    }
}
