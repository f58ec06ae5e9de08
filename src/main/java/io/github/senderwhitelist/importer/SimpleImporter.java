package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;

import java.util.regex.Pattern;

/**
 * Imports files with one sender a line: plain lists of senders that are welcome; the files that
 * Amavis' {@code read_hash} reads for {@code whitelist_sender_maps}; and MailScanner's rules of
 * welcome senders ({@code spam.whitelist.rules}).
 */
final class SimpleImporter extends Importer {
    /** What MailScanner takes for a part of a client's address, such as {@code abc.de}. */
    private static final Pattern CLIENT =
            Pattern.compile("(?i:host(?:-nocheck)?:).*|[.:\\da-f]+(?:[-/][.:\\da-f]+)?");

    private final ForeignFormat format;

    SimpleImporter(ForeignFormat format) {
        super(format == ForeignFormat.LIST ? "(?:^|\\s)#.*" : "#.*");
        this.format = format;
    }

    @Override
    void entry(String line) {
        String text = HiddenCharacters.strip(line);
        if (format == ForeignFormat.MAILSCANNER) {
            mailScanner(text);
        } else if (format == ForeignFormat.LIST) {
            list(text);
        } else if (line.startsWith(" ") || line.startsWith("\t")) {
            report(text, "matches nothing in Amavis, where a key has no space before it");
        } else {
            amavis(text);
        }
    }

    /** A domain stands for the addresses at exactly this domain. */
    private void list(String text) {
        if (text.matches("(?s).*[\\s,;<>\"].*")) {
            bad(text, "more than an address or a domain; expected: one a line, alone");
        } else if (text.startsWith("!") || text.startsWith("-")) {
            report(text, "a plain list cannot say who is not welcome");
        } else if (text.indexOf('*') >= 0 || text.indexOf('?') >= 0) {
            take(glob(text));
        } else if (text.startsWith(".")) {
            take(below(text.substring(1)));
        } else if (text.indexOf('@') > 0) {
            take(address(text));
        } else if (text.indexOf('.') < 0 && text.indexOf(':') < 0) {
            bad(text, "neither an address nor a domain; expected: example.com");
        } else {
            take(domain(text.startsWith("@") ? text.substring(1) : text));
        }
    }

    /**
     * Amavis takes every value but {@code 0} for a yes. Other values than {@code 1} are scores, of
     * {@code score_sender_maps}.
     */
    private void amavis(String text) {
        String[] parts = text.split("\\s+", 2);
        String key = parts[0].replaceFirst("^<(.+)>$", "$1");
        if (key.indexOf('"') >= 0) {
            report(text, "a quoted address; add it by hand");
        } else if (parts.length > 1 && !parts[1].equals("1")) {
            report(
                    text,
                    "a score, or a 0, which lists nobody; a wider key that is taken counts for this"
                            + " sender");
        } else if (key.equals(".")) {
            report(key, EVERYBODY);
        } else if (key.startsWith("@") || key.indexOf('*') >= 0) {
            report(key, "matches nothing in Amavis, whose keys are addresses and domains");
        } else if (key.startsWith(".")) {
            take(domain(key.substring(1)), below(key.substring(1)));
        } else {
            take(key.indexOf('@') > 0 ? address(key) : domain(key));
        }
    }

    /**
     * Takes {@code From: PATTERN yes} when the pattern is an address, a domain ({@code
     * example.com}, {@code *@example.com}) or its subdomains ({@code *.example.com}). All but
     * {@code *} in a pattern is what it is in a regular expression.
     */
    private void mailScanner(String text) {
        String[] rule = text.split("\\s+", 3);
        if (rule.length < 3) {
            bad(text, "no rule; expected: From: pattern yes");
            return;
        }
        String pattern = HiddenCharacters.strip(rule[1]);
        String domain = pattern.startsWith("@") ? pattern.substring(1) : pattern;
        if (!rule[0].matches("(?i)\\W*from\\W*") || !rule[2].equalsIgnoreCase("yes")) {
            report(
                    text,
                    "only 'From:', one pattern, and 'yes' alone list a sender; of a 'no', a pattern"
                            + " that is taken counts for these senders, be it wider or further"
                            + " down");
        } else if (CLIENT.matcher(pattern).matches()) {
            report(pattern, "a client's network address there, not a sender");
        } else if (domain.isEmpty() || pattern.equalsIgnoreCase("default")) {
            report(pattern, EVERYBODY);
        } else if (pattern.matches(".*[/?|(){}\\[\\]^$\\\\].*")) {
            report(pattern, "an expression, or a file of patterns, has no equivalent");
        } else if (domain.indexOf('*') >= 0 || domain.indexOf('@') > 0) {
            take(glob(domain.matches("\\*[^@.][^@]*") ? "*@" + domain : domain));
        } else {
            take(domain(domain));
        }
    }
}
