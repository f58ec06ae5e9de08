package io.github.senderwhitelist.list;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Parses the conditions that follow the key in a line of a list. They have the form {@code
 * name=value}, are separated by white space, and end at a {@code #}. Each name may occur once.
 * {@code note=} takes the rest of the line.
 */
final class RuleText {
    /** What conditions begin with. */
    static final Set<String> NAMES = Set.of("from=", "until=", "auth=", "to=", "origin=", "note=");

    private static final String ALLOWED =
            "from=YYYY-MM-DD, until=YYYY-MM-DD, auth=, to=, origin=, note=, or a # comment";
    private static final DateTimeFormatter DAY = strict("-MM-dd");
    private static final DateTimeFormatter MOMENT = strict("-MM-dd'T'HH:mm[:ss]'Z'");

    private final boolean denied;
    private final Set<String> seen = new HashSet<>();
    private @Nullable Instant from;
    private @Nullable Instant until;
    private @Nullable AuthRequirement auth;
    private @Nullable Key to;
    private Origin origin = Origin.ADMIN;
    private String note = "";

    private RuleText(boolean denied) {
        this.denied = denied;
    }

    /**
     * Signals conditions that cannot be understood. The message says what was found and what is
     * allowed.
     */
    static final class BadRuleException extends Exception {
        private static final long serialVersionUID = 1L;

        BadRuleException(String message) {
            super(message);
        }
    }

    /**
     * The conditions of a line.
     *
     * @param to the recipients the line is for, or null for all
     * @param rule what the line says
     */
    record Conditions(@Nullable Key to, Rule rule) {}

    /**
     * Parses the conditions of a line.
     *
     * @param written everything that follows the key
     * @param key the key as written, for messages
     */
    static Conditions parse(String written, String key, boolean denied) throws BadRuleException {
        String text = HiddenCharacters.strip(written);
        if (text.isEmpty() || text.charAt(0) == '#') {
            return new Conditions(null, denied ? Rule.DENIES : Rule.LISTS);
        }
        RuleText rule = new RuleText(denied);
        for (String rest = text; !rest.isEmpty() && rest.charAt(0) != '#'; ) {
            int end = rest.startsWith("note=") ? rest.length() : ListLine.endOfWord(rest);
            rule.take(rest.substring(0, end), key);
            rest = HiddenCharacters.strip(rest.substring(end));
        }
        return rule.done(key);
    }

    private void take(String word, String key) throws BadRuleException {
        int equals = word.indexOf('=');
        String name = equals < 0 ? "" : word.substring(0, equals);
        String value = HiddenCharacters.strip(word.substring(equals + 1));
        switch (name) {
            case "from" -> from = moment(name, value, 0);
            case "until" -> until = moment(name, value, 1);
            case "auth" -> auth = auth(value);
            case "to" -> to = recipients(value);
            case "origin" -> origin = origin(value);
            case "note" -> note = note(value);
            default ->
                    throw new BadRuleException(
                            "unexpected '"
                                    + Text.shown(word)
                                    + "' after '"
                                    + Text.shown(key)
                                    + "'; allowed: one entry a line, then nothing or "
                                    + ALLOWED);
        }
        if (!seen.add(name)) {
            throw new BadRuleException(
                    "'"
                            + name
                            + "=' twice after '"
                            + Text.shown(key)
                            + "'; allowed: once. Several lines for one sender add up");
        }
    }

    /**
     * Returns a strict formatter of a year with four digits followed by {@code pattern}. With such
     * years, the day after any day that can be written exists.
     */
    private static DateTimeFormatter strict(String pattern) {
        return new DateTimeFormatterBuilder()
                .appendValue(ChronoField.YEAR, 4)
                .appendPattern(pattern)
                .toFormatter(Locale.ROOT)
                .withResolverStyle(ResolverStyle.STRICT);
    }

    /**
     * Returns the moment that {@code value} stands for. For a day, that is its beginning in UTC,
     * moved on by {@code daysLater} days.
     */
    private static Instant moment(String name, String value, int daysLater)
            throws BadRuleException {
        try {
            return value.indexOf('T') < 0
                    ? LocalDate.parse(value, DAY)
                            .plusDays(daysLater)
                            .atStartOfDay()
                            .toInstant(ZoneOffset.UTC)
                    : LocalDateTime.parse(value, MOMENT).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException e) {
            throw wrong(
                    name, value, "a day such as 2027-01-31, or a moment such as 2027-01-31T18:30Z");
        }
    }

    private AuthRequirement auth(String value) throws BadRuleException {
        if (denied) {
            throw wrong("auth", value, "no auth= after '!', which holds for forged senders, too");
        }
        String allowed = AuthRequirement.VALUES.allowed() + " (any is SPF or DKIM)";
        return AuthRequirement.VALUES.parse(value).orElseThrow(() -> wrong("auth", value, allowed));
    }

    private static Key recipients(String value) throws BadRuleException {
        return switch (ListLine.parseKey(value)) {
            case ListLine.GoodKey(var key) -> key;
            case ListLine.Bad(String reason) -> throw new BadRuleException("to=: " + reason);
        };
    }

    private static String note(String value) throws BadRuleException {
        if (value.isEmpty()
                || value.getBytes(UTF_8).length > RulesCodec.MAX_VALUE
                || value.codePoints().anyMatch(Character::isISOControl)) {
            throw wrong(
                    "note",
                    value,
                    "text of at most " + RulesCodec.MAX_VALUE + " bytes on one line");
        }
        return value;
    }

    private Origin origin(String value) throws BadRuleException {
        Origin of =
                Origin.VALUES
                        .parse(value)
                        .orElseThrow(() -> wrong("origin", value, Origin.VALUES.allowed()));
        if (of == Origin.LEARNED && denied) {
            throw wrong("origin", value, "admin or user after '!'");
        }
        return of;
    }

    private Conditions done(String key) throws BadRuleException {
        if (origin != Origin.ADMIN && (key.startsWith("@") || to == null || to.isDomain())) {
            throw new BadRuleException(
                    "origin="
                            + origin.label()
                            + " needs the whole address of the sender and to= with that of the"
                            + " recipient");
        }
        if (from != null && until != null && !from.isBefore(until)) {
            throw new BadRuleException(
                    "until= is before from=; allowed: an end after the beginning");
        }
        return new Conditions(to, new Rule(denied, from, until, auth, origin, note));
    }

    private static BadRuleException wrong(String name, String value, String allowed) {
        return new BadRuleException(name + "='" + Text.shown(value) + "'; allowed: " + allowed);
    }
}
