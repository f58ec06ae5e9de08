package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.decision.Authentication;

import org.apache.james.core.Domain;
import org.apache.mailet.AttributeName;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What James itself found out about where a mail comes from, as its mailets and SMTP hooks leave it
 * on the mail. Headers, such as {@code Authentication-Results} and {@code Received-SPF}, are
 * anybody's and are never believed.
 *
 * <p>A client that has logged in, or is in an authorised network, confirms senders at this server's
 * own domains. SPF confirms the domain of the envelope sender, DKIM the domains that have signed;
 * both count for a sender with the same organisational domain (relaxed alignment, RFC 7489, section
 * 3.1).
 *
 * <p>For one mail and one thread: what is found out is kept for all recipients and rules.
 */
final class MailAuthentication implements Authentication {
    private static final Logger LOGGER = LoggerFactory.getLogger(MailAuthentication.class);

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

    private final Mail mail;
    private final Predicate<Domain> isLocal;

    /** What each sender asked for meets. */
    private final Map<Address, Set<AuthRequirement>> met = new HashMap<>();

    private @Nullable Findings findings;

    /**
     * What the mail says, whoever its sender is.
     *
     * @param ours whether the client has logged in or is in an authorised network
     * @param spf the domain that SPF confirms, or null
     * @param signers the domains that DKIM confirms
     */
    private record Findings(boolean ours, @Nullable String spf, List<String> signers) {}

    /**
     * Reads nothing of the mail before it is asked for.
     *
     * @param isLocal whether a domain is one of this server's
     */
    MailAuthentication(Mail mail, Predicate<Domain> isLocal) {
        this.mail = mail;
        this.isLocal = isLocal;
    }

    @Override
    public boolean meets(AuthRequirement required, Address sender) {
        return required == AuthRequirement.NONE
                || met.computeIfAbsent(sender, this::confirmed).contains(required);
    }

    private Set<AuthRequirement> confirmed(Address sender) {
        if (findings == null) {
            findings = findings();
        }
        String domain = sender.domain();
        if (findings.ours && isLocal(domain)) {
            return EnumSet.allOf(AuthRequirement.class);
        }
        Set<AuthRequirement> confirmed = EnumSet.noneOf(AuthRequirement.class);
        if (findings.spf != null && PublicSuffixes.aligned(findings.spf, domain)) {
            confirmed.add(AuthRequirement.SPF);
        }
        if (findings.signers.stream().anyMatch(signer -> PublicSuffixes.aligned(signer, domain))) {
            confirmed.add(AuthRequirement.DKIM);
        }
        if (!confirmed.isEmpty()) {
            confirmed.add(AuthRequirement.ANY);
        }
        return confirmed;
    }

    private boolean isLocal(String domain) {
        try {
            return isLocal.test(Domain.of(domain));
        } catch (IllegalArgumentException e) {
            // No domain in the eyes of James, so none of its own.
            return false;
        } catch (RuntimeException e) {
            LOGGER.warn(
                    "mail={}: James cannot tell whether {} is one of its domains, so nothing"
                            + " confirms the sender: {}",
                    mail.getName(),
                    domain,
                    e.toString());
            LOGGER.debug("mail={}: James cannot tell its domains", mail.getName(), e);
            return false;
        }
    }

    private Findings findings() {
        return new Findings(
                value(Mail.SMTP_AUTH_USER) != null
                        || Boolean.TRUE.equals(value(AUTHORIZED_NETWORK)),
                spf(),
                value(DKIM_RESULT) instanceof String result
                        ? DkimSignatures.signers(mail, result)
                        : List.of());
    }

    private @Nullable String spf() {
        Object result = value(SPF_RESULT);
        Object header = result == null ? value(SPF_HEADER) : null;
        boolean pass = "pass".equals(result) || (header + " ").startsWith("pass ");
        // Of the null sender SPF says something about the client's name, not about a sender.
        String envelope = mail.getMaybeSender().asOptional().map(s -> s.asString()).orElse("");
        return pass
                ? switch (AddressSyntax.parse(envelope)) {
                    case WellFormed(Address checked) -> checked.domain();
                    case Malformed malformed -> null;
                }
                : null;
    }

    private @Nullable Object value(AttributeName name) {
        return mail.getAttribute(name).map(a -> (Object) a.getValue().value()).orElse(null);
    }
}
