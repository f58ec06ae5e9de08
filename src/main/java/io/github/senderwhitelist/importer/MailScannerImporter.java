package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.None;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports MailScanner's rules of welcome senders ({@code spam.whitelist.rules}): of the lines of
 * the form {@code From: PATTERN yes}, those whose pattern is an address, a domain ({@code
 * example.com}, {@code *@example.com}) or its subdomains ({@code *.example.com}).
 */
final class MailScannerImporter extends LineImporter {
    private static final Pattern RULE = Pattern.compile("(\\S+)\\s+(\\S+)\\s+(.*)");

    /** What MailScanner takes for a part of a client's address, such as {@code abc.de}. */
    private static final Pattern CLIENT =
            Pattern.compile("(?i:host(?:-nocheck)?:).*|[.:\\da-f]+(?:[-/][.:\\da-f]+)?");

    MailScannerImporter(Ledger ledger) {
        super(ledger);
    }

    @Override
    String withoutComment(String line) {
        return line.replaceFirst("#.*", "");
    }

    @Override
    void entry(String line) {
        String text = HiddenCharacters.strip(line);
        Matcher rule = RULE.matcher(text);
        if (!rule.matches()) {
            ledger.bad(text, "no rule; expected: From: pattern yes");
            return;
        }
        String pattern = HiddenCharacters.strip(rule.group(2));
        if (!rule.group(1).matches("(?i)\\W*from\\W*")) {
            ledger.report(text, "asks for more than the sender, or for something else");
        } else if (rule.group(3).equalsIgnoreCase("no")) {
            ledger.report(
                    text,
                    "lists nobody; a pattern that is taken counts for these senders, be it wider"
                            + " or further down");
        } else if (!rule.group(3).equalsIgnoreCase("yes")) {
            ledger.report(text, "only 'yes' alone, behind one pattern, lists a sender");
        } else if (CLIENT.matcher(pattern).matches()) {
            ledger.report(pattern, SenderPattern.NETWORK_REASON);
        } else {
            ledger.take(pattern(pattern));
        }
    }

    /** Returns what a pattern means. All but {@code *} is what it is in a regular expression. */
    private static SenderPattern pattern(String text) {
        if (text.startsWith("/")) {
            return new None(text, "an expression, or a file of patterns, has no equivalent");
        }
        if (text.equalsIgnoreCase("default") || text.equals("*") || text.equals("@")) {
            return new None(text, "stands for every sender");
        }
        if (text.matches(".*[?|(){}\\[\\]^$\\\\].*")) {
            return new None(text, "has characters that stand for others in MailScanner's patterns");
        }
        String domain = text.startsWith("@") ? text.substring(1) : text;
        if (domain.indexOf('@') >= 0 || domain.indexOf('*') > 0) {
            return SenderPattern.ofGlob(text);
        }
        if (domain.startsWith("*.")) {
            return new Subdomains(domain.substring(2));
        }
        return domain.startsWith("*") ? SenderPattern.ofGlob("*@" + domain) : new Domain(domain);
    }
}
