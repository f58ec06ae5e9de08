package io.github.senderwhitelist.decision;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;

import org.apache.hc.client5.http.psl.DomainType;
import org.apache.hc.client5.http.psl.PublicSuffixList;
import org.apache.hc.client5.http.psl.PublicSuffixListParser;
import org.apache.hc.client5.http.psl.PublicSuffixMatcher;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The organisations that domains belong to, and which of them are public mail providers, where
 * anybody gets an address, so that two addresses say nothing about each other.
 *
 * <p>An organisation is a public suffix and one label more (RFC 7489, section 3.2), by the Public
 * Suffix List in Apache HttpClient, which is as old as that library, and a few {@linkplain #TENANTS
 * suffixes that it lacks}. The providers' domains are in {@code public-providers.txt}.
 */
public final class Organisations {
    private static final String SUFFIX_LIST = "/org/publicsuffix/list/effective_tld_names.dat";

    /**
     * Domains that the list lacks and under which each name is another customer's, who sends mail
     * as that name. A domain belongs here only if the customers' mails are signed with their own
     * name: nothing that is signed with a public suffix confirms a name below it.
     */
    private static final List<String> TENANTS =
            List.of(
                    // Microsoft 365 signs each tenant's mail with TENANT.onmicrosoft.com. Servers
                    // of a tenant's own beside it use TENANT.mail.onmicrosoft.com.
                    "onmicrosoft.com",
                    "mail.onmicrosoft.com",
                    // The same for the government of the United States.
                    "onmicrosoft.us",
                    "mail.onmicrosoft.us",
                    // The same in China.
                    "partner.onmschina.cn",
                    "partner.mail.onmschina.cn",
                    // Each account of Mailgun has sandboxNUMBER.mailgun.org to try it out.
                    "mailgun.org",
                    // Programs in Google App Engine send as anything@PROJECT.appspotmail.com. The
                    // list has their web sites only, at appspot.com.
                    "appspotmail.com");

    private static final PublicSuffixMatcher SUFFIXES;
    private static final Set<String> PROVIDERS;

    static {
        try (BufferedReader suffixes = open(PublicSuffixMatcher.class, SUFFIX_LIST);
                BufferedReader providers = open(Organisations.class, "public-providers.txt")) {
            List<PublicSuffixList> lists =
                    new ArrayList<>(new PublicSuffixListParser().parseByType(suffixes));
            lists.add(new PublicSuffixList(DomainType.PRIVATE, TENANTS, List.of()));
            SUFFIXES = new PublicSuffixMatcher(lists);
            PROVIDERS = providers.lines().collect(Collectors.toUnmodifiableSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Organisations() {}

    private static BufferedReader open(Class<?> beside, String name) {
        InputStream in =
                Objects.requireNonNull(beside.getResourceAsStream(name), "the jar lacks " + name);
        return new BufferedReader(new InputStreamReader(in, UTF_8));
    }

    /**
     * Returns whether an envelope sender and another address of the mail are one sender: the same
     * address, or two of an organisation that answers for both. It does not for what it forwards,
     * whose From: anybody may have written, nor a public mail provider for its customers.
     */
    public static boolean areOneSender(Address envelope, Address other) {
        return envelope.equals(other)
                || (!envelope.isForwarded()
                        && aligned(envelope.domain(), other.domain())
                        && !isPublicProvider(other.domain()));
    }

    /** Returns whether two canonical domains are equal or have the same organisational domain. */
    public static boolean aligned(String a, String b) {
        String organisation = of(a);
        return a.equals(b) || (!organisation.isEmpty() && organisation.equals(of(b)));
    }

    /** Returns whether a canonical domain belongs to a public mail provider. */
    public static boolean isPublicProvider(String domain) {
        return PROVIDERS.contains(of(domain));
    }

    /** Returns the organisational domain, or nothing for an address literal or public suffix. */
    private static String of(String domain) {
        String root = domain.startsWith("[") ? null : SUFFIXES.getDomainRoot(domain);
        return root == null ? "" : root;
    }
}
