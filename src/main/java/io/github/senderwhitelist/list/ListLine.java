package io.github.senderwhitelist.list;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.Text;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The parsed form of one line of a text list. A line holds {@code address}, {@code @domain} or
 * {@code @.domain}, with an optional {@code !} before it that denies, and optional conditions after
 * it: {@code name=value}, separated by white space, each name once; {@code note=} takes the rest of
 * the line. Or it is blank. A {@code #} begins a comment.
 */
public sealed interface ListLine {
    /** The longest line that is parsed, in bytes. Longer lines are bad. */
    int MAX_BYTES = 8192;

    /** Why bytes of a line are no text. */
    String NOT_UTF_8 = "not UTF-8 (if the file is Latin-1: iconv -f LATIN1 -t UTF-8)";

    /** What conditions begin with. */
    Set<String> CONDITIONS = Set.of("from=", "until=", "auth=", "to=", "origin=", "note=");

    /** With four digits for the year, the day after any day that can be written exists. */
    Pattern MOMENT = Pattern.compile("\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d)?Z)?");

    /** A line without an entry. */
    record Blank() implements ListLine {}

    /** A line with an entry, which has one rule. */
    record Good(Entry entry) implements ListLine {}

    /** A line that cannot be understood: what was found and what is allowed, for people. */
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
            return new Good(entry(entry.substring(0, end), entry.substring(end), denied));
        } catch (IllegalArgumentException e) {
            return new Bad(String.valueOf(e.getMessage()));
        }
    }

    /** Parses an entry from its key as written and all that follows it. */
    private static Entry entry(String key, String conditions, boolean denied) {
        Instant from = null;
        Instant until = null;
        AuthRequirement auth = null;
        Key to = null;
        Origin origin = Origin.ADMIN;
        String note = "";
        Set<String> seen = new HashSet<>();
        String rest = HiddenCharacters.strip(conditions);
        while (!rest.isEmpty() && rest.charAt(0) != '#') {
            int end = rest.startsWith("note=") ? rest.length() : endOfWord(rest);
            String word = rest.substring(0, end);
            String name = word.substring(0, word.indexOf('=') + 1);
            String value = HiddenCharacters.strip(word.substring(name.length()));
            switch (name) {
                case "from=" -> from = moment(name, value, 0);
                case "until=" -> until = moment(name, value, 1);
                case "auth=" -> auth = auth(value, denied);
                case "to=" -> to = recipients(value);
                case "origin=" -> origin = origin(value, denied);
                case "note=" -> note = note(value);
                default ->
                        throw bad(
                                "unexpected '%s' after '%s'; allowed: one entry a line, then"
                                    + " nothing or from=YYYY-MM-DD, until=YYYY-MM-DD, auth=, to=,"
                                    + " origin=, note=, or a # comment",
                                Text.shown(word), Text.shown(key));
            }
            if (!seen.add(name)) {
                throw bad(
                        "'%s' twice after '%s'; allowed: once. Several lines for one sender add up",
                        name, Text.shown(key));
            }
            rest = HiddenCharacters.strip(rest.substring(end));
        }
        boolean isPair = !key.startsWith("@") && to != null && !to.isDomain();
        if (origin != Origin.ADMIN && !isPair) {
            throw bad(
                    "origin=%s needs the whole address of the sender and to= with that of the"
                            + " recipient",
                    origin.label());
        }
        if (from != null && until != null && !from.isBefore(until)) {
            throw bad("until= is before from=; allowed: an end after the beginning");
        }
        Rule rule = new Rule(denied, from, until, auth, origin, note);
        return new Entry(parseKey(key), to, List.of(rule));
    }

    private static Key recipients(String value) {
        try {
            return parseKey(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("to=: " + e.getMessage(), e);
        }
    }

    /** Returns a moment. A day is its beginning in UTC, moved on by {@code daysLater} days. */
    private static Instant moment(String name, String value, int daysLater) {
        try {
            if (MOMENT.matcher(value).matches()) {
                return value.indexOf('T') > 0
                        ? OffsetDateTime.parse(value).toInstant()
                        : LocalDate.parse(value)
                                .plusDays(daysLater)
                                .atStartOfDay(ZoneOffset.UTC)
                                .toInstant();
            }
        } catch (DateTimeException e) {
            // No such day, or no such hour: as if it were written otherwise.
        }
        throw wrong(name, value, "a day such as 2027-01-31, or a moment such as 2027-01-31T18:30Z");
    }

    private static AuthRequirement auth(String value, boolean denied) {
        if (denied) {
            throw wrong("auth=", value, "no auth= after '!', which holds for forged senders, too");
        }
        String allowed = AuthRequirement.VALUES.allowed() + " (any is SPF or DKIM)";
        return AuthRequirement.VALUES
                .parse(value)
                .orElseThrow(() -> wrong("auth=", value, allowed));
    }

    private static Origin origin(String value, boolean denied) {
        String allowed = denied ? "admin or user after '!'" : Origin.VALUES.allowed();
        return Origin.VALUES
                .parse(value)
                .filter(each -> !denied || each != Origin.LEARNED)
                .orElseThrow(() -> wrong("origin=", value, allowed));
    }

    private static String note(String value) {
        if (value.isEmpty()
                || value.getBytes(UTF_8).length > RulesCodec.MAX_VALUE
                || value.codePoints().anyMatch(Character::isISOControl)) {
            String allowed = "text of at most " + RulesCodec.MAX_VALUE + " bytes on one line";
            throw wrong("note=", value, allowed);
        }
        return value;
    }

    private static IllegalArgumentException wrong(String name, String value, String allowed) {
        return bad("%s'%s'; allowed: %s", name, Text.shown(value), allowed);
    }

    /** Returns whether a text begins with a condition, where an entry begins with its key. */
    static boolean beginsWithCondition(String text) {
        return CONDITIONS.contains(text.substring(0, text.indexOf('=') + 1));
    }

    /** Returns where the first word ends. White space within quotes does not end a word. */
    private static int endOfWord(String text) {
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
     * Throws an {@link IllegalArgumentException} with a reason as of {@link Bad} if it is neither.
     */
    static Key parseKey(String written) {
        String text = HiddenCharacters.strip(written);
        if (text.startsWith("@*.")) {
            throw bad(
                    "'%s': patterns are not known; did you mean '@%s'?",
                    Text.shown(text), Text.shown(text.substring(2)));
        } else if (text.startsWith("@")) {
            return parseDomain(text);
        } else if (text.startsWith("*@")) {
            throw bad(
                    "'%s': patterns are not known; every address at a domain is '%s'",
                    Text.shown(text), Text.shown(text.substring(1)));
        }
        return switch (AddressSyntax.parse(text)) {
            case Address address -> address.key();
            case Malformed(String reason) -> throw bad("%s%s", reason, meant(text));
        };
    }

    @SuppressWarnings("AnnotateFormatMethod") // which is an annotation of a library
    private static IllegalArgumentException bad(String message, Object... values) {
        return new IllegalArgumentException(message.formatted(values));
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
            throw bad("%s", AddressSyntax.domainComplaint(written));
        } else if (subdomains && domain.startsWith("[")) {
            throw bad("'%s': an address literal has no subdomains", Text.shown(text));
        }
        return Key.of(new byte[0], (subdomains ? "." + domain : domain).getBytes(UTF_8));
    }
}
