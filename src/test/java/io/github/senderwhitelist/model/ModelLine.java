package io.github.senderwhitelist.model;

import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A line of a list that is an entry.
 *
 * @param key what it speaks of, in canonical form
 * @param never whether it begins with {@code !}
 * @param conditions what follows, by name
 */
record ModelLine(String key, boolean never, Map<String, String> conditions) {
    private static final Set<String> NAMES =
            Set.of("until", "from", "auth", "to", "origin", "note");
    private static final Set<String> ORIGINS = Set.of("admin", "user", "learned");
    private static final Set<String> METHODS = Set.of("none", "spf", "dkim", "any");

    /** Returns whether a line is to be an entry. */
    static boolean isOne(String line) {
        return !line.isBlank() && !line.strip().startsWith("#");
    }

    /** Returns the entry on a line, or null if it is bad. */
    static @Nullable ModelLine read(String written) {
        String line = written.strip();
        boolean never = line.startsWith("!");
        String rest = never ? line.substring(1) : line;
        int end = endOfSender(rest);
        String key = key(rest.substring(0, end));
        Map<String, String> conditions = new HashMap<>();
        rest = rest.substring(end).strip();
        while (!rest.isEmpty() && !rest.startsWith("#")) {
            int equals = rest.indexOf('=');
            String name = equals < 0 ? rest : rest.substring(0, equals);
            int stop = name.equals("note") ? rest.length() : endOfSender(rest);
            String value = equals < 0 || equals >= stop ? "" : rest.substring(equals + 1, stop);
            if (!NAMES.contains(name) || conditions.put(name, value) != null) {
                return null;
            }
            rest = rest.substring(stop).strip();
        }
        ModelLine entry = key == null ? null : new ModelLine(key, never, conditions);
        return entry == null || !entry.isWell() ? null : entry;
    }

    /** Blanks in quotes do not end it. */
    private static int endOfSender(String text) {
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '\\') {
                i++;
            } else if (!quoted && (c == ' ' || c == '\t')) {
                return i;
            }
        }
        return text.length();
    }

    private static @Nullable String key(String written) {
        if (!written.startsWith("@")) {
            return Objects.toString(ModelAddress.of(written), null);
        }
        String at = written.startsWith("@.") ? "@." : "@";
        String domain = ModelAddress.domain(written.substring(at.length()));
        return domain == null ? null : at + domain;
    }

    private boolean isWell() {
        try {
            Instant until = moment("until", true);
            Instant from = moment("from", false);
            if (until != null && from != null && !from.isBefore(until)) {
                return false;
            }
        } catch (DateTimeException e) {
            return false;
        }
        return (!conditions.containsKey("auth")
                        || (!never && METHODS.contains(conditions.get("auth"))))
                && (!conditions.containsKey("to") || key(conditions.get("to")) != null)
                && ORIGINS.contains(origin())
                && (origin().equals("admin")
                        || (!key.startsWith("@")
                                && !conditions.getOrDefault("to", "@").startsWith("@")))
                && !(never && origin().equals("learned"));
    }

    /** Returns who put the line into the list. */
    String origin() {
        return conditions.getOrDefault("origin", "admin");
    }

    private @Nullable Instant moment(String name, boolean endOfDay) {
        String text = conditions.get(name);
        if (text == null) {
            return null;
        }
        if (text.length() == "2027-01-31".length()) {
            return LocalDate.parse(text)
                    .plusDays(endOfDay ? 1 : 0)
                    .atStartOfDay(ZoneOffset.UTC)
                    .toInstant();
        }
        return Instant.parse(text.length() == 17 ? text.replace("Z", ":00Z") : text);
    }

    /**
     * Returns the word for why the entry does not count, or null when it does.
     *
     * @param sender the address that is asked for
     */
    @Nullable String failing(
            ModelAddress sender, WhitelistModel.Mail mail, WhitelistModel.Settings by) {
        Instant until = moment("until", true);
        Instant from = moment("from", false);
        if (until != null && !mail.at().isBefore(until)) {
            return "expired";
        }
        if (from != null && mail.at().isBefore(from)) {
            return "not-yet";
        }
        String auth = conditions.getOrDefault("auth", by.required());
        if (never || auth.equals("none")) {
            return null;
        }
        List<String> methods = auth.equals("any") ? List.of("spf", "dkim") : List.of(auth);
        return Stream.of(sender.domain(), sender.toString())
                        .flatMap(what -> methods.stream().map(method -> method + " " + what))
                        .anyMatch(mail.confirmed()::contains)
                ? null
                : "unauthenticated";
    }

    /** Returns whether the entry is for a recipient; null is nobody in particular. */
    boolean isFor(@Nullable String recipient, WhitelistModel.Settings by) {
        String to = conditions.get("to");
        ModelAddress address = recipient == null ? null : ModelAddress.of(recipient);
        if (to == null || address == null) {
            return to == null;
        }
        String written = by.users().get(address.toString());
        ModelAddress user = written == null ? null : ModelAddress.of(written);
        return address.keys(by.recipientDelimiter()).contains(key(to))
                || (user != null && user.keys(by.recipientDelimiter()).contains(key(to)));
    }
}
