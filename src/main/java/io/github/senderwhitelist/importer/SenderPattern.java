package io.github.senderwhitelist.importer;

/** The equivalent of a foreign pattern among our keys. */
sealed interface SenderPattern {

    /** One address. */
    record Exact(String address) implements SenderPattern {}

    /** Every address at exactly this domain. */
    record Domain(String domain) implements SenderPattern {}

    /** Every address at any subdomain of this domain. */
    record Subdomains(String domain) implements SenderPattern {}

    /**
     * No equivalent.
     *
     * @param reason why there is none, for people
     */
    record None(String reason) implements SenderPattern {}

    /**
     * Returns the equivalent of a glob that is compared with whole addresses. In a glob, {@code *}
     * stands for any text and {@code ?} for any character, including {@code @} and dots.
     */
    static SenderPattern ofGlob(String written) {
        String glob = written.replaceAll("\\*+", "*");
        if (glob.indexOf('?') >= 0) {
            return new None("'?' stands for any character, which no entry can");
        }
        if (glob.indexOf('*') < 0) {
            return glob.indexOf('@') > 0 && !glob.endsWith(".")
                    ? new Exact(glob)
                    : new None(
                            "matches no address there, because it is compared with whole addresses;"
                                    + " if a domain is meant, write @example.com");
        }
        String rest = glob.startsWith("*@") ? glob.substring(2) : glob.substring(1);
        if (glob.equals("*") || rest.equals("*")) {
            return new None("lists every sender");
        }
        boolean plain = rest.indexOf('*') < 0 && rest.indexOf('@') < 0 && !rest.endsWith(".");
        if (glob.startsWith("*@*.") && isDomain(rest.substring(2))) {
            return new Subdomains(rest.substring(2));
        }
        if (glob.startsWith("*.") && plain && isDomain(rest.substring(1))) {
            return new Subdomains(rest.substring(1));
        }
        if (glob.startsWith("*@") && isDomain(rest)) {
            return new Domain(rest);
        }
        String end = rest.startsWith("*") ? rest.substring(1) : rest;
        if ((glob.startsWith("*@*") || plain) && glob.startsWith("*") && isDomain(end)) {
            return new None(
                    "matches every domain that ends so, also evil"
                            + end
                            + "; if that domain and its subdomains are meant, write @"
                            + end
                            + " and @."
                            + end);
        }
        return new None(
                "an entry can stand for all addresses at a domain (*@example.com) or at its"
                        + " subdomains (*@*.example.com), not for other patterns");
    }

    private static boolean isDomain(String text) {
        return !text.isEmpty()
                && text.indexOf('*') < 0
                && text.indexOf('@') < 0
                && !text.startsWith(".")
                && !text.endsWith(".");
    }
}
