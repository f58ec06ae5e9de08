package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The regular expressions in maps of Rspamd that say the same as entries. All end with {@code $}
 * and the literal name of a domain; what stands before that decides.
 */
final class RspamdExpression {
    /** A longer one names no address. Matching takes some stack for each character. */
    private static final int MAX_LENGTH = 1000;

    /**
     * A word of an address, or a domain's label. Between them, a dot that is not escaped is taken
     * for a dot, too: that lists fewer senders than the expression, never more.
     */
    private static final String LABEL = "(?:[a-zA-Z0-9]|\\\\?[-_])+";

    private static final String WORD = "(?:[\\w=&'#~%!-]|\\\\[-_+=&'#~%!/])+";

    private static final Pattern EXPRESSION =
            Pattern.compile("/(?<before>.*?)(?<domain>" + dotted(LABEL) + ")\\$/i?(?:\\s.*)?");
    private static final Pattern ADDRESS = Pattern.compile("\\^(" + dotted(WORD) + ")@");

    /** Anything before what decides, as {@code .+} or {@code ^.*}. */
    private static final Pattern ANYTHING = Pattern.compile("^\\^?\\.\\*(?=[@(\\[\\\\])");

    private RspamdExpression() {}

    private static String dotted(String word) {
        return word + "(?:\\\\?\\." + word + ")*";
    }

    /** Returns what a line says, from its slash on; nothing if entries cannot say the same. */
    static List<SenderPattern> patterns(String line) {
        Matcher expression = EXPRESSION.matcher(line);
        if (line.length() > MAX_LENGTH || !expression.matches()) {
            return List.of();
        }
        String domain = unescaped(expression.group("domain"));
        String before =
                expression
                        .group("before")
                        .replaceAll("(?:\\.|\\[\\^@\\])[+*]", ".*")
                        .replace("\\@", "@")
                        .replace("[@\\.]", "[@.]")
                        .replace("(?:", "(");
        return switch (ANYTHING.matcher(before).replaceFirst("")) {
            case "@" -> List.of(new Domain(domain));
            case "\\.", "@.*\\." -> List.of(new Subdomains(domain));
            case "[@.]", "(@|\\.)", "(\\.|@)", "@(.*\\.)?" ->
                    List.of(new Domain(domain), new Subdomains(domain));
            // Rspamd also compares the domain alone, and the part before '@'.
            case "^" -> domain.contains(".") ? List.of(new Domain(domain)) : List.of();
            default -> {
                Matcher address = ADDRESS.matcher(before);
                yield address.matches()
                        ? List.of(new Exact(unescaped(address.group(1)) + "@" + domain))
                        : List.of();
            }
        };
    }

    private static String unescaped(String text) {
        return text.replace("\\", "");
    }
}
