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
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A mail that a user of this server has written by hand to people, or why a mail is none.
 *
 * <p>Automatic mail is recognised by the headers that RFC 3834 and mailing lists use, by the answer
 * of a calendar in it, and by having no text. A program that sends something else for a user cannot
 * be distinguished from the user.
 */
public final class SentMail {
    private static final Set<String> BULK = Set.of("bulk", "list", "junk", "auto_reply");

    /** A reply to a list of mailings that asks to be left out, and what such lists are called. */
    private static final Pattern LEAVES =
            Pattern.compile("unsub(scribe)?|leave|optout|opt-out|remove", Pattern.CASE_INSENSITIVE);

    private static final Pattern WORD = Pattern.compile("[-_.+=]");

    private final Mail mail;
    private final Predicate<Domain> isLocal;
    private final int maxRecipients;
    private final boolean withLocal;

    /**
     * Takes a mail.
     *
     * @param isLocal returns whether a domain is one of this server's
     * @param maxRecipients a mail to more teaches nothing
     * @param withLocal whether recipients on this server are people to learn
     */
    public SentMail(Mail mail, Predicate<Domain> isLocal, int maxRecipients, boolean withLocal) {
        this.mail = mail;
        this.isLocal = isLocal;
        this.maxRecipients = maxRecipients;
        this.withLocal = withLocal;
    }

    /** Takes a mail to ask who has written it. */
    public SentMail(Mail mail, Predicate<Domain> isLocal) {
        this(mail, isLocal, 0, false);
    }

    /** What a mail teaches. */
    public sealed interface Lesson {
        /** A user wrote to these people, at least one. */
        record Wrote(Address user, List<Address> people) implements Lesson {}

        /** Nothing, for this reason. */
        record Nothing(String why) implements Lesson {}
    }

    /** Returns what the mail teaches. */
    public Lesson lesson() throws MessagingException, IOException {
        Address user = user();
        if (user == null) {
            return new Lesson.Nothing("no user of this server has logged in to send it");
        }
        if (mail.getRecipients().size() > maxRecipients) {
            return new Lesson.Nothing("it has more than " + maxRecipients + " recipients");
        }
        String automatic = whyAutomatic();
        if (automatic != null) {
            return new Lesson.Nothing(automatic);
        }
        List<Address> people = people(user);
        if (people.isEmpty()) {
            return new Lesson.Nothing("it is to nobody who is learned");
        }
        MimeMessage message = mail.getMessage();
        MailContent content = MailContent.of(message);
        if (content.answersInvitation()) {
            return new Lesson.Nothing("a calendar answers an invitation");
        }
        if (content.isEmpty() && first(message, "In-Reply-To").isEmpty()) {
            return new Lesson.Nothing("it has no text, as what an Unsubscribe button sends");
        }
        return new Lesson.Wrote(user, people);
    }

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

    /** Returns why the mail was not written by hand, or null if it may have been. */
    public @Nullable String whyAutomatic() throws MessagingException {
        if (mail.getMaybeSender().isNullSender()) {
            return "it has the null sender";
        }
        if (mail.getAttribute(Mail.SENT_BY_MAILET_ATTRIBUTE.getName()).isPresent()) {
            return "a mailet has made it";
        }
        return automatic(mail.getMessage());
    }

    private static @Nullable String automatic(@Nullable MimeMessage message)
            throws MessagingException {
        if (message == null) {
            return "it has no content";
        }
        String auto = first(message, "Auto-Submitted");
        if (!auto.isEmpty() && !auto.startsWith("no")) {
            return "it says Auto-Submitted";
        }
        if (BULK.contains(first(message, "Precedence"))) {
            return "it says Precedence";
        }
        if (hasHeader(message, "list-")) {
            return "it is of a mailing list";
        }
        String type = first(message, "Content-Type");
        if (type.startsWith("multipart/report") || type.startsWith("message/disposition")) {
            return "it is a report or a read receipt";
        }
        if (first(message, "Subject").equals("unsubscribe")) {
            return "a program has written it for the user";
        }
        return null;
    }

    /** Returns whether a user has redirected the mail, which somebody else has written then. */
    public boolean isRedirected() throws MessagingException {
        return hasHeader(mail.getMessage(), "resent-");
    }

    private static boolean hasHeader(MimeMessage message, String beginning)
            throws MessagingException {
        for (Enumeration<?> lines = message.getAllHeaderLines(); lines.hasMoreElements(); ) {
            if (String.valueOf(lines.nextElement())
                    .toLowerCase(Locale.ROOT)
                    .startsWith(beginning)) {
                return true;
            }
        }
        return false;
    }

    private static String first(MimeMessage message, String header) throws MessagingException {
        String[] values = message.getHeader(header);
        return values == null || values.length == 0
                ? ""
                : values[0].strip().toLowerCase(Locale.ROOT);
    }

    /** Returns the recipients that are people for the user to know. */
    private List<Address> people(Address user) {
        List<Address> people = new ArrayList<>();
        for (MailAddress recipient : mail.getRecipients()) {
            if (AddressSyntax.parse(recipient.asString()) instanceof WellFormed(Address address)
                    && !address.equals(user)
                    && (withLocal || !isLocal(address))
                    && !leavesAList(address)) {
                people.add(address);
            }
        }
        return people;
    }

    /** Returns whether a mail to this address asks to be left out of a list. */
    private static boolean leavesAList(Address address) {
        return WORD.splitAsStream(address.local()).anyMatch(word -> LEAVES.matcher(word).matches());
    }
}
