package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Sender.Known;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The authentication results of a mail, for any address of the mail.
 *
 * @param client what confirms senders at this server's own domains, or null
 * @param spf the envelope sender if SPF confirms it, or null
 * @param signers the domains that DKIM confirms
 * @param isFrom returns whether an address is the one in From:, for which signatures are
 * @param isLocal returns whether a domain is one of this server's
 */
public record Evidence(
        @Nullable Confirmation client,
        @Nullable Address spf,
        List<String> signers,
        Predicate<Address> isFrom,
        Predicate<String> isLocal)
        implements Authentication {
    private static final String SIGNER = "dkim:";
    private static final List<String> WORDS = List.of("spf", "dkim", "login", "network");
    private static final String ALLOWED =
            "spf, dkim, dkim:DOMAIN, login, network, separated by commas";

    /**
     * Returns what people have written: {@code spf} confirms the envelope sender, {@code dkim} the
     * domain of the header From:, {@code dkim:DOMAIN} any, {@code login} and {@code network} this
     * server's own.
     *
     * @throws IllegalArgumentException if they have written anything else
     */
    public static Evidence parse(
            String text, Sender envelope, Sender from, Predicate<String> isLocal) {
        List<String> items =
                text.isBlank()
                        ? List.of()
                        : Stream.of(text.split(",", -1)).map(String::strip).toList();
        List<String> signers = new ArrayList<>();
        for (String item : items) {
            String domain =
                    item.startsWith(SIGNER)
                            ? AddressSyntax.parseDomain(item.substring(SIGNER.length()))
                            : item.equals("dkim") && from instanceof Known(Address seen)
                                    ? seen.domain()
                                    : null;
            if (domain != null) {
                signers.add(domain);
            } else if (!WORDS.contains(item)) {
                throw new IllegalArgumentException(
                        "'" + Text.shown(item) + "'; allowed: " + ALLOWED);
            }
        }
        return new Evidence(
                items.contains("login")
                        ? Confirmation.LOGIN
                        : items.contains("network") ? Confirmation.NETWORK : null,
                items.contains("spf") && envelope instanceof Known(Address sent) ? sent : null,
                signers,
                each -> from.equals(new Known(each)),
                isLocal);
    }

    @Override
    public Set<Confirmation> confirmations(Address sender) {
        String domain = sender.domain();
        try {
            if (client != null && isLocal.test(domain)) {
                return EnumSet.of(client);
            }
        } catch (RuntimeException e) {
            // James does not accept it as a domain, or cannot tell, so the client confirms nobody.
        }
        Set<Confirmation> found = EnumSet.noneOf(Confirmation.class);
        if (spf != null && Organisations.areOneSender(spf, sender)) {
            found.add(Confirmation.SPF);
        }
        if (signers.stream().anyMatch(signer -> Organisations.aligned(signer, domain))
                && (!Organisations.isPublicProvider(domain) || isFrom.test(sender))) {
            found.add(Confirmation.DKIM);
        }
        return found;
    }
}
