package io.github.senderwhitelist.list;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.Text;

/**
 * The parsed form of one line of a text list. A line holds {@code address}, {@code @domain} or
 * {@code @.domain}, with an optional {@code !} before it that denies, and optional conditions after
 * it. Or it is blank, with or without a {@code #} comment.
 */
public sealed interface ListLine {
    /** The longest line that is parsed, in bytes. Longer lines are bad. */
    int MAX_BYTES = 8192;

    /** Why bytes of a line are no text. */
    String NOT_UTF_8 = "not UTF-8 (if the file is Latin-1: iconv -f LATIN1 -t UTF-8)";

    /** A line without an entry. */
    record Blank() implements ListLine {}

    /** A line with an entry, which has one rule. */
    record Good(Entry entry) implements ListLine {}

    /**
     * A line that cannot be understood.
     *
     * @param reason what was found and what is allowed, in one line for people
     */
    record Bad(String reason) implements ListLine {}

    /** Parses a line, given without its line end. */
    static ListLine parse(String line) {
        String text = HiddenCharacters.strip(line);
        if (text.isEmpty() || text.charAt(0) == '#') {
            return new Blank();
        }
        boolean denied = text.charAt(0) == '!';
        String entry = denied ? HiddenCharacters.strip(text.substring(1)) : text;
        int end = endOfWord(entry);
        try {
            return new Good(RuleText.parse(entry.substring(0, end), entry.substring(end), denied));
        } catch (IllegalArgumentException e) {
            return new Bad(String.valueOf(e.getMessage()));
        }
    }

    /** Returns whether a text begins with a condition, where an entry begins with its key. */
    static boolean beginsWithCondition(String text) {
        return RuleText.NAMES.contains(text.substring(0, text.indexOf('=') + 1));
    }

    /**
     * Returns the index at which the first word ends. White space within quotes does not end a
     * word.
     */
    static int endOfWord(String text) {
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && HiddenCharacters.isWhiteSpace(c)) {
                return i;
            }
        }
        return text.length();
    }

    /**
     * Parses {@code address}, {@code @domain} or {@code @.domain}, which white space may surround.
     *
     * @throws IllegalArgumentException if it is neither; the message says what was found and what
     *     is allowed, in one line for people
     */
    static Key parseKey(String written) {
        String text = HiddenCharacters.strip(written);
        if (text.startsWith("@*.")) {
            throw pattern(text, "did you mean '@" + Text.shown(text.substring(2)) + "'?");
        } else if (text.startsWith("@")) {
            return parseDomain(text);
        } else if (text.startsWith("*@")) {
            String domain = Text.shown(text.substring(1));
            throw pattern(text, "every address at a domain is '" + domain + "'");
        }
        return switch (AddressSyntax.parse(text)) {
            case Address address -> address.key();
            case Malformed(String reason) -> throw bad(reason + meant(text));
        };
    }

    private static IllegalArgumentException bad(String reason) {
        return new IllegalArgumentException(reason);
    }

    private static IllegalArgumentException pattern(String text, String hint) {
        return bad("'" + Text.shown(text) + "': patterns are not known; " + hint);
    }

    /** Returns the end of a complaint: the entry that a domain without {@code @} stands for. */
    private static String meant(String text) {
        String domain = text.startsWith("*.") ? text.substring(1) : text;
        String name = domain.startsWith(".") ? domain.substring(1) : domain;
        return name.indexOf('.') > 0 && AddressSyntax.parseDomain(name) != null
                ? "; did you mean '@" + Text.shown(domain) + "'?"
                : "";
    }

    private static Key parseDomain(String text) {
        boolean subdomains = text.startsWith("@.");
        String written = text.substring(subdomains ? 2 : 1);
        String domain = AddressSyntax.parseDomain(written);
        if (domain == null) {
            throw bad(AddressSyntax.domainComplaint(written));
        } else if (subdomains && domain.startsWith("[")) {
            throw bad("'" + Text.shown(text) + "': an address literal has no subdomains");
        }
        return Key.of(new byte[0], (subdomains ? "." + domain : domain).getBytes(UTF_8));
    }
}
