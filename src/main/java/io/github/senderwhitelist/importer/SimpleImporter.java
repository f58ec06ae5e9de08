package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports files with one sender a line: plain lists of senders that are welcome; the files that
 * Amavis' {@code read_hash} reads for {@code whitelist_sender_maps}; and MailScanner's rules of
 * welcome senders ({@code spam.whitelist.rules}).
 */
final class SimpleImporter extends Importer {
    /** What MailScanner takes for a part of a client's address, such as {@code abc.de}. */
    private static final Pattern CLIENT =
            Pattern.compile("(?i)host(?:-nocheck)?:.*|[.:\\da-f]+(?:[-/][.:\\da-f]+)?");

    private static final Pattern RULE =
            Pattern.compile("(?i)\\W*from\\W*\\s+([^\\s/?|(){}\\[\\]^$\\\\]+)\\s+yes");

    private final Import.Format format;

    SimpleImporter(Sink sink, Import.Format format) {
        super(sink, format == Import.Format.LIST ? "(?:^|\\s)#.*" : "#.*");
        this.format = format;
    }

    @Override
    void entry(String line) {
        String text = HiddenCharacters.strip(line);
        if (format == Import.Format.MAILSCANNER) {
            mailScanner(text);
        } else if (format == Import.Format.LIST) {
            list(text);
        } else if (line.startsWith(" ") || line.startsWith("\t")) {
            sink.report(text, "matches nothing in Amavis, where a key has no space before it");
        } else {
            amavis(text);
        }
    }

    private void list(String text) {
        if (text.matches("(?s).*[\\s,;<>\"].*")) {
            sink.bad(text, "more than an address or a domain; expected: one a line, alone");
        } else if (text.startsWith("!") || text.startsWith("-")) {
            sink.report(text, "a plain list cannot say who is not welcome");
        } else if (text.startsWith(".")) {
            sink.take(sink.key("@.", text.substring(1)));
        } else if (text.matches("[^.:@*?]+")) {
            sink.bad(text, "neither an address nor a domain; expected: example.com");
        } else {
            sink.take(sink.sender(text));
        }
    }

    /** Amavis takes every value but 0 for a yes; others than 1 are scores. */
    private void amavis(String text) {
        String[] parts = firstAndRest(text);
        String key = parts[0].replaceFirst("^<(.+)>$", "$1");
        if (!parts[1].isEmpty() && !parts[1].equals("1")) {
            sink.report(
                    text,
                    "a score, or a 0, which lists nobody; a wider key that is taken counts for this"
                            + " sender");
        } else if (key.matches("\\.|@.*|.*\\*.*")) {
            sink.report(key, "neither an address nor a domain in Amavis");
        } else if (key.startsWith(".")) {
            sink.take(sink.key("@", key.substring(1)));
            sink.take(sink.key("@.", key.substring(1)));
        } else {
            sink.take(sink.key(key.indexOf('@') > 0 ? "" : "@", key));
        }
    }

    /** Of a pattern, all but {@code *} is what it is in a regular expression. */
    private void mailScanner(String text) {
        Matcher rule = RULE.matcher(text);
        if (!rule.matches()) {
            sink.report(
                    text,
                    "only 'From:', one pattern that is no expression, and 'yes' alone list a"
                            + " sender; of a 'no', a pattern that is taken counts for these"
                            + " senders, be it wider or further down");
            return;
        }
        String pattern = HiddenCharacters.strip(rule.group(1));
        String domain = pattern.startsWith("@") ? pattern.substring(1) : pattern;
        if (CLIENT.matcher(pattern).matches()) {
            sink.report(pattern, "a client's network address there, not a sender");
        } else if (domain.isEmpty() || domain.equalsIgnoreCase("default")) {
            sink.report(pattern, "stands for every sender");
        } else {
            sink.take(sink.sender(domain.matches("\\*[^@.][^@]*") ? "*@" + domain : domain));
        }
    }
}
