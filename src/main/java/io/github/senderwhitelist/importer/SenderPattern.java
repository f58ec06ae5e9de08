package io.github.senderwhitelist.importer;

import org.jspecify.annotations.Nullable;

import java.util.regex.Pattern;

/** The equivalent of a foreign pattern among our keys. */
sealed interface SenderPattern {
    /**
     * IP addresses, the beginnings of some, and networks: {@code 10.1}, {@code 192.0.2.0/24},
     * {@code 2001:db8::/32}.
     */
    Pattern NETWORK =
            Pattern.compile(
                    "!?\\[?(?:[0-9]{1,3}(?:\\.[0-9]{1,3}){0,3}\\.?|[0-9a-fA-F]*:[0-9a-fA-F:.]*)\\]?"
                            + "(?:/[0-9]{1,3})?");

    String NETWORK_REASON = "a client's network address, not a sender; is it a list of clients?";

    /** Returns the address or domain, or the foreign text if there is no equivalent. */
    String text();

    /** One address. */
    record Exact(String text) implements SenderPattern {}

    /** Every address at exactly this domain. */
    record Domain(String text) implements SenderPattern {}

    /** Every address at any subdomain of this domain. */
    record Subdomains(String text) implements SenderPattern {}

    /**
     * No equivalent.
     *
     * @param reason why there is none, for people
     */
    record None(String text, String reason) implements SenderPattern {}

    /** Returns whether a text is a network where an address or domain is expected. */
    static boolean isNetwork(String text) {
        return NETWORK.matcher(text).matches();
    }

    /** Returns why no list of ours can have this pattern, or null. */
    default @Nullable String reason() {
        if (text().isEmpty() || text().equals("<>")) {
            return "the null sender is never listed";
        }
        if (text().endsWith("@")) {
            return "a user at every domain has no equivalent";
        }
        boolean literal = text().startsWith("[") && text().endsWith("]");
        return isNetwork(text()) && !literal ? NETWORK_REASON : null;
    }

    /**
     * Returns the equivalent of a glob that is compared with whole addresses. In a glob, {@code *}
     * stands for any text and {@code ?} for any character, including {@code @} and dots.
     */
    static SenderPattern ofGlob(String written) {
        String glob = written.replaceAll("\\*+", "*");
        if (glob.indexOf('?') >= 0) {
            return new None(written, "'?' stands for any character, which no entry can");
        }
        if (glob.indexOf('*') < 0) {
            return glob.indexOf('@') > 0 && !glob.endsWith(".")
                    ? new Exact(glob)
                    : new None(
                            written,
                            "matches no address there, because it is compared with whole addresses;"
                                    + " if a domain is meant, write @example.com");
        }
        if (glob.equals("*") || glob.equals("*@*")) {
            return new None(written, "stands for every sender");
        }
        String domain = glob.replaceFirst("^\\*(?:@\\*?)?\\.?", "");
        String before = glob.substring(0, glob.length() - domain.length());
        if (!before.isEmpty() && isDomain(domain)) {
            switch (before) {
                case "*@" -> {
                    return new Domain(domain);
                }
                case "*@*.", "*." -> {
                    return new Subdomains(domain);
                }
                case "*", "*@*" -> {
                    return new None(
                            written,
                            "matches every domain that ends so, also evil"
                                    + domain
                                    + "; if that domain and its subdomains are meant, write @"
                                    + domain
                                    + " and @."
                                    + domain);
                }
                default -> {}
            }
        }
        return new None(
                written,
                "an entry can stand for all addresses at a domain (*@example.com) or at its"
                        + " subdomains (*@*.example.com), not for other patterns");
    }

    private static boolean isDomain(String text) {
        return text.matches("[^*@.](?:[^*@]*[^*@.])?");
    }
}
