package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.importer.SenderPattern.None;

import java.io.InputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports MailScanner's rules of welcome senders ({@code spam.whitelist.rules}): of the lines of
 * the form {@code From: PATTERN yes}, those whose pattern is an address, {@code *@domain} or {@code
 * *@*.domain}.
 */
final class MailScannerImporter implements Importer {
    private static final Pattern RULE = Pattern.compile("(?i)(\\w+):?\\s+(\\S+)\\s+(.*)");

    private final Ledger ledger;

    MailScannerImporter(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public ListReader open(InputStream in, String name) {
        return new SimpleLines(new LineReader(in, name), ledger, this::entry);
    }

    private void entry(String text) {
        Matcher rule = RULE.matcher(text);
        if (!rule.matches()) {
            ledger.bad(text, "no rule; expected: From: pattern yes");
            return;
        }
        String pattern = rule.group(2);
        if (!rule.group(1).equalsIgnoreCase("from")) {
            ledger.report(text, "asks for more than the sender, or for something else");
        } else if (!rule.group(3).equalsIgnoreCase("yes")) {
            ledger.report(text, "only 'yes' alone, behind one pattern, lists a sender");
        } else if (Network.matches(pattern)) {
            ledger.network(pattern);
        } else if (pattern.indexOf('@') < 0 || pattern.startsWith("/")) {
            ledger.report(pattern, "taken are alice@example.com, *@example.com, *@*.example.com");
        } else if (SenderPattern.ofGlob(pattern) instanceof None(String reason)) {
            ledger.report(pattern, reason);
        } else {
            ledger.take(SenderPattern.ofGlob(pattern), false, "");
        }
    }
}
