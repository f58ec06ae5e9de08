package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.whitelist.Authentication;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.mailet.AttributeName;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What James itself found out about where a mail comes from, as its mailets and SMTP hooks leave it
 * on the mail. Headers, such as {@code Authentication-Results} and {@code Received-SPF}, are
 * anybody's and are never believed.
 *
 * <p>A client that has logged in, or is in an authorised network, confirms any sender. SPF confirms
 * the domain of the envelope sender, DKIM the domains that have signed; both count for a sender
 * with the same organisational domain (relaxed alignment, RFC 7489, section 3.1).
 */
final class MailAuthentication implements Authentication {
    private static final Logger LOGGER = LoggerFactory.getLogger(SenderWhitelist.class);

    /** Set by the mailet {@code SPF}: the result as one word. */
    static final AttributeName SPF_RESULT =
            AttributeName.of("org.apache.james.transport.mailets.spf.result");

    /** Set by the SMTP hook {@code SPFHandler}: the text of a Received-SPF header. */
    static final AttributeName SPF_HEADER = AttributeName.of("org.apache.james.spf.header");

    /** Set by the mailet {@code DKIMVerify}. */
    static final AttributeName DKIM_RESULT = AttributeName.of("jDKIM.AUTHRESULT");

    /** Set by the SMTP server for clients that may relay. */
    static final AttributeName AUTHORIZED_NETWORK =
            AttributeName.of("org.apache.james.SMTPIsAuthNetwork");

    private static final Pattern DKIM_PASS =
            Pattern.compile("pass(?: \\(identity [^()\\s]*@[A-Za-z0-9._-]+\\))+");
    private static final Pattern DKIM_DOMAIN = Pattern.compile("@([A-Za-z0-9._-]+)\\)");
    private static final Pattern PLAIN_IDENTITY =
            Pattern.compile("[A-Za-z0-9!#$%&'*+/?^_`{|}~.-]*@[A-Za-z0-9._-]+");

    private final Mail mail;

    MailAuthentication(Mail mail) {
        this.mail = mail;
    }

    @Override
    public boolean meets(AuthRequirement required, Address sender) {
        return required == AuthRequirement.NONE
                || isOurs()
                || (required != AuthRequirement.DKIM && spfConfirms(sender))
                || (required != AuthRequirement.SPF && dkimConfirms(sender));
    }

    private boolean isOurs() {
        return value(Mail.SMTP_AUTH_USER) != null || Boolean.TRUE.equals(value(AUTHORIZED_NETWORK));
    }

    private boolean spfConfirms(Address sender) {
        Object result = value(SPF_RESULT);
        Object header = result == null ? value(SPF_HEADER) : null;
        boolean pass = "pass".equals(result) || (header + " ").startsWith("pass ");
        // Of the null sender SPF says something about the client's name, not about a sender.
        String envelope = mail.getMaybeSender().asOptional().map(s -> s.asString()).orElse("");
        return pass
                && switch (AddressSyntax.parse(envelope)) {
                    case WellFormed(Address checked) ->
                            PublicSuffixes.aligned(checked.domain(), sender.domain());
                    case Malformed malformed -> false;
                };
    }

    private boolean dkimConfirms(Address sender) {
        for (String domain : signers()) {
            if (PublicSuffixes.aligned(domain, sender.domain())) {
                return true;
            }
        }
        return false;
    }

    /** The domains of the signatures that are right. */
    private List<String> signers() {
        List<String> signers = new ArrayList<>();
        if (value(DKIM_RESULT) instanceof String result
                && DKIM_PASS.matcher(result).matches()
                && identitiesArePlain()) {
            Matcher domains = DKIM_DOMAIN.matcher(result);
            while (domains.find()) {
                byte[] domain = AddressSyntax.parseDomain(domains.group(1));
                if (domain != null) {
                    signers.add(new String(domain, StandardCharsets.UTF_8));
                }
            }
        }
        return signers;
    }

    /**
     * Whether no signature has an identity ({@code i=}) that could be taken for more than one: what
     * is before its last {@code @} is the signer's to choose, and the result is a list of
     * identities in one line of text.
     */
    private boolean identitiesArePlain() {
        try {
            MimeMessage message = mail.getMessage();
            String[] signatures = message == null ? null : message.getHeader("DKIM-Signature");
            if (signatures == null) {
                return false;
            }
            for (String signature : signatures) {
                for (String tag : signature.replaceAll("\\s", "").split(";", -1)) {
                    if (tag.startsWith("i=")
                            && !PLAIN_IDENTITY.matcher(tag.substring(2)).matches()) {
                        return false;
                    }
                }
            }
            return true;
        } catch (MessagingException e) {
            LOGGER.debug("mail={}: its signatures cannot be read", mail.getName(), e);
            return false;
        }
    }

    private @Nullable Object value(AttributeName name) {
        return mail.getAttribute(name).map(a -> (Object) a.getValue().value()).orElse(null);
    }
}
