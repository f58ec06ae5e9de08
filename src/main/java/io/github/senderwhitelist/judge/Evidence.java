package io.github.senderwhitelist.judge;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Known;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The authentication results of a mail, for any address of the mail.
 *
 * @param client what confirms senders at this server's own domains, or null
 * @param spf the domain that SPF confirms, or null
 * @param signers the domains that DKIM confirms
 */
public record Evidence(@Nullable Confirmation client, @Nullable String spf, List<String> signers) {
    /** What people may write. */
    public static final String ALLOWED =
            "spf, dkim, dkim:DOMAIN, login, network, separated by commas";

    private static final String SIGNER = "dkim:";

    /** Copies the list. */
    public Evidence {
        signers = List.copyOf(signers);
    }

    /**
     * Returns what people have written: {@code spf} confirms the domain of the envelope sender,
     * {@code dkim} that of the header From:, {@code dkim:DOMAIN} any, {@code login} and {@code
     * network} this server's own.
     *
     * @throws IllegalArgumentException if they have written anything else
     */
    public static Evidence parse(String text, Sender envelope, Sender from) {
        Confirmation client = null;
        String spf = null;
        List<String> signers = new ArrayList<>();
        for (String item : text.isBlank() ? new String[0] : text.split(",", -1)) {
            String one = item.strip();
            switch (one) {
                case "login" -> client = Confirmation.LOGIN;
                case "network" -> client = client == null ? Confirmation.NETWORK : client;
                case "spf" -> spf = envelope instanceof Known(Address sent) ? sent.domain() : null;
                case "dkim" -> {
                    if (from instanceof Known(Address seen)) {
                        signers.add(seen.domain());
                    }
                }
                default -> signers.add(signer(one));
            }
        }
        return new Evidence(client, spf, signers);
    }

    private static String signer(String item) {
        byte[] domain =
                item.startsWith(SIGNER)
                        ? AddressSyntax.parseDomain(item.substring(SIGNER.length()))
                        : null;
        if (domain == null) {
            throw new IllegalArgumentException("'" + Text.shown(item) + "'; allowed: " + ALLOWED);
        }
        return new String(domain, StandardCharsets.UTF_8);
    }

    /**
     * Returns what confirms senders at a domain.
     *
     * @param isLocal returns whether a domain is one of this server's
     */
    public Set<Confirmation> confirmations(String domain, Predicate<String> isLocal) {
        if (client != null && isLocal.test(domain)) {
            return EnumSet.of(client);
        }
        Set<Confirmation> found = EnumSet.noneOf(Confirmation.class);
        if (spf != null && PublicSuffixes.aligned(spf, domain)) {
            found.add(Confirmation.SPF);
        }
        if (signers.stream().anyMatch(signer -> PublicSuffixes.aligned(signer, domain))) {
            found.add(Confirmation.DKIM);
        }
        return found;
    }
}
