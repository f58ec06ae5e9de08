package io.github.senderwhitelist.list;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;

/**
 * One line of a text list: {@code address}, {@code @domain} or {@code @.domain}, each with {@code
 * !} before it to deny; or nothing but white space and a {@code #} comment.
 */
public sealed interface ListLine {

    /** A line that says nothing. */
    record Blank() implements ListLine {}

    /** A line that is an entry. */
    record Good(Entry entry) implements ListLine {}

    /**
     * A line that means nothing we know.
     *
     * @param reason what was found and what is allowed, for a person to read
     */
    record Bad(String reason) implements ListLine {}

    /** What this line says; {@code line} has no line end. */
    static ListLine parse(String line) {
        String text = line.strip();
        if (text.isEmpty() || text.charAt(0) == '#') {
            return new Blank();
        }
        boolean denied = text.charAt(0) == '!';
        String entry = denied ? text.substring(1).stripLeading() : text;
        int end = endOfKey(entry);
        String rest = entry.substring(end).strip();
        if (!rest.isEmpty() && rest.charAt(0) != '#') {
            return new Bad(
                    "unexpected '"
                            + Text.shown(rest)
                            + "' after '"
                            + Text.shown(entry.substring(0, end))
                            + "'; allowed: one entry a line, then nothing or a # comment");
        }
        return parseKey(entry.substring(0, end), denied);
    }

    private static int endOfKey(String entry) {
        boolean quoted = false;
        for (int i = 0; i < entry.length(); i++) {
            char c = entry.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && Character.isWhitespace(c)) {
                return i;
            }
        }
        return entry.length();
    }

    private static ListLine parseKey(String text, boolean denied) {
        if (text.startsWith("@")) {
            return parseDomain(text, denied);
        }
        if (text.startsWith("*@")) {
            return new Bad(
                    "'"
                            + Text.shown(text)
                            + "': patterns are not known; every address at a domain is '"
                            + Text.shown(text.substring(1))
                            + "'");
        }
        return switch (AddressSyntax.parse(text)) {
            case WellFormed(var address) -> new Good(new Entry(address.key(), denied));
            case Malformed(String reason) -> new Bad(reason);
        };
    }

    private static ListLine parseDomain(String text, boolean denied) {
        boolean subdomains = text.startsWith("@.");
        String written = text.substring(subdomains ? 2 : 1);
        byte[] domain = AddressSyntax.parseDomain(written);
        if (domain == null) {
            return new Bad(AddressSyntax.domainComplaint(written));
        }
        if (subdomains && domain[0] == '[') {
            return new Bad("'" + Text.shown(text) + "': an address literal has no subdomains");
        }
        byte[] key = subdomains ? ("." + new String(domain, UTF_8)).getBytes(UTF_8) : domain;
        return new Good(new Entry(Key.of(new byte[0], key), denied));
    }
}
