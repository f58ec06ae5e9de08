package io.github.senderwhitelist.decision;

import static java.nio.charset.StandardCharsets.UTF_8;

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

/**
 * The organisational domains of domains (RFC 7489, section 3.2), by the Public Suffix List in
 * Apache HttpClient and a few {@linkplain #TENANTS suffixes that it lacks}. The list is as old as
 * that library; its first lines have the date.
 */
public final class PublicSuffixes {
    private static final String LIST = "/org/publicsuffix/list/effective_tld_names.dat";

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

    private PublicSuffixes() {}

    /** Holds the list, which is loaded when the first mail needs it. */
    private static final class Matcher {
        static final PublicSuffixMatcher LOADED = load();
    }

    /** Returns whether two canonical domains are equal or have the same organisational domain. */
    public static boolean aligned(String a, String b) {
        if (a.equals(b)) {
            return true;
        }
        String organisation = organisation(a);
        return !organisation.isEmpty() && organisation.equals(organisation(b));
    }

    /**
     * Returns the organisational domain (RFC 7489, section 3.2): the public suffix and one label
     * more. Returns an empty string for an address literal and for a public suffix.
     */
    static String organisation(String domain) {
        String root = domain.startsWith("[") ? null : Matcher.LOADED.getDomainRoot(domain);
        return root == null ? "" : root;
    }

    private static PublicSuffixMatcher load() {
        InputStream list = PublicSuffixMatcher.class.getResourceAsStream(LIST);
        if (list == null) {
            throw new IllegalStateException("the jar lacks " + LIST);
        }
        try (BufferedReader in = new BufferedReader(new InputStreamReader(list, UTF_8))) {
            List<PublicSuffixList> lists =
                    new ArrayList<>(new PublicSuffixListParser().parseByType(in));
            lists.add(new PublicSuffixList(DomainType.PRIVATE, TENANTS, List.of()));
            return new PublicSuffixMatcher(lists);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
