package io.github.senderwhitelist.mailet;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.hc.client5.http.psl.PublicSuffixListParser;
import org.apache.hc.client5.http.psl.PublicSuffixMatcher;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;

/**
 * Tells which domains belong to the same organisation, by the Public Suffix List in Apache
 * HttpClient. The list is as old as that library; its first lines have the date.
 */
final class PublicSuffixes {
    private static final String LIST = "/org/publicsuffix/list/effective_tld_names.dat";

    private PublicSuffixes() {}

    /** Holds the list, which is loaded when the first mail needs it. */
    private static final class Matcher {
        static final PublicSuffixMatcher LOADED = load();
    }

    /** Returns whether two canonical domains are equal or have the same organisational domain. */
    static boolean aligned(String a, String b) {
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
    private static String organisation(String domain) {
        String root = domain.startsWith("[") ? null : Matcher.LOADED.getDomainRoot(domain);
        return root == null ? "" : root;
    }

    private static PublicSuffixMatcher load() {
        InputStream list = PublicSuffixMatcher.class.getResourceAsStream(LIST);
        if (list == null) {
            throw new IllegalStateException("the jar lacks " + LIST);
        }
        try (BufferedReader in = new BufferedReader(new InputStreamReader(list, UTF_8))) {
            return new PublicSuffixMatcher(new PublicSuffixListParser().parseByType(in));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
