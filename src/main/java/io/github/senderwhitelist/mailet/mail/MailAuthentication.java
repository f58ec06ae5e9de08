package io.github.senderwhitelist.mailet.mail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.decision.Authentication;
import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.Evidence;
import io.github.senderwhitelist.decision.FromHeader;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Known;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.mailet.AttributeName;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The authentication results that James has put into the attributes of a mail. No protocol carries
 * attributes, so strangers cannot set them. Headers such as {@code Authentication-Results} and
 * {@code Received-SPF} are never believed, because anybody can write them.
 *
 * <p>A client that has logged in, by SMTP or JMAP, or is in an authorised network, confirms senders
 * at this server's own domains. SPF confirms the envelope sender, DKIM the domains that have
 * signed. Both confirm other senders with the same organisational domain (relaxed alignment, RFC
 * 7489, section 3.1), as far as {@link io.github.senderwhitelist.decision.Organisations} and {@link
 * Evidence} say.
 *
 * <p>An instance belongs to one mail and one thread, and keeps its results for all recipients and
 * rules.
 */
public final class MailAuthentication implements Authentication {
    /** Set by the mailet {@code SPF}: the result as one word. */
    public static final AttributeName SPF_RESULT =
            AttributeName.of("org.apache.james.transport.mailets.spf.result");

    /** Set by the SMTP hook {@code SPFHandler}: the text of Received-SPF. */
    static final AttributeName SPF_HEADER = AttributeName.of("org.apache.james.spf.header");

    /** The attribute that the mailet {@code DKIMVerify} sets; see {@link DkimSignatures}. */
    public static final AttributeName DKIM_RESULT = AttributeName.of("jDKIM.AUTHRESULT");

    /** The attribute that the SMTP server sets for clients in an authorised network. */
    static final AttributeName AUTHORIZED_NETWORK =
            AttributeName.of("org.apache.james.SMTPIsAuthNetwork");

    /** The attribute that James gives what a user sends by JMAP: the user. */
    static final AttributeName JMAP_USER =
            AttributeName.of("org.apache.james.jmap.send.MailMetaData.username");

    private final Mail mail;
    private final Predicate<String> isLocal;
    private final Map<Address, Set<Confirmation>> confirmed = new HashMap<>();
    private @Nullable Evidence evidence;

    /** Makes the authentication of a mail, which is read at the first question. */
    public MailAuthentication(Mail mail, Predicate<String> isLocal) {
        this.mail = mail;
        this.isLocal = isLocal;
    }

    @Override
    public Set<Confirmation> confirmations(Address sender) {
        return confirmed.computeIfAbsent(sender, each -> evidence().confirmations(each));
    }

    /** Returns what confirms all of these senders; nothing confirms nobody. */
    public Set<Confirmation> ofAll(List<Sender> senders) {
        Set<Confirmation> all = EnumSet.allOf(Confirmation.class);
        for (Sender sender : senders) {
            all.retainAll(sender instanceof Known(Address known) ? confirmations(known) : Set.of());
        }
        return all;
    }

    /**
     * Returns what was found so far for those who were asked for, as {@code confirmed=} of an
     * explanation takes it. What nobody has asked for has decided nothing.
     */
    public String found() {
        Set<String> words = new LinkedHashSet<>();
        confirmed.forEach(
                (sender, found) -> {
                    for (Confirmation each : found) {
                        String of = each == Confirmation.DKIM ? ":" + sender.domain() : "";
                        words.add(each.label() + of);
                    }
                });
        return String.join(",", words);
    }

    /** Returns the sender in the header From:, who is nobody where it is unclear or unreadable. */
    public static Sender from(Mail mail) {
        try {
            Address address = mailbox(mail.getMessage());
            return address == null ? MailFacts.NO_ONE_MAILBOX : new Known(address);
        } catch (MessagingException e) {
            return MailFacts.NO_ONE_MAILBOX;
        }
    }

    /** Returns the mailbox in the header From:, or null where it is unclear or missing. */
    public static @Nullable Address mailbox(@Nullable MimeMessage message)
            throws MessagingException {
        String[] headers = message == null ? null : message.getHeader("From");
        return headers == null ? null : FromHeader.mailbox(List.of(headers));
    }

    private Evidence evidence() {
        if (evidence == null) {
            evidence =
                    new Evidence(
                            client(),
                            spf(),
                            value(DKIM_RESULT) instanceof String result
                                    ? DkimSignatures.signers(mail, result)
                                    : List.of(),
                            sender -> from(mail).equals(new Known(sender)),
                            isLocal);
        }
        return evidence;
    }

    private @Nullable Confirmation client() {
        if (value(Mail.SMTP_AUTH_USER) != null || value(JMAP_USER) != null) {
            return Confirmation.LOGIN;
        }
        return Boolean.TRUE.equals(value(AUTHORIZED_NETWORK)) ? Confirmation.NETWORK : null;
    }

    private @Nullable Address spf() {
        Object result = value(SPF_RESULT);
        Object header = result == null ? value(SPF_HEADER) : null;
        boolean pass = "pass".equals(result) || (header + " ").startsWith("pass ");
        // For the null sender, SPF checks the name of the client, which confirms no sender.
        String envelope = mail.getMaybeSender().asOptional().map(s -> s.asString()).orElse("");
        return pass && AddressSyntax.parse(envelope) instanceof Address checked ? checked : null;
    }

    private @Nullable Object value(AttributeName name) {
        return mail.getAttribute(name).map(a -> (Object) a.getValue().value()).orElse(null);
    }
}
