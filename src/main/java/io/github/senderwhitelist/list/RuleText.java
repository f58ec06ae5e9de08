package io.github.senderwhitelist.list;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
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
 * The parser of an entry: a key, and the conditions that follow it. These have the form {@code
 * name=value}, are separated by white space, and end at a {@code #}. Each name may occur once.
 * {@code note=} takes the rest of the line.
 *
 * <p>What cannot be understood is thrown as an {@link IllegalArgumentException}, which says what
 * was found and what is allowed, and becomes a {@link ListLine.Bad}.
 */
final class RuleText {
    /** What conditions begin with. */
    static final Set<String> NAMES = Set.of("from=", "until=", "auth=", "to=", "origin=", "note=");

    /** With four digits for the year, the day after any day that can be written exists. */
    private static final Pattern MOMENT =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d)?Z)?");

    private RuleText() {}

    /** Parses an entry from its key as written and all that follows it. */
    static Entry parse(String key, String conditions, boolean denied) {
        Instant from = null;
        Instant until = null;
        AuthRequirement auth = null;
        Key to = null;
        Origin origin = Origin.ADMIN;
        String note = "";
        Set<String> seen = new HashSet<>();
        String rest = HiddenCharacters.strip(conditions);
        while (!rest.isEmpty() && rest.charAt(0) != '#') {
            int end = rest.startsWith("note=") ? rest.length() : ListLine.endOfWord(rest);
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
                        throw new IllegalArgumentException(
                                ("unexpected '%s' after '%s'; allowed: one entry a line, then"
                                     + " nothing or from=YYYY-MM-DD, until=YYYY-MM-DD, auth=, to=,"
                                     + " origin=, note=, or a # comment")
                                        .formatted(Text.shown(word), Text.shown(key)));
            }
            if (!seen.add(name)) {
                throw new IllegalArgumentException(
                        "'%s' twice after '%s'; allowed: once. Several lines for one sender add up"
                                .formatted(name, Text.shown(key)));
            }
            rest = HiddenCharacters.strip(rest.substring(end));
        }
        boolean isPair = !key.startsWith("@") && to != null && !to.isDomain();
        if (origin != Origin.ADMIN && !isPair) {
            throw new IllegalArgumentException(
                    ("origin=%s needs the whole address of the sender and to= with that of the"
                                    + " recipient")
                            .formatted(origin.label()));
        }
        if (from != null && until != null && !from.isBefore(until)) {
            throw new IllegalArgumentException(
                    "until= is before from=; allowed: an end after the beginning");
        }
        Rule rule = new Rule(denied, from, until, auth, origin, note);
        return new Entry(ListLine.parseKey(key), to, List.of(rule));
    }

    private static Key recipients(String value) {
        try {
            return ListLine.parseKey(value);
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
            throw wrong(
                    "note=",
                    value,
                    "text of at most " + RulesCodec.MAX_VALUE + " bytes on one line");
        }
        return value;
    }

    private static IllegalArgumentException wrong(String name, String value, String allowed) {
        return new IllegalArgumentException(
                name + "'" + Text.shown(value) + "'; allowed: " + allowed);
    }
}
